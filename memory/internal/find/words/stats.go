package words

// stats are sums over the living documents, kept with each write. Being integers they are the same whatever the order
// of the writes.
type stats struct {
	textLen, ownLen, leadLen int64 // terms, per field
	passages, passageLen     int64 // passages, and their terms
	groupsLen                int64 // terms of all groups
	liveGroups               int64
	messages, asking         int64 // documents of a role or a group; those of them that ask something
	replies, replyLen        int64 // documents of role assistant, and their terms
}

// count adds a document to the statistics, or with -1 takes it out.
func (t *tables) count(e *entry, sign int64) {
	step := uint32(sign) // -1 wraps around and so takes away
	for _, c := range e.terms {
		l := &t.lists[c.list]
		l.ownDF += step
		if c.text > 0 {
			l.textDF += step
		}
		if c.lead > 0 {
			l.leadDF += step
		}
		if c.text > 0 && e.long == nil {
			l.passageDF += step
		}
	}
	if e.speaker != none {
		t.speakers[e.speaker].live += int(sign)
	}
	s := &t.stats
	s.textLen += sign * int64(e.textLen)
	s.ownLen += sign * int64(e.ownLen())
	s.leadLen += sign * int64(e.leadLen)
	if e.long == nil {
		s.passages += sign
		s.passageLen += sign * int64(e.textLen)
	} else {
		t.countPassages(e.long, sign)
	}
	if e.message() {
		s.messages += sign
		if e.questions > 0 {
			s.asking += sign
		}
	}
	if roleOf(e.doc.Role) == assistant {
		s.replies += sign
		s.replyLen += sign * int64(e.textLen)
	}
}

func (t *tables) countPassages(p *passages, sign int64) {
	t.stats.passages += sign * int64(len(p.spans))
	last := make(map[uint32]int, len(p.seq)) // list -> 1 + passage it was counted in last
	for n, s := range p.spans {
		t.passageLen += sign * int64(s.to-s.from)
		for _, l := range p.seq[s.from:s.to] {
			if last[l] != n+1 {
				last[l] = n + 1
				t.lists[l].passageDF += uint32(sign)
			}
		}
	}
}

// message tells messages from records and affairs.
func (e *entry) message() bool { return e.doc.Role != "" || e.doc.Group != "" }
