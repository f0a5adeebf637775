package mind

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/detect"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// talks are what detection knows of a user. What was said and is told of affairs is there once, for all sessions. A message
// is heard when its turn is over, since until then it may be filed, or with the next message of its session.
type talks struct {
	first   *detect.History            // the others are beside it
	by      map[string]*talk           // by session
	waiting map[string][]state.Message // by session: not heard yet
	changed map[string]state.Affair    // affairs that were not described as they are now
	lately  map[string][]heardLine     // by affair: what was said in it last
	size    int64                      // bytes of the talks
}

// talk is one session, and up to which message it is heard.
type talk struct {
	*detect.History
	seq int64
}

// heardLine is the beginning of a message.
type heardLine struct {
	session string
	msg     state.Message // what is told of it and shown
}

// What is kept of what was said in an affair last.
const (
	heardLines = 3
	heardBytes = 300 // of each
)

// Heard brings what is heard of the user up to the session's message before number seq, and what is told of affairs up to
// what they are now. Only the first of a process reads the user's messages and affairs; later ones come with the commits.
func (d *Mind) Heard(ctx context.Context, current string, seq int64) (*detect.History, error) {
	if d.talks == nil {
		h, err := readTalks(ctx, d.Docs, d.scope)
		if err != nil {
			return nil, err
		}
		d.talks = h
	}
	d.talks.listen(d.Joined, func(session string, n int64) bool {
		return n <= d.Sessions[session].Messages || session == current && n < seq
	})
	d.talks.describe()
	return d.talks.talk(current).History, nil
}

// readTalks reads all that a user has said, and all his affairs, also those that are not hot.
func readTalks(ctx context.Context, from ledger.Reader, user state.Scope) (*talks, error) {
	h := &talks{first: detect.NewHistory(), by: map[string]*talk{}, waiting: map[string][]state.Message{}, lately: map[string][]heardLine{}, changed: map[string]state.Affair{}}
	docs, err := from.Scan(ctx, store.Query{Collection: state.Messages, Prefix: user.UserPrefix()})
	if err != nil {
		return nil, err
	}

	for _, doc := range docs {
		msg, err := ledger.Decode[state.Message](doc)
		if err != nil { // the mind says it aloud
			continue
		}
		if session := SessionOf(doc.ID); !msg.Undone {
			h.waiting[session] = append(h.waiting[session], msg)
		}
	}

	affairs, err := ledger.Scan[state.Affair](ctx, from, store.Query{Collection: state.Affairs, Prefix: user.UserPrefix()})
	for _, a := range affairs {
		h.tell(a)
	}
	return h, err
}

// talk returns what is known of a session, made if need be.
func (h *talks) talk(session string) *talk {
	t := h.by[session]
	if t == nil {
		t = &talk{History: h.first.Beside()}
		h.by[session] = t
		h.size += talkBytes + int64(len(session)) + t.SessionBytes()
	}
	return t
}

// take lets a message wait, in place of what it was before.
func (h *talks) take(session string, msg state.Message) {
	if msg.Seq <= h.talk(session).seq {
		return
	}
	h.drop(session, msg.Seq)
	h.waiting[session] = append(h.waiting[session], msg)
}

// drop forgets a message and reports whether it was not heard yet: what is heard cannot be taken back.
func (h *talks) drop(session string, seq int64) bool {
	list := slices.DeleteFunc(h.waiting[session], func(msg state.Message) bool { return msg.Seq == seq })
	if h.waiting[session] = list; len(list) == 0 {
		delete(h.waiting, session)
	}
	t := h.by[session]
	return t == nil || seq > t.seq
}

// unhear takes a message back that is gone or undone. One that was heard already makes all the others be heard anew.
func (d *Mind) unhear(key string) {
	at := strings.LastIndexByte(key, '/')
	seq, err := strconv.ParseInt(key[at+1:], 10, 64)
	if d.talks != nil && (err != nil || !d.talks.drop(SessionOf(key), seq)) {
		d.talks = nil
	}
}

