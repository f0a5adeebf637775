package indextest

import (
	"math"
	"testing"

	"github.com/mneme-graph/mneme/memory/index"
)

func refuseCases() []check {
	return []check{
		{"entries", refuseEntries},
		{"queries", refuseQueries},
		{"owners", refuseOwners},
		{"a deletion of nothing", refuseNoIDs},
		{"spaces", refuseSpaces},
	}
}

// badVectors returns those that belong in no space of dimension dim.
func badVectors() map[string][]float32 {
	with := func(x float64) []float32 {
		v := axis(0)
		v[3] = float32(x)
		return v
	}
	return map[string][]float32{
		"no vector": nil, "too few dimensions": make([]float32, dim-1), "too many dimensions": append(axis(0), 1),
		"not a number": with(math.NaN()), "infinity": with(math.Inf(1)), "minus infinity": with(math.Inf(-1)), "all zero": make([]float32, dim),
	}
}

func refuseEntries(t *testing.T, o owner) {
	o.put(t, entry("kept", axis(0)))
	refuse := func(name string, e index.Entry) {
		t.Run(name, func(t *testing.T) {
			invalid(t, "Put", o.vectors.Put(t.Context(), o.name, e))
			invalid(t, "Put among good ones", o.vectors.Put(t.Context(), o.name, entry("kept", axis(0)), e, entry("kept", axis(0))))
		})
	}
	refuse("no id", entry("", axis(0)))
	for name, v := range badVectors() {
		refuse(name, entry("bad", v))
	}
	o.holds(t, entry("kept", nil))
}

func refuseQueries(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)))
	refuse := func(name string, q index.Query) {
		t.Run(name, func(t *testing.T) {
			hits, err := o.vectors.Search(t.Context(), o.name, q)
			invalid(t, "Search", err)
			if len(hits) > 0 {
				t.Errorf("Search = %v with an error", hits)
			}
		})
	}
	for name, v := range badVectors() {
		refuse(name, index.Query{Vector: v, Limit: 5})
	}
	refuse("no limit", index.Query{Vector: axis(0)})
	refuse("a limit below zero", index.Query{Vector: axis(0), Limit: -1})
	refuse("a limit above the greatest", index.Query{Vector: axis(0), Limit: 16385})
	refuse("more ids than there may be", index.Query{Vector: axis(0), Limit: 5, IDs: make([]string, index.MaxIDs+1)})
}

func refuseOwners(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)))
	for name, who := range map[string]index.Owner{
		"nobody": {}, "no client": {User: o.name.User}, "no user": {Client: "client"}, "a client with a slash": {Client: "client/x", User: "u"},
		"a user with a slash": {Client: "client", User: "x/" + o.name.User}, "a control character": {Client: "client", User: "a\nb"},
		"not UTF-8": {Client: "client", User: "a\xffb"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			invalid(t, "Put", o.vectors.Put(ctx, who, entry("b", axis(0))))
			invalid(t, "Put of nothing", o.vectors.Put(ctx, who))
			invalid(t, "Delete", o.vectors.Delete(ctx, who, "a"))
			_, err := o.vectors.Search(ctx, who, index.Query{Vector: axis(0), Limit: 5, Fresh: true})
			invalid(t, "Search", err)
			_, err = o.vectors.List(ctx, who)
			invalid(t, "List", err)
		})
	}
	o.holds(t, entry("a", nil))
}

func refuseNoIDs(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)))
	invalid(t, "Delete", o.vectors.Delete(t.Context(), o.name))
	invalid(t, "Delete", o.vectors.Delete(t.Context(), o.name, []string{}...))
	o.holds(t, entry("a", nil))
}

func refuseSpaces(t *testing.T, o owner) {
	for name, s := range map[string]index.Space{
		"no model": {Dim: dim}, "a blank model": {Model: " ", Dim: dim}, "no dimension": {Model: "m"},
		"a dimension below zero": {Model: "m", Dim: -1}, "too many dimensions": {Model: "m", Dim: 32769}, "a version below zero": {Model: "m", Dim: dim, Version: -1},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := o.shelf.Open(t.Context(), s)
			invalid(t, "Open", err)
			invalid(t, "Promote", o.shelf.Promote(t.Context(), s))
			_, err = o.shelf.Drop(t.Context(), s)
			invalid(t, "Drop of all but it", err)
		})
	}
}
