package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file is whether the user has said what binds from now on: a preference, a rule, who he is, a task.
//
// His words are looked for in the window, then in the rest of the session and in the messages of the affair in other sessions. What he has
// said there is taken together, but one of his messages must tell the core of it: in a long talk every word was said at some time. A
// message elsewhere counts if it says nearly all of it.
//
// What a model stores is a paraphrase. It is his if his names and his numbers stand in it and half of its words, and if next to none of it is only
// others'. In another language than his words it is his if he states such a thing now and nobody else says it.

// Bounds of what is looked through.
const (
	heardMost = 1000 // messages of the session
	askedMost = 25   // of what memory finds
	turnMost  = 16   // messages of a turn
)

// Parts of the words of a change.
const (
	core   = .5 // that one message of his must tell
	noun   = .3 // the same of a fact that nobody else tells: "no peanuts for me", "allergic to peanuts"
	others = 4  // one in so many may be only theirs
	nearly = 5  // one in so many may be missing
)

// grants reports whether the user has said what a change that binds says, or has ordered the task that it is.
func (b *basis) grants(c Change, f found) bool {
	if !c.Due.IsZero() {
		return b.orders(c)
	}
	n := len(f.says.Terms)
	switch {
	case f.exact || f.turned || b.misnames(c.Subject+". "+c.Content):
		return false
	case b.asked != "" && f.theirs == 0 && 2*(n-f.lacks+f.loose) >= n:
		return true // he says yes to what an answer has told
	case b.translates(c.Content):
		return f.theirs == 0 && (b.statesLike(c) || b.tells(f.says, 1./others))
	}

	part := core
	if c.Kind == state.FactRecord && f.theirs == 0 && !whose.Rules(c.Content) {
		part = noun
	}
	return b.tells(f.says, part) && others*f.theirs < n
}

// orders reports whether the user wants a task: he asks for it now and some of its title is his, or he has told the core of it and asked for it, or
// said that he has to, or told nearly all of it. The title is always a paraphrase, and its times are reckoned.
func (b *basis) orders(c Change) bool {
	const some, most = 3, 4
	title := cmp.Or(c.Subject, c.Content)
	f := b.find(whose.Read(title).Worded())
	switch n := len(f.says.Terms); {
	case (b.asked != "" || whose.Orders(b.now, f.says)) && (some*f.share() >= 1 || f.theirs == 0 && b.translates(title) && !b.misnames(title)):
		return true
	case others*f.theirs >= n || !b.tells(f.says, core) || b.misnames(title):
		return false
	default:
		return most*f.lacks <= n || slices.ContainsFunc(b.messages, func(own string) bool { return whose.Orders(own, f.says) || whose.Does(own, whose.Duty) })
	}
}

// tells reports whether one message of the user tells so much of it: what he only asks tells nothing.
func (b *basis) tells(says whose.Said, part float64) bool {
	if b.told == nil {
		for _, msg := range b.messages {
			b.told = append(b.told, whose.Read(whose.Told(msg)))
		}
		for _, line := range b.known {
			b.told = append(b.told, whose.Read(line))
		}
		b.told = append(b.told, whose.Read(b.asked))
	}
	n := len(says.Terms)
	return n > 0 && slices.ContainsFunc(b.told, func(t whose.Said) bool { return float64(n-len(t.Lacks(says))) >= part*float64(n) })
}

// misnames reports whether a text names somebody or something that the user has not named. In another language a name may be spelt otherwise:
// there must be as many of his.
func (b *basis) misnames(s string) bool {
	said, strange := b.said.read(), 0
	for _, name := range whose.Names(s) {
		if !said.HasName(name) {
			strange++
		}
	}
	if strange > 0 && b.translates(s) && text.Digits(s) == 0 {
		return strange > len(whose.Names(append(b.messages[:len(b.messages):len(b.messages)], b.known...)...))
	}
	return strange > 0
}

// translates reports whether a text is in another language than the user's words.
func (b *basis) translates(s string) bool {
	return text.Language(s, "en") != text.Language(strings.Join(b.messages, "\n"), "en")
}

// statesLike reports whether the user says something of the kind in this turn, in whatever language.
func (b *basis) statesLike(c Change) bool {
	if whose.Rules(c.Content) {
		return whose.Rules(b.now)
	}
	return whose.States(b.now)
}

