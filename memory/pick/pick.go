package pick

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Item is one of a list. Title may be empty; Number is its place in the list as it is printed, 0 for none.
type Item struct {
	ID     string
	Title  string
	Number int
}

const (
	leastID   = 4 // characters of an id that may stand for it
	leastPart = 2 // characters of a title that may stand for it
	mostNamed = 8 // items that an error names
)

// One returns the id of the item that name means. What says what the items are, in a word. No such item is state.ErrNotFound,
// several are state.ErrConflict; the error names those that are meant or near.
func One(what, name string, items []Item) (string, error) {
	name = strings.TrimSpace(name)
	folded := text.Fold(name)
	for _, means := range []func(Item) bool{
		func(i Item) bool { return i.ID == name },
		func(i Item) bool {
			return i.Number > 0 && strconv.Itoa(i.Number) == name || folded != "" && text.Fold(i.Title) == folded
		},
		func(i Item) bool {
			return !isNumber(name) && (len(name) >= leastID && strings.HasPrefix(i.ID, name) ||
				utf8.RuneCountInString(folded) >= leastPart && strings.Contains(text.Fold(i.Title), folded))
		},
	} {
		switch found := distinct(items, means); len(found) {
		case 0:
		case 1:
			return found[0].ID, nil
		default:
			return "", state.Errorf(state.Conflict, what+" "+name, "may be any of: %s; give more of it, or the whole id", listed(found, shortOf(what, items)))
		}
	}
	return "", state.Errorf(state.NotFound, what+" "+name, "there is no such %s; there are: %s", what, listed(nearest(items, folded), shortOf(what, items)))
}

// isNumber reports whether a name is a few digits.
func isNumber(name string) bool {
	return len(name) < leastID && strings.Trim(name, "0123456789") == ""
}

// distinct returns the items that are meant, each id once.
func distinct(items []Item, means func(Item) bool) (found []Item) {
	for _, i := range items {
		if means(i) && !slices.ContainsFunc(found, func(f Item) bool { return f.ID == i.ID }) {
			found = append(found, i)
		}
	}
	return found
}

// nearest returns the items whose titles are most like a name, the likest first.
func nearest(items []Item, name string) []Item {
	shared := map[string]int{}
	for _, i := range items {
		shared[i.ID] = text.SharedParts(name, text.Fold(i.Title))
	}

	items = slices.Clone(items)
	slices.SortStableFunc(items, func(a, b Item) int { return shared[b.ID] - shared[a.ID] })
	return items
}

// Listed names the first items in a line: by their titles, with whole ids.
func Listed(items []Item) string { return listed(items, func(id string) int { return len(id) }) }

// shortOf is how much of an id tells it apart from those of the others, and names it here. Sessions are named in many places, in some by whole ids only.
func shortOf(what string, items []Item) func(id string) int {
	if what == "session" {
		return func(id string) int { return len(id) }
	}
	return func(id string) int {
		length := leastID
		for _, i := range items {
			shared := 0
			for shared < min(len(i.ID), len(id)) && i.ID[shared] == id[shared] {
				shared++
			}
			if i.ID != id {
				length = max(length, shared+1)
			}
		}
		for length < len(id) && !utf8.RuneStart(id[length]) {
			length++
		}
		return min(length, len(id))
	}
}

// listed names the first items in a line, each with as much of its id as is to be shown.
func listed(items []Item, short func(id string) int) string {
	names := []string{}
	for _, i := range items[:min(mostNamed, len(items))] {
		id := i.ID[:short(i.ID)]
		if i.Title == "" {
			names = append(names, id)
			continue
		}
		names = append(names, quote.Line(i.Title)+" ("+id+")")
	}
	if len(names) == 0 {
		return "none yet"
	}
	return strings.Join(names, ", ")
}
