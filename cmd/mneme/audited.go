package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/state"
)

// This file says in words what a change did: to which affair or record, and what was there before.

// teller tells changes.
type teller struct {
	con   *console
	names map[string]string // of affairs and records, by id, as they are called today
}

// teller returns one for the user's memory; shared = for what all users of the client know.
func (o *opened) teller(ctx context.Context, con *console, shared bool) (teller, error) {
	names, err := o.titles(ctx)
	if err != nil {
		return teller{}, err
	}
	list := o.Memory().Shared
	if !shared {
		list = func(ctx context.Context, scope state.Scope) ([]state.Record, error) {
			return o.Memory().Records(ctx, scope)
		}
	}
	records, err := list(ctx, o.scope)
	for _, r := range records {
		names[r.ID] = recordText(r)
	}
	return teller{con, names}, err
}

// recordText returns what a record says: its subject comes first, where the content does not begin with it.
func recordText(r state.Record) string {
	if r.Subject == "" || strings.HasPrefix(r.Content, r.Subject) {
		return r.Content
	}
	return r.Subject + ": " + r.Content
}

// who made a change.
func (t teller) who(c history.Change) string {
	switch {
	case c.By.Who == state.ByUser && c.By.User != "":
		return c.By.User
	case c.By.Who == state.ByUser:
		return "you"
	case c.By.Who == state.ByAgent && c.Agent != "":
		return "agent " + c.Agent
	}
	return string(c.By.Who)
}

// did says what a change did, and to what.
func (t teller) did(c history.Change) string {
	const nameLetters = 40
	thing := strings.TrimSuffix(string(c.Kind), "s")
	name := t.names[c.ID]
	for _, f := range c.Fields { // of what is gone, and of a suggestion
		for _, v := range []bson.RawValue{f.After, f.Before} {
			if text, ok := v.StringValueOK(); ok && name == "" && slices.Contains([]string{"title", "content", "text"}, f.Name) {
				name = text
			}
		}
	}
	named := fmt.Sprintf("“%s”", clip(name, nameLetters))
	if name == "" {
		named = fmt.Sprintf("%s %.*s", thing, shortTurn, c.ID)
	}
	switch c.What {
	case "made":
		return "new " + strings.TrimPrefix(thing+" "+named, thing+" "+thing+" ")
	case "gone":
		return named + ": gone"
	}
	return named + ": " + cmp.Or(strings.Join(t.changes(c), "; "), "counted anew")
}

// changes says of each field that counts what was and what is.
func (t teller) changes(c history.Change) (out []string) {
	again := false
	for _, f := range c.Fields {
		switch f.Name {
		case "updated_at", "messages", "session", "title_by", "ended_in", "told_in", "links", "last_at": // they come along
			continue
		case "seen_at", "seen_in", "times":
			again = true
			continue
		case "replaced_by": // by one with the same words
			if id, ok := f.After.StringValueOK(); ok && t.names[id] != "" && t.names[id] == t.names[c.ID] {
				again = true
				continue
			}
		}
		name := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(f.Name, "key_"), "_actions"), "_", " ")
		if f.Name == "valid_to" {
			name = "ended"
		}
		before, list := t.elements(f.Before)
		after, list2 := t.elements(f.After)
		switch {
		case list || list2:
			out = append(out, listChange(name, before, after))
		case len(before) == 0 && len(after) == 0: // one kind of nothing for another
		case len(before) == 0:
			out = append(out, name+" "+after[0])
		case len(after) == 0:
			out = append(out, name+" was "+before[0])
		default:
			out = append(out, fmt.Sprintf("%s was %s, is %s", name, before[0], after[0]))
		}
	}
	switch {
	case again && c.By.Path == "undo":
		out = append([]string{"said once less"}, out...)
	case again:
		out = append([]string{"said again"}, out...)
	}
	return out
}

// plain writes a stored value as it is read, whole.
func (c *console) plain(v bson.RawValue) string {
	if text, ok := v.StringValueOK(); ok {
		return text
	}
	if at, ok := v.TimeOK(); ok {
		return c.at(at)
	}
	if array, ok := v.ArrayOK(); ok {
		values, err := array.Values()
		if err != nil {
			return "(damaged)"
		}
		var parts []string
		for _, x := range values {
			parts = append(parts, c.plain(x))
		}
		return strings.Join(parts, "; ")
	}
	if doc, ok := v.DocumentOK(); ok {
		elements, err := doc.Elements()
		if err != nil {
			return "(damaged)"
		}
		var parts []string
		for _, e := range elements {
			parts = append(parts, e.Key()+" "+c.plain(e.Value()))
		}
		if label, ok := doc.Lookup("label").StringValueOK(); ok && doc.Lookup("value").Type == bson.TypeString {
			return label + ": " + doc.Lookup("value").StringValue()
		}
		return strings.Join(parts, ", ")
	}
	return extended{v}.String()
}

// listChange says what came to a list and what went: a labelled one that has another value did neither.
func listChange(name string, before, after []string) string {
	var parts []string
	label := func(text string) string { l, _, _ := strings.Cut(text, ": "); return l }
	for _, x := range after {
		was := slices.IndexFunc(before, func(b string) bool { return label(b) == label(x) && label(x) != x })
		switch {
		case slices.Contains(before, x):
		case was >= 0:
			parts = append(parts, fmt.Sprintf("%s was %s", x, strings.TrimPrefix(before[was], label(x)+": ")))
		default:
			parts = append(parts, "+ "+x)
		}
	}
	for _, x := range before {
		if !slices.Contains(after, x) && !slices.ContainsFunc(after, func(a string) bool { return label(a) == label(x) && label(x) != x }) {
			parts = append(parts, "- "+x)
		}
	}
	return name + " " + strings.Join(parts, ", ")
}

// elements returns the parts of a stored value as they are read, and whether it is a list; none for no value.
func (t teller) elements(v bson.RawValue) (parts []string, list bool) {
	if v.Type == 0 || v.Type == bson.TypeNull {
		return nil, false
	}
	array, ok := v.ArrayOK()
	if !ok {
		return []string{t.value(v)}, false
	}
	values, err := array.Values()
	if err != nil {
		return []string{"(damaged)"}, true
	}
	for _, x := range values {
		parts = append(parts, t.value(x))
	}
	return parts, true
}

// value writes a stored value as it is read, shortened.
func (t teller) value(v bson.RawValue) string {
	const letters = 50
	if text, ok := v.StringValueOK(); ok {
		text = cmp.Or(t.names[text], text)
		if text == strings.ToUpper(text) { // a status
			return text
		}
		return "“" + clip(text, letters) + "”"
	}
	if at, ok := v.TimeOK(); ok {
		return t.con.at(at)
	}
	if doc, ok := v.DocumentOK(); ok {
		label, labelled := doc.Lookup("label").StringValueOK()
		if text, ok := doc.Lookup("value").StringValueOK(); ok && labelled {
			return label + ": " + clip(text, letters)
		}
	}
	return clip(extended{v}.String(), letters)
}

// line describes a change in a line, with its number.
func (t teller) line(c history.Change) string {
	what := strings.Join(t.changes(c), "; ")
	if c.What != "changed" || what == "" {
		what = t.did(c)
	}
	return fmt.Sprintf("%d, %s, %s: %s", c.Seq, t.con.at(c.At), t.who(c), what)
}
