package settings

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/limit"
	"github.com/mneme-graph/mneme/state/store"
)

// Edit is what is to be changed at one level.
type Edit struct {
	Set   map[string]string // values as state.Settings.Set reads them
	Unset []string
	By    string // who wants it, required
	Why   string
	Rev   int64 // where the document must stand, as Read says; 0 = wherever it does
}

// Bounds of the history in a document.
const (
	mostHistory  = 64 // changes
	pagedHistory = 32 // changes that go into a document of their own when there are more
)

// attempts bounds how often a change is made again because another one came first.
const attempts = 32

// Read returns what is set at a level, and the revision of its document.
func (d *Documents) Read(ctx context.Context, level Level, scope state.Scope) (values map[string]string, rev int64, err error) {
	doc, err := d.get(ctx, level, scope.Default())
	if err == nil {
		err = doc.err
	}
	return doc.Values, doc.rev, err
}

// get reads a document as it stands.
func (d *Documents) get(ctx context.Context, level Level, scope state.Scope) (document, error) {
	if err := checkPlace(level, scope); err != nil {
		return document{}, err
	}
	docs, err := ledger.Fetch(ctx, d.from, keyOf(level, scope))
	if err != nil {
		return document{}, err
	}
	doc := decode(level, docs[0])
	if doc.err != nil {
		doc.err = state.Errorf(state.Internal, string(state.Overrides)+" "+keyOf(level, scope).ID, "is damaged: %w", doc.err)
	}
	return doc, nil
}

// checkPlace refuses a level or a scope that there is none of.
func checkPlace(level Level, scope state.Scope) error {
	if level != ForAll && level != ForClient && level != ForUser {
		return state.Errorf(state.Invalid, "level "+string(level), "is not known; it is %s, %s or %s", ForAll, ForClient, ForUser)
	}
	return scope.Validate()
}

// Change changes what is set at a level, and says what it was before. All of the edit is done or nothing: an unknown name, a value that is
// refused, one that does not fit what else is set, or a setting of a process for a client or user is state.ErrInvalid. A turn may not call
// it: state.ErrDenied. Where Edit.Rev does not hold any more it is state.ErrConflict. A document that is damaged is made anew, and its
// history with it. Running processes see the change within a second.
func (d *Documents) Change(ctx context.Context, level Level, scope state.Scope, e Edit) (Change, error) {
	scope = scope.Default()
	if err := d.check(ctx, level, scope, &e); err != nil {
		return Change{}, err
	}
	for again := range attempts {
		c, err := d.change(ctx, level, scope, e)
		if !errors.Is(err, state.ErrConflict) || e.Rev > 0 || again == attempts-1 {
			return c, err
		}
	}
	return Change{}, nil // not reached
}

// check refuses an edit before anything is read, and puts canonical names into it.
func (d *Documents) check(ctx context.Context, level Level, scope state.Scope, e *Edit) error {
	if err := checkPlace(level, scope); err != nil {
		return err
	}
	switch {
	case From(ctx) != nil || state.EffectsFrom(ctx) != nil:
		return state.Errorf(state.Denied, "change settings", "a turn changes none; call it outside one")
	case strings.TrimSpace(e.By) == "":
		return state.Errorf(state.Invalid, "change settings", "say who changes them")
	case !utf8.ValidString(e.By + e.Why):
		return state.Errorf(state.Invalid, "change settings", "who or why is not valid UTF-8")
	case len(e.Set)+len(e.Unset) == 0:
		return state.Errorf(state.Invalid, "change settings", "says nothing to change")
	}
	if err := state.CheckSize("change settings: who and why", len(e.By)+len(e.Why), limit.StyleNoteBytes, "shorten it"); err != nil {
		return err
	}
	named := func(name string) (string, error) {
		canonical, process, err := state.SettingNamed(name)
		if err == nil && process && level != ForAll {
			err = errProcess(canonical, level)
		}
		return canonical, err
	}
	set := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(e.Set)) {
		canonical, err := named(name)
		if err != nil {
			return err
		}
		trial := state.DefaultSettings()
		if err := trial.Set(canonical, e.Set[name]); err != nil {
			return err
		}
		if err := state.CheckSize("setting "+canonical, len(trial.Get(canonical)), limit.NameBytes, "shorten it"); err != nil {
			return err
		}
		set[canonical] = trial.Get(canonical)
	}
	e.Set, e.Unset = set, slices.Clone(e.Unset)
	for i, name := range e.Unset {
		if canonical, _, err := state.SettingNamed(name); err == nil { // what this release does not know can go, too
			e.Unset[i] = canonical
		}
	}
	return nil
}

// change makes one attempt.
func (d *Documents) change(ctx context.Context, level Level, scope state.Scope, e Edit) (Change, error) {
	doc, err := d.get(ctx, level, scope)
	if err != nil {
		return Change{}, err
	}
	if doc.err != nil {
		doc = document{level: level, rev: doc.rev}
	}
	if e.Rev > 0 && e.Rev != doc.rev {
		return Change{}, state.Errorf(state.Conflict, "settings of level "+string(level), "stand at revision %d, not %d; read them again", doc.rev, e.Rev)
	}

	// What becomes different.
	c := Change{Number: 1, At: d.c.Now(), By: strings.TrimSpace(e.By), Why: e.Why}
	if n := len(doc.History); n > 0 {
		c.Number = doc.History[n-1].Number + 1
	}
	values := maps.Clone(doc.Values)
	if values == nil {
		values = map[string]string{}
	}
	maps.Copy(values, e.Set)
	for _, name := range e.Unset {
		if _, known := values[name]; !known {
			return Change{}, state.Errorf(state.NotFound, "setting "+name, "is not set with level %s", level)
		}
		delete(values, name)
	}
	c.Values = differing(doc.Values, values)
	if len(c.Values) == 0 {
		return Change{}, nil
	}
	if err := d.fits(ctx, level, scope, values); err != nil && len(e.Set) > 0 {
		return Change{}, err
	}
	doc.Values, doc.History = values, append(doc.History, c)
	return c, d.write(ctx, level, scope, doc)
}

