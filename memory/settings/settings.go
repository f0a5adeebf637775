package settings

import (
	"bytes"
	"context"
	"maps"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says what Documents work with. Store is required; the zero value of the rest is the default.
type Config struct {
	Store    store.Store
	Now      func() time.Time  // default time.Now in UTC
	Operator state.Settings    // what the process was started with; default state.DefaultSettings()
	Fixed    map[string]string // which of them no document changes, and who says so, such as "flag"; those that differ from the default always
}

// Documents are the settings in a store. They are safe for concurrent use.
type Documents struct {
	c     Config
	from  ledger.Reader
	fixed map[string]string

	mu     sync.Mutex
	global look
	own    map[string]own // by client/user/
}

// look is the global document as it was seen.
type look struct {
	at  time.Time // zero = never
	doc document
	set *Set // of a scope with no document of its own
}

// own is what is known of a user and his client.
type own struct {
	at      time.Time
	counted int64 // changes, before they were read
	set     *Set
}

// New makes Documents. It does no I/O.
func New(c Config) *Documents {
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().UTC() }
	}
	if c.Operator == (state.Settings{}) {
		c.Operator = state.DefaultSettings()
	}
	d := &Documents{c: c, from: ledger.Billed(c.Store), fixed: map[string]string{}, own: map[string]own{}}
	maps.Copy(d.fixed, c.Fixed)
	defaults := state.DefaultSettings()
	for _, name := range state.SettingNames() {
		if _, said := d.fixed[name]; !said && c.Operator.Get(name) != defaults.Get(name) {
			d.fixed[name] = Operator
		}
	}
	return d
}

type setKey struct{}

// ContextWith makes set the one of everything called with the context; nil takes away what was there.
func ContextWith(ctx context.Context, set *Set) context.Context {
	return context.WithValue(ctx, setKey{}, set)
}

// From returns the set of the turn that the context belongs to, nil outside one and when it could not be read: then In says why.
func From(ctx context.Context) *Set {
	set, _, _ := carried(ctx)
	return set
}

// carried returns what the context carries, as soon as it is there.
func carried(ctx context.Context) (set *Set, ok bool, err error) {
	switch c := ctx.Value(setKey{}).(type) {
	case *Set:
		return c, c != nil, nil
	case *looking:
		<-c.done
		return c.set, true, c.err
	}
	return nil, false, nil
}

// looking is a set that is being read.
type looking struct {
	done chan struct{}
	set  *Set
	err  error
}

// Begin is In for a turn that begins: the context carries the set, which may be read beside what the turn reads first. Whoever needs it waits.
// The trace has the set's notes. The caller calls wait before the turn is over.
func (d *Documents) Begin(ctx context.Context, scope state.Scope) (turn context.Context, wait func()) {
	ctx = ContextWith(ctx, nil)
	l := &looking{done: make(chan struct{})}
	look := func() {
		defer close(l.done)
		if l.set, l.err = d.In(ctx, scope); l.err != nil {
			return
		}
		for _, note := range l.set.Notes {
			state.TraceFrom(ctx).Note("settings: %s", note)
		}
	}
	if d.fresh(scope.Default(), d.c.Now()) != nil {
		look()
	} else {
		go look()
	}
	return context.WithValue(ctx, setKey{}, l), func() { <-l.done }
}

// How old what was read may be.
const (
	lookEvery = time.Second / 2  // the global document
	readEvery = 10 * time.Minute // those of a client and a user, while no change was counted
)

// mostUsers bounds of how many users it is kept what holds for them.
const mostUsers = 4096

// In returns what holds for a scope: within a turn what it began with, else what the store says. The Set is shared and must not be changed. When
// the store cannot be read it is what was known before, with a note in the trace; the error is of a scope that nothing is known of.
func (d *Documents) In(ctx context.Context, scope state.Scope) (*Set, error) {
	if set, ok, err := carried(ctx); ok {
		return set, err
	}
	scope = scope.Default()
	now := d.c.Now()
	if set := d.fresh(scope, now); set != nil {
		return set, nil
	}
	d.mu.Lock()
	global, known := d.global, d.own[scope.UserPrefix()]
	d.mu.Unlock()
	set, err := d.read(ctx, scope, now, global, known)
	switch {
	case err == nil:
		return set, nil
	case known.set == nil:
		return nil, err
	}
	state.TraceFrom(ctx).Note("settings: as they were known before, since they could not be read: %v", err)
	return known.set, nil
}