// listen hears the messages whose turn is over, in the order they were said.
func (h *talks) listen(into Joined, over func(session string, seq int64) bool) {
	type said struct {
		session string
		at      time.Time // not before the message before it
		msg     state.Message
	}
	// what is over stops waiting
	var ready []said
	for session, list := range h.waiting {
		slices.SortFunc(list, func(a, b state.Message) int { return cmp.Compare(a.Seq, b.Seq) })
		n, at := 0, time.Time{}
		for ; n < len(list) && over(session, list[n].Seq); n++ {
			if list[n].At.After(at) {
				at = list[n].At
			}
			ready = append(ready, said{session, at, list[n]})
		}
		if h.waiting[session] = slices.Clone(list[n:]); n == len(list) {
			delete(h.waiting, session)
		}
	}
	// all sessions together
	slices.SortFunc(ready, func(a, b said) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.session, b.session), cmp.Compare(a.msg.Seq, b.msg.Seq))
	})
	for _, s := range ready {
		t := h.talk(s.session)
		t.seq = s.msg.Seq
		if s.msg.Role != state.RoleTool && s.msg.Text != "" && !s.msg.Unstored() {
			h.size -= t.SessionBytes()
			t.Next(s.msg.At)
			t.Add(detect.Message{Role: s.msg.Role, Text: s.msg.Text, Affair: into.Of(s.msg.Affair)})
			h.size += t.SessionBytes()
			s.msg.Affair = into.Of(s.msg.Affair)
			h.recall(s.session, s.msg)
		}
	}
}

// recall keeps what was said in an affair last.
func (h *talks) recall(session string, msg state.Message) {
	if msg.Affair == "" {
		return
	}
	before := h.lately[msg.Affair]
	line := heardLine{session, state.Message{
		ID: msg.ID, Turn: msg.Turn, Role: msg.Role, Seq: msg.Seq, At: msg.At, Text: strings.Clone(text.Head(msg.Text, heardBytes)),
	}}
	if slices.ContainsFunc(before, line.copies) {
		return
	}
	list := append(slices.Clone(before), line)
	slices.SortStableFunc(list, func(a, b heardLine) int { return a.msg.At.Compare(b.msg.At) })
	list = slices.Clone(list[max(0, len(list)-heardLines):]) // no more room than it needs
	h.size += heardSize(list) - heardSize(before)
	h.lately[msg.Affair] = list
}

// copies reports whether two lines are one message that a fork has from another session.
func (l heardLine) copies(o heardLine) bool {
	a, b := l.msg, o.msg
	return l.session != o.session && a.Seq == b.Seq && a.Turn == b.Turn && a.Role == b.Role && a.At.Equal(b.At) && a.Text == b.Text
}

// heardSize returns what lines take, about.
func heardSize(lines []heardLine) int64 {
	n := int64(0)
	for _, l := range lines {
		n += lineBytes + int64(len(l.msg.ID)+len(l.msg.Turn)+len(l.msg.Text))
	}
	return n
}

// Lately returns what was said last in each of some affairs, and was not cleared, with marks where it says what was forgotten.
func (d *Mind) Lately(affairs []*state.Affair) map[string][]state.Message {
	said := map[string][]state.Message{}
	if d.talks == nil {
		return said
	}
	for _, a := range affairs {
		for _, l := range d.talks.lately[a.ID] {
			if !d.Cleared.Hides(l.session, l.msg.Seq) {
				said[a.ID] = append(said[a.ID], d.unsay(l.session, l.msg))
			}
		}
	}
	return said
}

// tell notes an affair that is new or changed, but for one that is part of another. It changes several times a turn, and is described once.
func (h *talks) tell(a state.Affair) {
	if h != nil && a.MergedInto == "" {
		h.changed[a.ID] = a
	}
}

// untell notes that an affair is gone.
func (h *talks) untell(id string) {
	if h != nil {
		delete(h.changed, id)
		h.first.Forget(id)
	}
}

// describe tells all sessions of the affairs that are new or changed.
func (h *talks) describe() {
	for _, id := range slices.Sorted(maps.Keys(h.changed)) {
		h.first.Describe(h.changed[id])
	}
	clear(h.changed)
}

// Bytes of what is heard, besides what the histories say of themselves.
const (
	talkBytes    = 60
	lineBytes    = 96      // and the text
	waitingBytes = 1 << 10 // and the text
)

// bytes returns what all that is heard of the user takes.
func (h *talks) bytes() int64 {
	if h == nil {
		return 0
	}
	n := h.first.Bytes() + h.size
	for _, list := range h.waiting {
		for _, msg := range list {
			n += waitingBytes + int64(len(msg.Text))
		}
	}
	return n
}