// differing returns the settings whose values differ.
func differing(before, after map[string]string) []Changed {
	names := slices.Collect(maps.Keys(before))
	for name := range after {
		if _, had := before[name]; !had {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var out []Changed
	for _, name := range names {
		was, had := before[name]
		is, has := after[name]
		x := Changed{Name: name}
		if had {
			x.Before = &was
		}
		if has {
			x.After = &is
		}
		if had != has || was != is {
			out = append(out, x)
		}
	}
	return out
}

// fits refuses values that do not go with what the levels above say.
func (d *Documents) fits(ctx context.Context, level Level, scope state.Scope, values map[string]string) error {
	s := d.c.Operator
	for _, above := range []Level{ForAll, ForClient} {
		if above == level {
			break
		}
		doc, err := d.get(ctx, above, scope)
		if err != nil {
			return err
		}
		d.setAll(&s, doc.Values)
	}
	d.setAll(&s, values)
	return s.Validate()
}

// setAll sets what no operator has fixed, as far as it can be.
func (d *Documents) setAll(s *state.Settings, values map[string]string) {
	for name, value := range values {
		if d.fixed[name] == "" {
			_ = s.Set(name, value) // what is refused In leaves out and tells
		}
	}
}

// write writes a document, and what is too old of its history into one of its own. The revision of the global document counts the changes
// of all: with one of another level it is written too. Where the store has no transactions it comes last, so that whoever reads the count
// finds the change.
func (d *Documents) write(ctx context.Context, level Level, scope state.Scope, doc document) error {
	key := keyOf(level, scope)
	var page []store.Doc
	if len(doc.History) > mostHistory {
		old := document{History: doc.History[:pagedHistory]}
		body, err := bson.Marshal(old)
		if err != nil {
			return err
		}
		page = append(page, store.Doc{Collection: key.Collection, ID: key.ID + "/" + state.SeqKey(old.History[0].Number), Body: body})
		doc.History = doc.History[pagedHistory:]
	}
	own, err := doc.encode(key)
	if err != nil {
		return err
	}

	var counted []store.Doc
	if level != ForAll {
		doc, err := d.counted(ctx)
		if err != nil {
			return err
		}
		counted = append(counted, doc)
	}

	// All at once.
	if d.c.Store.Features().Atomic {
		return d.c.Store.Write(ctx, slices.Concat(page, []store.Doc{own}, counted)...)
	}

	// One after the other. The page may be there from an attempt that was cut short.
	if err := d.c.Store.Write(ctx, page...); err != nil && !errors.Is(err, state.ErrConflict) {
		return err
	}
	if err := d.c.Store.Write(ctx, own); err != nil {
		return err
	}
	err = d.c.Store.Write(ctx, counted...)
	for errors.Is(err, state.ErrConflict) {
		if counted[0], err = d.counted(ctx); err == nil {
			err = d.c.Store.Write(ctx, counted...)
		}
	}
	return err
}

// Erase deletes what is set for a user, or for all users of a client where the scope's user is state.ClientUser, and who changed it when. It
// returns how many documents there were. Running processes see it within a second, as they do a change.
func (d *Documents) Erase(ctx context.Context, scope state.Scope) (n int, err error) {
	if n, err = d.c.Store.Delete(ctx, state.Overrides, scope.UserPrefix()); err != nil {
		return n, err
	}
	for { // the count of changes, in whatever document that is
		docs, err := ledger.Fetch(ctx, d.from, keyOf(ForAll, state.Scope{}))
		if err != nil || docs[0].Body == nil { // nobody has ever set anything
			return n, err
		}
		if err = d.c.Store.Write(ctx, docs[0]); !errors.Is(err, state.ErrConflict) {
			return n, err
		}
	}
}

// counted returns the global document as it stands, to be written once more.
func (d *Documents) counted(ctx context.Context) (store.Doc, error) {
	key := keyOf(ForAll, state.Scope{})
	docs, err := ledger.Fetch(ctx, d.from, key)
	if err != nil {
		return store.Doc{}, err
	}
	doc := decode(ForAll, docs[0])
	if doc.err != nil {
		return store.Doc{}, state.Errorf(state.Internal, string(key.Collection)+" "+key.ID, "is damaged; set something with level %s first, which makes it anew: %w", ForAll, doc.err)
	}
	return doc.encode(key)
}

// encode returns the document as it is written.
func (d document) encode(key ledger.Ref) (store.Doc, error) {
	body, err := bson.Marshal(d)
	return store.Doc{Collection: key.Collection, ID: key.ID, Rev: d.rev, Body: body}, err
}

// History returns who changed what at a level, the newest first.
func (d *Documents) History(ctx context.Context, level Level, scope state.Scope) ([]Change, error) {
	scope = scope.Default()
	doc, err := d.get(ctx, level, scope)
	if err != nil {
		return nil, err
	}
	old, err := ledger.Scan[document](ctx, d.from, store.Query{Collection: state.Overrides, Prefix: keyOf(level, scope).ID + "/"})
	if err != nil {
		return nil, err
	}
	var all []Change
	for _, page := range append(old, doc) {
		for _, c := range page.History {
			if n := len(all); n == 0 || c.Number > all[n-1].Number { // what stands in both is told once
				all = append(all, c)
			}
		}
	}
	slices.Reverse(all)
	return all, doc.err
}
