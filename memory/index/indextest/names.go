package indextest

import (
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

func nameCases() []check {
	return []check{
		{"ids", oddIDs},
		{"ids of 200 bytes", longIDs},
		{"kinds and sessions", oddFilters},
		{"hashes", oddHashes},
		{"owners", oddOwners},
	}
}

// oddNames returns what quoting, patterns and other people's query languages stumble over.
func oddNames() []string {
	return []string{
		`o'brien`, `say "hi"`, `back\slash`, `end\`, `\"`, `"`, `'`, `''`, `%`, `100%`, `%s%d`, `a_b`, `_`, `*`, `a*`, `?`, ` `, ` lead`, `trail `,
		`a b`, `[0]`, `{x}`, `{{.}}`, `null`, `true`, `0`, `-1`, `1e3`, `..`, `.`, `#`, `;--`, `a,b`, `in ["a"]`, `x" or user != "`, `x") || (1 == 1`,
		`žluťoučký kůň`, `Ёлка`, `żółć`, `注文`, `🚗`, "e\u0301", "\u00e9", "a\u200bb", "\u202e", "\ufeff", "A", "a", `@:.-_~`, `<b>&amp;`, "`",
	}
}

func oddIDs(t *testing.T, o owner) {
	names := append(oddNames(), "a/b", "/", "//", "$", "$set", "a\tb", "a\nb", "\x01", "\x7f")
	var entries []index.Entry
	for _, id := range names {
		entries = append(entries, entry(id, axis(0)))
	}
	o.put(t, entries...)
	o.holds(t, entries...)
	for _, id := range names {
		o.want(t, index.Query{Vector: axis(0), Limit: 99, IDs: []string{id}}, id)
	}
	for i, id := range names {
		if i%5 == 0 {
			o.delete(t, id)
			o.want(t, index.Query{Vector: axis(0), Limit: 99, IDs: []string{id}})
		}
	}
	if got, want := len(o.list(t)), len(names)-(len(names)+4)/5; got != want {
		t.Errorf("%d of %d ids are left, want %d", got, len(names), want)
	}
}

func longIDs(t *testing.T, o owner) {
	a, b := strings.Repeat("x", 199)+"a", strings.Repeat("x", 199)+"b"
	wide := strings.Repeat("ž", 100)
	o.put(t, entry(b, axis(0)), entry(a, axis(0)), entry(wide, axis(1)))
	o.want(t, index.Query{Vector: axis(0), Limit: 5}, a, b, wide)
	o.delete(t, a)
	o.holds(t, entry(b, nil), entry(wide, nil))
	o.want(t, index.Query{Vector: axis(0), Limit: 5, IDs: []string{a, wide}}, wide)
}

func oddFilters(t *testing.T, o owner) {
	var entries []index.Entry
	for _, name := range oddNames() {
		e := entry("k-"+name, axis(0))
		e.Kind, e.Session = name, "s-"+name
		entries = append(entries, e)
	}
	o.put(t, entries...)
	o.holds(t, entries...)
	for i, name := range oddNames() {
		if i%2 == 0 {
			o.want(t, index.Query{Vector: axis(0), Limit: 99, Kinds: []string{name}}, "k-"+name)
		} else {
			o.want(t, index.Query{Vector: axis(0), Limit: 99, Session: "s-" + name}, "k-"+name)
		}
	}
}

func oddHashes(t *testing.T, o owner) {
	var entries []index.Entry
	for _, name := range oddNames() {
		e := entry("h-"+name, axis(0))
		e.Hash = name
		entries = append(entries, e)
	}
	o.put(t, entries...)
	o.holds(t, entries...)
}

// oddOwners gives every owner one entry of the same id; the hash says whose it is. Each name is a user under one client and
// a client with one user.
func oddOwners(t *testing.T, o owner) {
	var all []owner
	for _, name := range oddNames() {
		if state.ValidateID("user", name) != nil { // nobody is called so
			continue
		}
		all = append(all, o.as("odd", name), o.as(name, "odd"))
	}
	mine := func(of owner) index.Entry {
		e := entry("same", axis(0))
		e.Hash = of.name.Client + " " + of.name.User
		return e
	}
	for _, of := range all {
		of.put(t, mine(of))
	}
	for _, of := range all {
		of.holds(t, mine(of))
		of.want(t, index.Query{Vector: axis(0), Limit: 99}, "same")
	}
	for i, of := range all {
		if i%4 < 2 {
			of.delete(t, "same")
		}
	}
	for i, of := range all {
		if i%4 < 2 {
			of.holds(t)
		} else {
			of.holds(t, mine(of))
		}
	}
}
