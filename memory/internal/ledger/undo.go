package ledger

import (
	"context"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
)

// Undone returns a document as it stands, without what the change did to it: before and after are what it was then. What was changed in
// other fields since, or in other items of a list, stays. Clash names the fields in which it cannot tell, since what the change put there
// is not there any more. A nil body is no document.
func (c Change) Undone(before, after, now bson.Raw) (body bson.Raw, clash []string, err error) {
	switch {
	case same(now, before): // taken back already
		return now, nil, nil
	case same(now, after):
		return before, nil, nil
	case c.New || c.Gone || now == nil:
		return nil, []string{"the whole"}, nil
	}
	var doc bson.D
	if err := bson.Unmarshal(now, &doc); err != nil {
		return nil, nil, state.Errorf(state.Internal, string(c.Ref.Collection)+" "+c.Ref.ID, "is damaged: %w", err)
	}
	for _, f := range c.Fields {
		was, is, stands := before.Lookup(f.Name), after.Lookup(f.Name), now.Lookup(f.Name)
		switch {
		case stands.Equal(is):
			doc = set(doc, f.Name, was)
		case stands.Equal(was) || ownWork(c.Ref.Collection, f.Name):
		default:
			list, ok := unspliced(f, is, stands)
			if !ok {
				clash = append(clash, f.Name)
			}
			doc = set(doc, f.Name, list)
		}
	}
	body, err = bson.Marshal(doc)
	return body, clash, err
}

// same reports whether two bodies hold the same, the ledger's notes aside.
func same(a, b bson.Raw) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	fields, err := differing(a, b)
	return err == nil && len(fields) == 0
}

// set gives a field a value; a zero one takes it out.
func set(doc bson.D, name string, v bson.RawValue) bson.D {
	at := slices.IndexFunc(doc, func(e bson.E) bool { return e.Key == name })
	switch {
	case v.Type == 0 && at < 0:
		return doc
	case v.Type == 0:
		return slices.Delete(doc, at, at+1)
	case at < 0:
		return append(doc, bson.E{Key: name, Value: v})
	}
	doc[at].Value = v
	return doc
}

// unspliced returns a list as it stands with the items back that a change took out, in place of those that it put in; these must
// stand in one run, and where it put none in, what stood before them must. What is no list is not told.
func unspliced(f Field, is, stands bson.RawValue) (bson.RawValue, bool) {
	was, wasList := items(f.Was)
	after, isList := items(is)
	now, ok := items(stands)
	if !f.List { // the whole list was put there
		f.Put = len(after)
	}

	if !ok || !wasList && !isList || f.Tail > 0 || f.At+f.Put > len(after) {
		return stands, false
	}

	run, put := after[f.At:f.At+f.Put], 0
	if f.Put == 0 && f.At > 0 { // they come behind what they stood behind
		run, put = after[f.At-1:f.At], 1
	}

	for i := 0; i+len(run) <= len(now); i++ {
		if slices.EqualFunc(now[i:i+len(run)], run, bson.RawValue.Equal) {
			return listOf(slices.Concat(now[:i+put], was, now[i+len(run):])), true
		}
	}
	return stands, false
}

// restore makes a document what it was, if it stands at the revision that the effect knows.
func (b *batch) restore(ctx context.Context, e state.Effect) error {
	switch e.Restore.Collection {
	case state.Records:
		return restoreAs[state.Record](ctx, b, e)
	case state.Affairs:
		return restoreAs[state.Affair](ctx, b, e)
	case state.Suggestions:
		return restoreAs[state.Suggestion](ctx, b, e)
	}
	return state.Errorf(state.Internal, "restore "+string(e.Restore.Collection)+" "+e.Restore.ID, "only records, affairs and suggestions can be restored")
}

func restoreAs[T any](ctx context.Context, b *batch, e state.Effect) error {
	r := e.Restore
	v, s, err := open[T](ctx, b, Ref{r.Collection, e.Scope.Key(r.ID)})
	if err != nil {
		return err
	}
	if s.body == nil && r.Body == nil { // it is gone already
		s.body, s.gone, s.edited = r.Was, true, true
		s.takeBy(e)
		s.changed = false
		return nil
	}
	if reaches(s.had, e.From) && e.From.Thread != "" {
		s.edited = true
		return nil
	}
	if s.rev != r.Rev {
		return state.Errorf(state.Conflict, "restore "+string(r.Collection)+" "+r.ID, "it has been changed meanwhile; try again")
	}
	if held, is := any(v).(*state.Record); is && held.Held != nil {
		return state.Errorf(state.Conflict, "restore "+string(r.Collection)+" "+r.ID, "the record is held; release it first")
	}
	s.takeBy(e)
	if s.gone = r.Body == nil; s.gone {
		return nil
	}
	*v = *new(T)
	if err := bson.Unmarshal(r.Body, v); err != nil {
		return state.Errorf(state.Internal, "restore "+string(r.Collection)+" "+r.ID, "is damaged: %w", err)
	}
	if back, is := any(v).(*state.Record); is && back.Held != nil { // whoever takes changes back need not be one who may hold
		return state.Errorf(state.Conflict, "restore "+string(r.Collection)+" "+r.ID, "the record was held then; hold it anew")
	}
	return nil
}
