package main

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/memory/pick"
	"github.com/mneme-graph/mneme/state"
)

// affairNamed returns the id of the affair that a person names, by its number in the list too; "" names none.
func (o *opened) affairNamed(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	all, err := o.Memory().Affairs().List(ctx, o.scope, true)
	if err != nil {
		return "", err
	}
	return pick.One("affair", name, pick.Affairs(all))
}

// sessionNamed returns the id of the session that a person names.
func (o *opened) sessionNamed(ctx context.Context, name string) (string, error) {
	all, err := o.Memory().Sessions().List(ctx, o.scope)
	if err != nil {
		return "", err
	}
	return pick.One("session", name, pick.Sessions(all))
}

// takeNamed makes the session that a flag names the one that is worked on: a whole id first, also one that has no more than a log, then a number of the
// list, the beginning of an id or a title. One that is not there keeps its name, so that each command says what it lacks. It is for commands
// that make no session: elsewhere a name may be that of a new one.
func (o *opened) takeNamed(ctx context.Context) error {
	if o.config.values["session"].origin != "flag" {
		return nil
	}
	turns, err := o.History(ctx, o.scope, checkpoint.Which{Limit: 1})
	if err != nil || len(turns) > 0 {
		return err
	}
	id, err := o.sessionNamed(ctx, o.scope.Session)
	switch state.CodeOf(err) {
	case "":
		o.scope.Session = id
	case state.NotFound:
		return nil
	}
	return err
}

// recordNamed returns the id of the record that a person names. One that is not there keeps its name: what erases it may have been cut short.
func recordNamed(name string, records []state.Record) (string, error) {
	items := []pick.Item{}
	for _, r := range records {
		items = append(items, pick.Item{ID: r.ID})
	}
	id, err := pick.One("record", name, items)
	if state.CodeOf(err) == state.NotFound {
		return name, nil
	}
	return id, err
}

// erasedNamed completes the names of the affair and the record that are to be erased. What is not there keeps its name.
func (o *opened) erasedNamed(ctx context.Context, w forget.What) (affair, record string, err error) {
	if affair, err = o.affairNamed(ctx, w.Affair); state.CodeOf(err) == state.NotFound {
		affair, err = w.Affair, nil
	}
	if err != nil || w.Record == "" {
		return affair, w.Record, err
	}
	records, err := o.Memory().Records(ctx, o.scope)
	if err != nil {
		return affair, w.Record, err
	}
	record, err = recordNamed(w.Record, records)
	return affair, record, err
}

// steps goes through the log of the session, the newest step first, from before a step on if w says so.
func (o *opened) steps(ctx context.Context, w checkpoint.Which) iter.Seq2[flow.Checkpoint, error] {
	w.Limit = 500 // a page
	return func(yield func(flow.Checkpoint, error) bool) {
		for {
			page, err := o.History(ctx, o.scope, w)
			if err != nil {
				yield(flow.Checkpoint{}, err)
				return
			}
			for _, c := range page {
				if w.Before = c.Seq; !yield(c, nil) {
					return
				}
			}
			if len(page) < w.Limit || w.Before <= 1 {
				return
			}
		}
	}
}

// turnNamed returns the id of the turn that a person names, of those of the session. A whole id wins at once.
func (o *opened) turnNamed(ctx context.Context, name string) (string, error) {
	var items []pick.Item
	for c, err := range o.steps(ctx, checkpoint.Which{}) {
		switch n := len(items); {
		case err != nil:
			return "", err
		case c.Turn == name:
			return name, nil
		case n == 0 || items[n-1].ID != c.Turn:
			items = append(items, pick.Item{ID: c.Turn})
		}
	}

	id, err := pick.One("turn", name, items)
	if state.CodeOf(err) == state.NotFound {
		return "", state.Errorf(state.NotFound, "turn "+name, "does not belong to session %s; `mneme history --session %s` lists them", o.scope.Session, o.scope.Session)
	}
	return id, err
}

// changesNamed completes the ids of a query for changes. What no change has stays as it is: nothing is found then.
func (o *opened) changesNamed(ctx context.Context, q history.Query) (history.Query, error) {
	if q.ID == "" && q.Turn == "" {
		return q, nil
	}
	changes, err := o.Memory().History().Audit(ctx, o.scope, history.Query{Shared: q.Shared})
	if err != nil {
		return q, err
	}
	var ids, turns []string
	for _, c := range changes {
		ids, turns = append(ids, c.ID), append(turns, c.By.Turn)
	}

	for _, named := range []struct {
		what string
		name *string
		of   []string
	}{{"record or affair", &q.ID, ids}, {"turn", &q.Turn, turns}} {
		id, err := pick.One(named.what, *named.name, pick.IDs(named.of...))
		switch state.CodeOf(err) {
		case "":
			*named.name = id
		case state.Conflict:
			return q, err
		}
	}
	return q, nil
}

// shortIDs returns the beginnings of ids by which a list tells them apart, and by which every command takes them. They have one length, four characters or
// more: those of records begin with the time, so that neighbours share much. A list passes all ids that its names are looked up among.
func shortIDs(ids ...string) map[string]string {
	const least = 4
	sorted := slices.Compact(slices.Sorted(slices.Values(ids)))
	length := least
	for i := 1; i < len(sorted); i++ {
		a, b := sorted[i-1], sorted[i]
		shared := 0
		for shared < min(len(a), len(b)) && a[shared] == b[shared] {
			shared++
		}
		length = max(length, shared+1)
	}

	short := map[string]string{}
	for _, id := range sorted {
		short[id] = strings.ToValidUTF8(id[:min(length, len(id))], "")
		if short[id] != id[:min(length, len(id))] { // cut inside a character
			short[id] = id
		}
	}
	return short
}

// shortAffairs returns short ids of the user's affairs.
func (o *opened) shortAffairs(ctx context.Context) (map[string]string, error) {
	all, err := o.Memory().Affairs().List(ctx, o.scope, true)
	return shortIDs(idsOf(all, func(x *state.Affair) string { return x.ID })...), err
}

// shortRecords returns short ids of the user's records.
func (o *opened) shortRecords(ctx context.Context) (map[string]string, error) {
	all, err := o.Memory().Records(ctx, o.scope)
	return shortIDs(idsOf(all, func(r state.Record) string { return r.ID })...), err
}

// idsOf returns the ids of a list.
func idsOf[T any](list []T, id func(T) string) []string {
	var ids []string
	for _, x := range list {
		ids = append(ids, id(x))
	}
	return ids
}

// numberOf returns an item's number as tables show it.
func numberOf(items []pick.Item, id string) string {
	for _, i := range items {
		if i.ID == id && i.Number > 0 {
			return strconv.Itoa(i.Number)
		}
	}
	return "-"
}

// titles returns the titles of the user's affairs, by id.
func (o *opened) titles(ctx context.Context) (map[string]string, error) {
	affairs, err := o.Memory().Affairs().List(ctx, o.scope, true)
	titles := map[string]string{}
	for _, a := range affairs {
		titles[a.ID] = a.Title
	}
	return titles, err
}