// toldOnce reports whether a message of the user in another session says nearly all of it.
func (b *basis) toldOnce(c Change, f found) bool {
	says := f.says
	if !c.Due.IsZero() {
		says = says.Worded()
	}
	return len(says.Terms) > 0 && slices.ContainsFunc(b.ever, func(own string) bool {
		said := whose.Read(own)
		return whose.States(own) && nearly*len(said.Lacks(says)) <= len(says.Terms) && !said.LacksExact(says) && !says.Turns(said)
	})
}

// widen takes in what stands outside the window: the rest of the session, and what memory finds of it elsewhere.
func (m *Memory) widen(ctx context.Context, scope state.Scope, g *desk.Ground, b *basis, says whose.Said) {
	b.told = nil
	err := m.hearSession(ctx, scope, g, b)
	if err == nil {
		err = m.hearElsewhere(ctx, scope, g, b, says)
	}
	if err != nil {
		state.TraceFrom(ctx).Note("write: what the user said before could not be looked up: %v", err)
	}
}

// hearSession takes in the messages of the session before the turn that the window does not show.
func (m *Memory) hearSession(ctx context.Context, scope state.Scope, g *desk.Ground, b *basis) error {
	read, err := m.before(ctx, scope, g.View.Turn[0].Seq, heardMost)
	for _, msg := range read {
		seen := slices.ContainsFunc(g.View.Window, func(shown state.Message) bool { return shown.Seq == msg.Seq })
		switch {
		case seen || msg.Undone || msg.Unstored():
		case msg.Role == state.RoleUser:
			b.hearOwn(msg)
		default:
			b.hearOthers(msg, g.BuiltIn)
		}
	}
	return err
}

// hearOwn takes in a message of the user as those of the window are.
func (b *basis) hearOwn(msg state.Message) {
	own := b.hear(msg, false)
	b.messages = append(b.messages, own)
	b.said.add(own)
}

// before returns up to limit messages of the session before a number, the last one first.
func (m *Memory) before(ctx context.Context, scope state.Scope, seq int64, limit int) ([]state.Message, error) {
	from, err := m.desk.Reads(ctx, scope)
	if err != nil {
		return nil, err
	}
	return ledger.Scan[state.Message](ctx, from, store.Query{
		Collection: state.Messages, Prefix: scope.SessionKey() + "/", After: scope.MessageKey(seq), Limit: limit, Reverse: true,
	})
}

// hearElsewhere takes in what recall finds of a change: his words in the affair, and whose an answer's words are.
func (m *Memory) hearElsewhere(ctx context.Context, scope state.Scope, g *desk.Ground, b *basis, says whose.Said) error {
	hits, err := m.find(ctx, Query{Scope: scope, Text: strings.Join(says.Terms, " "), Limit: askedMost})
	for _, h := range hits {
		o, _ := compose.ParseOrigin(h.Of)
		switch msg := h.Message; {
		case h.Record != nil && h.Record.Span == nil:
			b.learn(h.Record.Trust, h.Text)
		case msg == nil:
			b.loose.add(h.Text)
		case o.ID == scope.Session: // the session was read
		case msg.Role != state.RoleUser:
			b.hearOthers(*msg, g.BuiltIn)
			err = cmp.Or(err, m.hearTurn(ctx, scope, o, *msg, g, b))
		case h.Affair != "" && h.Affair == g.View.Target:
			b.hearOwn(*msg)
		default:
			b.ever = append(b.ever, b.hear(*msg, false))
		}
	}
	return err
}

// hearTurn takes in what an answer in another session was made of: the results of its tools, and what the message brought.
func (m *Memory) hearTurn(ctx context.Context, scope state.Scope, o compose.Origin, answer state.Message, g *desk.Ground, b *basis) error {
	scope.Session = o.ID
	read, err := m.before(ctx, scope, answer.Seq, turnMost)
	for _, msg := range read {
		switch {
		case msg.Turn != answer.Turn:
		case msg.Role == state.RoleUser:
			b.hear(msg, false)
		default:
			b.hearOthers(msg, g.BuiltIn)
		}
	}
	return err
}
