package component

import (
	"maps"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// narrow applies the filters of retriever.WithDSLInfo to a query.
func narrow(q *memory.Query, filters map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(filters)) {
		var err error
		switch value := filters[key]; key {
		case "kinds":
			q.Kinds, err = kindsOf(value, q.Kinds)
		case "from":
			q.From, err = moment(key, value)
		case "to":
			q.To, err = moment(key, value)
		case "as_of":
			q.AsOf, err = moment(key, value)
		default:
			err = state.Errorf(state.Invalid, "retriever filter "+key, "is unknown; use kinds, from, to or as_of")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// kindsOf reads a list of kinds, each of which must be among the allowed ones when there are any.
func kindsOf(value any, allowed []state.RecordKind) ([]state.RecordKind, error) {
	const op = "retriever filter kinds"
	var kinds []state.RecordKind
	switch list := value.(type) {
	case []state.RecordKind:
		kinds = slices.Clone(list)
	case []string:
		for _, k := range list {
			kinds = append(kinds, state.RecordKind(k))
		}
	case []any: // as JSON is read
		for _, k := range list {
			name, ok := k.(string)
			if !ok {
				return nil, state.Errorf(state.Invalid, op, "holds a %T; give strings", k)
			}
			kinds = append(kinds, state.RecordKind(name))
		}
	default:
		return nil, state.Errorf(state.Invalid, op, "is a %T; give a list of strings", value)
	}
	if len(kinds) == 0 {
		return nil, state.Errorf(state.Invalid, op, "is empty; leave it out for all kinds")
	}
	for _, k := range kinds {
		if len(allowed) > 0 && !slices.Contains(allowed, k) {
			return nil, state.Errorf(state.Denied, op, "names %q; this retriever finds only %v", k, allowed)
		}
	}
	return kinds, known(op, kinds)
}

// moment reads a time.
func moment(key string, value any) (time.Time, error) {
	op := "retriever filter " + key
	switch v := value.(type) {
	case time.Time:
		return v, nil
	case string:
		at, err := time.Parse(time.RFC3339, v)
		if err != nil {
			return at, state.Errorf(state.Invalid, op, "is %.40q; write it like 2026-03-01T12:00:00Z", v)
		}
		return at, nil
	}
	return time.Time{}, state.Errorf(state.Invalid, op, "is a %T; give a time.Time or a string like 2026-03-01T12:00:00Z", value)
}
