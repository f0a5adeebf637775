package openai

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// place is where a talk goes on: a session, and how far it has what the client sent.
type place struct {
	talk    talk // as the session has it
	session string
	have    []kept
	n       int    // exchanges of the client's history that are there
	at      int    // the place in have behind them
	id      string // of the turn to be made
	was     *kept  // that turn, where it is there
	fork    string // session to be made, behind what both have; "" = the talk goes on in this one

	names []string // of the talk's turns
}

// whole reports whether the session has all that came before, and nothing else.
func (p place) whole() bool { return p.fork == "" && p.n == len(p.talk.exchanges)-1 }

// better orders places: where the turn waits, where all is there, where most is.
func (p place) better(o place) bool {
	rank := func(p place) int {
		switch {
		case p.was != nil && !p.was.over:
			return math.MaxInt
		case p.whole():
			return math.MaxInt - 1
		}
		return p.n
	}
	return rank(p) > rank(o)
}

// locate finds where a talk goes on, with what was sought before. It writes nothing.
func (f *Face) locate(ctx context.Context, c Caller, scope state.Scope, t talk, s sought) (place, error) {
	switch {
	case t.after != "":
		return f.behind(ctx, scope, t)
	case t.session != "" && (!t.brings() || t.exchanges[0].bare() && len(t.exchanges) == 2): // results, and a message behind them
		return f.unseen(ctx, c, scope, t)
	case t.session != "":
		p, err := f.walk(ctx, scope, t)
		if err != nil || p.fork == "" || p.n > 0 {
			return p, err
		}
		if t.session, err = f.seekFork(ctx, scope, t); err != nil || t.session == "" {
			return p, err
		}
		return f.walk(ctx, scope, t)
	}
	return f.choose(ctx, c, scope, t, s)
}

// load returns what a session has.
func (f *Face) load(ctx context.Context, scope state.Scope, session string) ([]kept, error) {
	scope.Session = session
	said, err := f.c.Graph.Memory().Messages(ctx, scope)
	return keptOf(said), err
}

// behind finds the place behind a turn that the client names.
func (f *Face) behind(ctx context.Context, scope state.Scope, t talk) (p place, err error) {
	p.talk, p.session, p.id = t, t.session, lastID(t.after, t)
	have, err := f.load(ctx, scope, t.session)
	if err != nil {
		return p, err
	}
	at := slices.IndexFunc(have, func(k kept) bool { return k.turn == t.after })
	if at < 0 {
		return p, noResponse("previous_response_id", responseID(t.session, t.after, ""))
	}
	p.have, p.at, p.n = have, at+1, len(t.exchanges)-1
	if t.last().bare() { // results alone
		p.was, p.id = &have[at], have[at].turn
		return p, nil
	}
	if rest := have[at+1:]; len(rest) > 0 && rest[0].is(p.id) {
		p.was = &rest[0]
	} else if slices.ContainsFunc(rest, func(k kept) bool { return k.over }) {
		p.fork = forkName(t.session, p.id)
		there, err := f.load(ctx, scope, p.fork)
		if err != nil || len(there) == 0 {
			return p, err
		}
		p.session, p.have, p.at, p.fork = p.fork, there, len(there), ""
		if i := slices.IndexFunc(there, func(k kept) bool { return k.is(p.id) }); i >= 0 {
			p.was, p.at = &there[i], i
		}
	}
	return p, nil
}

// unseen finds the place of a message that comes without what was said before, in a session that the client names: behind all.
func (f *Face) unseen(ctx context.Context, c Caller, scope state.Scope, t talk) (p place, err error) {
	p.talk, p.session = t, t.session
	if p.have, err = f.load(ctx, scope, t.session); err != nil {
		return p, err
	}
	p.at = len(p.have)
	if t.last().bare() {
		if p.at == 0 {
			return p, refuse("tool_call_id", "is none of a call in session %s", t.session)
		}
		p.at--
		p.was, p.id = &p.have[p.at], p.have[p.at].turn
		return p, nil
	}

	// Two equal messages in a row are two, unless the client has not heard the answer to the first.
	before := lastID(strconv.Itoa(p.at-1), t)
	if t.key != "" {
		before = lastID("", t)
	}
	p.id = lastID(strconv.Itoa(p.at), t)
	if t.key != "" {
		p.id = before
	}
	scope.Session = t.session
	for i := range p.have {
		k := &p.have[i]
		again := t.key != "" || i == len(p.have)-1 && (t.retried || !k.over || c.Lost(scope, k.turn))
		if again && k.is(before) {
			p.was, p.id, p.at = k, k.turn, i
		}
	}
	return p, nil
}

