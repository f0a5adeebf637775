package pick

import "github.com/mneme-graph/mneme/state"

// Affairs are affairs as their list shows them: those that are not archived have a number. One that was merged goes by its id alone.
func Affairs(list []*state.Affair) []Item {
	n := 0
	return items(list, func(a *state.Affair) Item {
		switch {
		case a.MergedInto != "":
			return Item{ID: a.ID}
		case a.Status == state.Archived:
			return Item{ID: a.ID, Title: a.Title}
		}
		n++
		return Item{a.ID, a.Title, n}
	})
}

// Suggestions are suggestions as their list shows them: those that wait have a number.
func Suggestions(list []state.Suggestion) []Item {
	n := 0
	return items(list, func(s state.Suggestion) Item {
		if s.Status != state.Waiting {
			return Item{ID: s.ID}
		}
		n++
		return Item{ID: s.ID, Number: n}
	})
}

// Sessions are sessions as their list shows them, each with a number.
func Sessions(list []state.Session) []Item {
	n := 0
	return items(list, func(s state.Session) Item {
		n++
		return Item{s.ID, s.Title, n}
	})
}

// IDs are things that have no more than an id.
func IDs(ids ...string) []Item {
	return items(ids, func(id string) Item { return Item{ID: id} })
}

func items[T any](list []T, item func(T) Item) []Item {
	out := make([]Item, 0, len(list))
	for _, x := range list {
		out = append(out, item(x))
	}
	return out
}
