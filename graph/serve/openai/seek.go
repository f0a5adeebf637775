package openai

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// sought is what is there of the sessions that began with a talk's first message, for a client that names none.
type sought struct {
	root   string
	newest int    // the number of the last one, 0 = there is none
	best   int    // of the one that has most of the history, 0 = none has any
	cut    string // else the session that has all of the history, behind what the client has left out
}

// seek looks for the session of a client that names none. That reads many, so nobody waits for it: what it found is looked at again by choose.
func (f *Face) seek(ctx context.Context, scope state.Scope, t talk) (s sought, err error) {
	if t.after != "" || t.session != "" {
		return s, nil
	}
	first := t.exchanges[0]
	if first.said == "" && len(first.parts) == 0 {
		return s, refuse("messages", "begins with results of tools; send the message of the user before them, or name the session")
	}
	s.root = "chat-" + sum(append([]string{bare(first.said)}, urls(first.parts)...)...)[:16]
	all, err := f.c.Graph.Memory().Sessions().List(ctx, scope)
	if err != nil {
		return s, err
	}
	numbers := []int{0}
	for _, session := range all {
		if n, ok := numberOf(s.root, session.ID); ok {
			numbers = append(numbers, n)
		}
	}
	slices.SortFunc(numbers, func(a, b int) int { return b - a })
	s.newest = numbers[0]
	if !t.brings() {
		return s, nil
	}
	const most = 64 // that are looked at
	if _, s.best, err = f.compare(ctx, scope, t, s.root, numbers[:min(len(numbers)-1, most)]); err == nil && s.best == 0 {
		s.cut, err = f.seekCut(ctx, scope, t, all)
	}
	return s, err
}

// seekCut returns which of the last sessions has all of a history, behind what the client has left out; "" = none. One exchange is too little to know a talk by.
func (f *Face) seekCut(ctx context.Context, scope state.Scope, t talk, sessions []state.Session) (string, error) {
	const most, least = 32, 2
	for _, session := range sessions[:min(len(sessions), most)] {
		have, err := f.load(ctx, scope, session.ID)
		if err != nil {
			return "", err
		}
		if p, ok := f.matchCut(have, t); ok && p.n >= least {
			return session.ID, nil
		}
	}
	return "", nil
}

// seekFork returns which fork of the session that a client names has all of its history, behind what it has left out; "" = none.
func (f *Face) seekFork(ctx context.Context, scope state.Scope, t talk) (string, error) {
	all, err := f.c.Graph.Memory().Sessions().List(ctx, scope)
	if err != nil {
		return "", err
	}
	var forks []state.Session
	for _, session := range all {
		if strings.HasPrefix(session.ID, forkPrefix(t.session)) {
			forks = append(forks, session)
		}
	}
	return f.seekCut(ctx, scope, t, forks)
}

// compare returns the place in that of some sessions which has most of a talk's history, and the session's number, 0 = none has any.
func (f *Face) compare(ctx context.Context, scope state.Scope, t talk, root string, numbers []int) (best place, at int, err error) {
	for _, n := range numbers {
		t.session = numbered(root, n)
		p, err := f.walk(ctx, scope, t)
		if err != nil {
			return best, 0, err
		}
		if p.was != nil && p.was.over && !p.was.took(p.talk.last().results) { // they came from elsewhere
			continue
		}
		if (p.n > 0 || p.was != nil) && (at == 0 || p.better(best)) {
			best, at = p, n
		}
	}
	return best, at, nil
}

// choose returns the place in the session that was found, or in one that has begun since, or the next one of the same beginning.
func (f *Face) choose(ctx context.Context, c Caller, scope state.Scope, t talk, s sought) (place, error) {
	var numbers []int
	if s.best > 0 {
		numbers = []int{s.best}
	}
	for { // sessions are listed when their first turn has ended
		have, err := f.load(ctx, scope, numbered(s.root, s.newest+1))
		if err != nil {
			return place{}, err
		}
		if len(have) == 0 {
			break
		}
		s.newest++
		numbers = slices.Insert(numbers, 0, s.newest)
	}

	next := place{talk: t, session: numbered(s.root, s.newest+1), id: lastID("", t)}
	if t.brings() {
		if p, at, err := f.compare(ctx, scope, t, s.root, numbers); err != nil || at > 0 {
			return p, err
		}
		if s.cut != "" {
			t.session = s.cut
			return f.walk(ctx, scope, t)
		}
		return next, nil
	}

	// A first message alone begins another session, unless its answer was not heard.
	if s.newest == 0 {
		return next, nil
	}
	t.session = numbered(s.root, s.newest)
	p, err := f.walk(ctx, scope, t)
	scope.Session = t.session
	again := p.was != nil && p.fork == "" && len(p.have) == 1 && (t.retried || t.key != "" || !p.was.over || c.Lost(scope, p.was.turn))
	if err != nil || again {
		return p, err
	}
	return next, nil
}

func numbered(root string, n int) string {
	if n == 1 {
		return root
	}
	return root + "-" + strconv.Itoa(n)
}

// numberOf returns the number of a session of that beginning. A fork has none, also where its sum is made of digits alone.
func numberOf(root, session string) (int, bool) {
	rest, ok := strings.CutPrefix(session, root)
	if !ok || rest == "" {
		return 1, ok
	}
	if len(rest) > forkDigits {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimPrefix(rest, "-"))
	return n, err == nil && numbered(root, n) == session
}