// fresh returns what is known of a scope and need not be read again, nil for nothing.
func (d *Documents) fresh(scope state.Scope, now time.Time) *Set {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.own[scope.UserPrefix()]
	if isFresh(d.global.at, now, lookEvery) && known.counted == d.global.doc.rev && isFresh(known.at, now, readEvery) {
		return known.set
	}
	return nil
}

// isFresh reports whether what was read at a time may still be used.
func isFresh(at, now time.Time, most time.Duration) bool {
	age := now.Sub(at)
	return !at.IsZero() && age >= 0 && age < most
}

// Known returns what held for a scope, or for everybody, when it was looked at last: no reading.
func (d *Documents) Known(scope state.Scope) *Set {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.own[scope.Default().UserPrefix()]; known.set != nil {
		return known.set
	}
	if d.global.set == nil {
		return d.resolve()
	}
	return d.global.set
}

// read reads what is not fresh: all three documents together for a scope that is new, else those of client and user only when the global
// one says that something was changed.
func (d *Documents) read(ctx context.Context, scope state.Scope, now time.Time, global look, known own) (*Set, error) {
	// The global document by itself, for one whose own are known.
	stale := !isFresh(global.at, now, lookEvery)
	if stale && isFresh(known.at, now, readEvery) {
		docs, err := ledger.Fetch(ctx, d.from, keyOf(ForAll, scope))
		if err != nil {
			return nil, err
		}
		if global, stale = d.keepGlobal(docs[0], now), false; known.counted == global.doc.rev {
			return known.set, nil
		}
	}

	// Those of client and user. What is counted while they are read is read again.
	counted, levels := global.doc.rev, []Level{ForClient, ForUser}
	if scope.User == state.ClientUser { // what a client's users share has no user
		levels = levels[:1]
	}
	if stale {
		levels = append(levels, ForAll)
	}
	refs := make([]ledger.Ref, len(levels))
	for i, level := range levels {
		refs[i] = keyOf(level, scope)
	}
	docs, err := ledger.Fetch(ctx, d.from, refs...)
	if err != nil {
		return nil, err
	}
	var layers []document
	for i, level := range levels {
		if level == ForAll {
			global = d.keepGlobal(docs[i], now)
		} else if doc := decode(level, docs[i]); doc.err != nil || len(doc.Values) > 0 {
			layers = append(layers, doc)
		}
	}
	set := global.set
	if len(layers) > 0 {
		set = d.resolve(append([]document{global.doc}, layers...)...)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.own) >= mostUsers {
		clear(d.own)
	}
	d.own[scope.UserPrefix()] = own{now, counted, set}
	return set, nil
}

// keepGlobal takes in the global document, and makes the set of all who have no other only when it has changed.
func (d *Documents) keepGlobal(doc store.Doc, now time.Time) look {
	d.mu.Lock()
	defer d.mu.Unlock()
	same := d.global.set != nil && bytes.Equal(d.global.doc.body, doc.Body)
	if d.global.doc.rev = doc.Rev; !same {
		d.global.doc = decode(ForAll, doc)
		d.global.set = d.resolve(d.global.doc)
	}
	d.global.at = now
	return d.global
}

// AtStart returns what a process that starts now works with: the operator's settings, with the values of the global document that count from
// the start of a process on; and which of them are fixed, with who says so.
func (d *Documents) AtStart(ctx context.Context) (state.Settings, map[string]string, error) {
	docs, err := ledger.Fetch(ctx, d.from, keyOf(ForAll, state.Scope{}))
	if err != nil {
		return d.c.Operator, d.fixed, err
	}
	s, fixed := d.c.Operator, maps.Clone(d.fixed)
	for name, value := range decode(ForAll, docs[0]).Values {
		canonical, process, err := state.SettingNamed(name)
		if _, is := fixed[canonical]; err != nil || !process || is {
			continue
		}
		if s.Set(canonical, value) == nil { // what is refused Set.Notes tells
			fixed[canonical] = string(ForAll)
		}
	}
	return s, fixed, nil
}