// lastID is the name of the turn of the last exchange.
func lastID(from string, t talk) string {
	all := ids(from, t.exchanges)
	id := all[len(all)-1]
	if t.key != "" {
		id = "oa-" + sum(id, t.key)
	}
	if t.format != nil { // the same question in another form is another one
		id = "oa-" + sum(id, string(t.format))
	}
	return id
}

// walk finds the place of a talk by its history, in the session that it names and the forks of it.
func (f *Face) walk(ctx context.Context, scope state.Scope, sent talk) (place, error) {
	const most = 64 // forks of forks
	for session, depth := sent.session, 0; depth < most; depth++ {
		have, err := f.load(ctx, scope, session)
		if err != nil {
			return place{}, err
		}
		p := f.match(have, sent, 0)
		if p.n < len(p.talk.exchanges)-1 {
			if cut, ok := f.matchCut(have, sent); ok {
				p = cut
			}
		}
		p.session = session
		t, id, rest := p.talk, p.id, p.have[p.at:]
		if p.n == len(t.exchanges)-1 {
			goesOn := t.last().choice != "" || len(t.last().results) > 0 // a turn that may have begun without its history
			is := func(k kept) bool { return k.is(id) || goesOn && k.says(*t.last(), id, f.mask) }
			if i := slices.IndexFunc(rest, is); i >= 0 && !slices.ContainsFunc(rest[:i], func(k kept) bool { return k.over }) {
				p.was, p.id, p.at = &rest[i], rest[i].turn, p.at+i
				return p, nil
			}
		}
		i := slices.IndexFunc(rest, func(k kept) bool { return k.over })
		if i < 0 {
			p.at = len(p.have)
			return p, nil
		}

		// It has gone on otherwise: is there a fork that has gone on like this?
		e := t.exchanges[p.n]
		differs := p.names[p.n]
		switch alike := rest[i].is(differs) || same(e.said, rest[i].said, f.mask); {
		case p.n == len(t.exchanges)-1:
			differs = id
		case alike:
			differs = sum(differs, bare(e.answer))
		}
		fork := forkName(t.session, differs)
		there, err := f.load(ctx, scope, fork)
		if err != nil || len(there) == 0 || fork == session {
			p.fork = fork
			return p, err
		}
		session = fork
	}
	return place{}, state.Errorf(state.Conflict, "session "+sent.session, "has more forks of forks than are followed; begin another one")
}

// match compares a talk with what a session has from one of its exchanges on.
func (f *Face) match(have []kept, sent talk, from int) place {
	t := sent.decide(have[from:], f.mask)
	p := place{talk: t, have: have, id: lastID("", t), names: ids("", t.exchanges)}
	p.n, p.at = f.follow(have[from:], t.exchanges, p.names)
	p.at += from
	return p
}

// matchCut finds the place of a talk whose client has no room for all of its history, and leaves out the beginning. All that it sends stands in the session then.
func (f *Face) matchCut(have []kept, sent talk) (p place, ok bool) {
	const most = 16 // places that begin like it
	first := sent.exchanges[0]
	if first.bare() || !first.over {
		return p, false
	}
	said, masked := bare(first.said), bare(f.mask(first.said))
	for from, tried := len(have)-1, 0; from > 0 && tried < most && !ok; from-- {
		if stored := bare(have[from].said); stored == said || stored == masked {
			p = f.match(have, sent, from)
			ok = p.n > 0 && p.n == len(p.talk.exchanges)-1
			tried++
		}
	}
	return p, ok
}

// follow compares a client's history with what a session has, and returns how many exchanges both have, and where that is in the session.
func (f *Face) follow(have []kept, sent []exchange, names []string) (n, at int) {
	for n < len(sent)-1 {
		i, _ := next(have, at, sent[n], names[n], f.mask)
		if i == len(have) {
			break
		}
		known := i+1 < len(have) && (have[i+1].is(names[n+1]) || have[i+1].follows(names[n], sent[n].answer))
		if !known && !have[i].matches(sent[n], names[n], f.mask) {
			break
		}
		n, at = n+1, i+1
	}
	return n, at
}

func (f *Face) mask(text string) string { return f.c.Graph.Memory().Mask(text) }

// forkDigits is how long the sum is that a fork's name ends with.
const forkDigits = 10

// forkName is the name of a fork, made of the session's and of what differs.
func forkName(session, differs string) string {
	return forkPrefix(session) + sum(session, differs)[:forkDigits]
}

// forkPrefix begins the names of a session's forks.
func forkPrefix(session string) string {
	const most = 96 // an id has 128 bytes
	return strings.TrimSpace(strings.ToValidUTF8(session[:min(len(session), most)], "")) + "-"
}
