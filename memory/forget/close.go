package forget

import (
	"maps"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// This file finds what is derived from what is to be erased: answers, records, what tools gave back, affairs of which nothing is left.

// close takes in all that is derived from what is meant, and notes what is to be made again.
func (p *erasure) close() {
	learnt := false
	for range closeRounds {
		before := p.size()
		p.takeTurns()
		p.takeDerived()
		p.learn()
		p.takeSaying()
		p.dropEmptyAffairs()
		if learnt = p.size() == before; learnt {
			break
		}
	}
	if !learnt {
		p.learn()
	}
	p.takeSuggestions()
	p.noteRemakes()
	p.noteCopies()
	if len(p.suggestions) > 0 { // the pass looks for what they say, too
		p.learn()
	}
}

// closeRounds bounds how often what was found leads to more.
const closeRounds = 8

// size returns how many documents were found, and how many sentences of others.
func (p *erasure) size() (n struct{ whole, cut int }) {
	n.whole = len(p.messages) + len(p.records) + len(p.affairs)
	for _, gone := range p.cuts {
		n.cut += len(gone)
	}
	return n
}

func sessionOf(key string) string {
	session, _, _ := strings.Cut(key, "/")
	return session
}

func turnKey(msg keptDoc[state.Message]) string { return sessionOf(msg.key) + "/" + msg.v.Turn }

// halves returns what goes of a message, and what stays of it.
func (p *erasure) halves(msg keptDoc[state.Message]) (gone, left state.Message) {
	if p.messages[msg.key] {
		return msg.v, state.Message{}
	}
	cut := p.cuts[messageRef(msg.key)]
	if cut == nil {
		return state.Message{}, msg.v
	}
	c := at(cut)
	left = c.message(msg.v)
	gone = state.Message{ID: msg.v.ID, Seq: msg.v.Seq, Turn: msg.v.Turn, Role: msg.v.Role, Affair: msg.v.Affair, At: msg.v.At, Text: strings.Join(c.texts, "\n")}
	return gone, left
}

// takeTurns takes in the answers to what goes: all of a turn if all that the user said in it goes, else what repeats a word of what
// goes that is in nothing that stays of the question.
func (p *erasure) takeTurns() {
	whole, part := map[string]bool{}, map[string]func(string) bool{}
	for _, msg := range p.kept.messages {
		switch gone, left := p.halves(msg); {
		case msg.v.Turn == "" || msg.v.Role != state.RoleUser:
		case p.messages[msg.key]:
			whole[turnKey(msg)] = true
		case gone.Text != "":
			part[turnKey(msg)] = repeatsOnly(gone.Text, messageWords(left))
		}
	}

	called := map[string]bool{}
	for _, msg := range p.kept.messages {
		repeats := part[turnKey(msg)]
		switch {
		case p.messages[msg.key]:
		case whole[turnKey(msg)]:
			p.messages[msg.key] = true
			delete(p.cuts, messageRef(msg.key))
		case repeats == nil || msg.v.Role == state.RoleUser:
		case isCall(msg.v):
			called[turnKey(msg)] = called[turnKey(msg)] || slices.ContainsFunc(sentencesOf(messageWords(msg.v)), repeats)
		default:
			p.cutMessage(msg, repeats)
		}
	}
	p.takeCalls(called)
}

// repeatsOnly tells sentences that have a telling word of what goes which what stays has not.
func repeatsOnly(gone, left string) func(string) bool {
	was, is := termsOf(gone), termsOf(left)
	return func(s string) bool {
		return slices.ContainsFunc(termsOf(s), func(t string) bool { return was.word(t) && !is.word(t) && !text.General(t) })
	}
}

// takeDerived takes in records that were made of messages which go, where whole conversations go; where a statement goes, those that have
// most of their words only from it.
func (p *erasure) takeDerived() {
	if !p.bySentence() && len(p.affairs) == 0 && len(p.threads) == 0 {
		return
	}
	said, turns := map[string]bool{}, map[string]bool{}
	most := map[string]func(string) bool{}
	for _, msg := range p.kept.messages {
		gone, left := p.halves(msg)
		switch {
		case p.bySentence() && gone.Text != "" && msg.v.Role == state.RoleUser:
			most[sessionOf(msg.key)+"/"+msg.v.ID] = mostlyOf(messageWords(gone), messageWords(left))
		case !p.bySentence() && p.messages[msg.key] && p.affairs[msg.v.Affair]:
			said[sessionOf(msg.key)+"/"+msg.v.ID], turns[turnKey(msg)] = true, msg.v.Turn != ""
		}
	}
	for _, r := range p.kept.records {
		if r.v.Span != nil || p.records[r.key] {
			continue
		}
		of := most[r.v.Session+"/"+r.v.Source.Message]
		if said[r.v.Session+"/"+r.v.Source.Message] || turns[r.v.Session+"/"+r.v.Source.Turn] || of != nil && of(mind.RecordText(r.v)) {
			p.takeRecord(r)
		}
	}
}

// mostlyOf tells texts half of whose telling words are in what goes and not in what stays.
func mostlyOf(gone, left string) func(string) bool {
	was, is := termsOf(gone), termsOf(left)
	return func(s string) bool {
		terms := termsOf(s)
		own := slices.DeleteFunc(slices.Clone(terms), func(t string) bool { return !was.word(t) || is.word(t) })
		return len(own) > 0 && 2*len(own) >= len(terms)
	}
}

// learn learns what the texts that go say. Where all of one place goes, what is said elsewhere too is no sign of it.
func (p *erasure) learn() {
	var gone, statements, stays []string
	for _, r := range p.kept.records {
		switch {
		case r.v.Span != nil:
		case p.records[r.key] && p.kind == "record" && r.key != p.of: // it says more than that
			gone = append(gone, mind.RecordText(r.v))
		case p.records[r.key]:
			statements = append(statements, statement(r.v))
		default:
			if cut := p.cuts[recordRef(r.key)]; cut != nil {
				r.v = at(cut).record(r.v)
			}
			stays = append(stays, mind.RecordText(r.v))
		}
	}

	for _, msg := range p.kept.messages {
		if msg.v.Role != state.RoleUser {
			continue
		}
		goes, left := p.halves(msg)
		gone, stays = append(gone, messageWords(goes)), append(stays, messageWords(left))
		if p.kind == "topic" || p.kind == "affair" {
			statements = append(statements, goes.Text)
		}
	}

	// What a list of affairs says of one that was named.
	for _, a := range p.kept.affairs {
		if p.kind == "affair" && p.affairs[a.v.ID] {
			statements = append(append(statements, a.v.Title), a.v.PendingActions...)
		}
	}

	for _, s := range p.kept.suggestions {
		if p.suggestions[s.key] {
			gone = append(gone, s.v.Text)
		}
	}

	p.f = forgotten{read: p.read}
	p.f.learn(gone, statements, stays)
	if !p.bySentence() {
		for _, s := range stays {
			p.f.dropSaid(s)
		}
	}
}

// statement returns what a record says: its content, with the subject where that is one word.
func statement(r state.Record) string {
	const enough = 2 // telling words
	if len(termsOf(r.Content)) >= enough {
		return r.Content
	}
	return mind.RecordText(r)
}

// takeSaying takes in what else says what goes: of a record everything, of the rest what the user has not said himself, such as answers
// and what tools gave back.
func (p *erasure) takeSaying() {
	if p.kind == "record" {
		p.takeStating(p.f.in)
		return
	}
	called := map[string]bool{}
	for _, msg := range p.kept.messages {
		switch {
		case p.messages[msg.key] || msg.v.Role == state.RoleUser:
		case isCall(msg.v):
			called[turnKey(msg)] = called[turnKey(msg)] || p.f.in(messageWords(msg.v))
		case p.f.in(messageWords(msg.v)):
			p.cutMessage(msg, p.f.in)
		}
	}
	p.takeCalls(called)
}

// noteCopies notes the sessions that have copies of what goes with a session: they were forked from it, or it from them.
func (p *erasure) noteCopies() {
	if p.bySentence() {
		return
	}
	type said struct{ turn, id, text string }
	gone, copied := map[said]bool{}, map[string]bool{}
	for _, msg := range p.kept.messages {
		gone[said{msg.v.Turn, msg.v.ID, msg.v.Text}] = gone[said{msg.v.Turn, msg.v.ID, msg.v.Text}] || p.messages[msg.key]
	}
	for _, msg := range p.kept.messages {
		if !p.messages[msg.key] && gone[said{msg.v.Turn, msg.v.ID, msg.v.Text}] {
			copied[sessionOf(msg.key)] = true
		}
	}
	p.copies = slices.Sorted(maps.Keys(copied))
}

// dropEmptyAffairs takes in affairs of which nothing is left that the user said or that was stored, unless somebody named them himself.
func (p *erasure) dropEmptyAffairs() {
	left, had := map[string]bool{}, map[string]bool{}
	for _, msg := range p.kept.messages {
		if msg.v.Affair != "" && msg.v.Role == state.RoleUser {
			had[msg.v.Affair] = had[msg.v.Affair] || p.messages[msg.key]
			left[msg.v.Affair] = left[msg.v.Affair] || !p.messages[msg.key]
		}
	}
	for _, r := range p.kept.records {
		if r.v.Affair != "" && r.v.Span == nil {
			had[r.v.Affair] = had[r.v.Affair] || p.records[r.key]
			left[r.v.Affair] = left[r.v.Affair] || !p.records[r.key]
		}
	}
	for _, a := range p.kept.affairs {
		shell := strings.HasPrefix(p.kind, "clear") && (a.v.TitleBy == state.AuthorRules || a.v.TitleBy == state.AuthorModel) // was emptied before, and its title tells of it
		told := p.f.in(a.v.Title) || slices.Contains(p.cuts[string(state.Affairs)+"/"+a.key], 0)
		if (had[a.v.ID] || shell) && !left[a.v.ID] && len(a.v.Absorbed) == 0 && (a.v.TitleBy != state.AuthorUser || told) {
			p.affairs[a.v.ID] = true
			p.takeAnswers(a.v.ID)
		}
	}
}

// takeAnswers takes in what else is filed under an affair that goes: the user has said none of it.
func (p *erasure) takeAnswers(affair string) {
	for _, msg := range p.kept.messages {
		if msg.v.Affair == affair {
			p.messages[msg.key] = true
		}
	}
}
