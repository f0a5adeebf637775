package field

import (
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Field is one part of a graph's state. A node gets the state by value, changes fields of its copy and
// returns it; each field knows what was changed, so that the log writes only that. Fields are not safe
// for concurrent use; copies of one are independent, but only one of them, the committer's, may Merge or
// Apply. What a field holds is shared by the copies and must not be changed in place.
type Field interface {
	// Changed reports whether this copy was changed since it was handed to the node.
	Changed() bool
	// Merge takes over the changed part of from, a copy of the same field, and is itself unchanged after.
	Merge(from Field) error
	// Delta is the changed part as stored; a zero value means that the field is never stored.
	Delta() (bson.RawValue, error)
	// Apply takes over a stored delta.
	Apply(delta bson.RawValue) error
	// Whole is all of the field as one delta for an empty one; a zero value means that there is nothing to store.
	Whole() (bson.RawValue, error)
}

// Growing is a field whose deltas are items added to it: its whole is all of them in a row.
type Growing interface {
	Field
	Len() int
	// Before lets what this copy adds go in front of the last items of the field that it is merged into; 0 = at its end.
	Before(last int)
}

// Replaced is a field that holds one value: of what two nodes side by side set only one can stay.
type Replaced interface {
	Field
	IsSet() bool
}

// Named is a field under the name it has in the log. A state lists its fields in a fixed order.
type Named struct {
	Name  string
	Field Field
}

// Whole returns all of a state by the names of its fields, as it is stored; a field without anything to store is left out.
func Whole(fields []Named) (whole bson.D, err error) {
	for _, f := range fields {
		v, err := f.Field.Whole()
		if err != nil {
			return nil, err
		}
		if v.Type != 0 {
			whole = append(whole, bson.E{Key: f.Name, Value: v})
		}
	}
	return whole, nil
}

// Last keeps the value written last. Nodes side by side that both write it have to declare that, see flow.Node.Writes.
type Last[T any] struct {
	value        T
	set, changed bool
}

// Of returns a Last that holds v and counts as changed: for building an input.
func Of[T any](v T) Last[T] { return Last[T]{value: v, set: true, changed: true} }

// Get returns the value, the zero T before the first Set.
func (f *Last[T]) Get() T { return f.value }

// IsSet reports whether a value was ever written.
func (f *Last[T]) IsSet() bool { return f.set }

// Set writes a value.
func (f *Last[T]) Set(v T) { f.value, f.set, f.changed = v, true, true }

// Changed implements Field.
func (f *Last[T]) Changed() bool { return f.changed }

// Merge implements Field.
func (f *Last[T]) Merge(from Field) error {
	other, ok := from.(*Last[T])
	if !ok {
		return mismatch(f, from)
	}
	if other.changed {
		f.value, f.set = other.value, true
	}
	f.changed = false
	return nil
}

// Detach lets go of all but what was changed: to keep a node's result beyond its turn.
func (f *Last[T]) Detach() {
	if !f.changed {
		*f = Last[T]{}
	}
}

// Delta implements Field.
func (f *Last[T]) Delta() (bson.RawValue, error) { return marshal(f.value) }

// Apply implements Field.
func (f *Last[T]) Apply(delta bson.RawValue) error {
	var v T
	if err := delta.Unmarshal(&v); err != nil {
		return err
	}
	f.value, f.set, f.changed = v, true, false
	return nil
}

// Whole returns the value, or nothing when none was ever set.
func (f *Last[T]) Whole() (bson.RawValue, error) {
	if !f.set {
		return bson.RawValue{}, nil
	}
	return marshal(f.value)
}

// Append is a list that only grows; the log keeps each item once.
type Append[T any] struct {
	base   []T // shared between copies, never written behind its length by them
	added  []T
	before int // so many of the last items go behind the added ones
}

// inserted is the delta of items that do not go to the end.
type inserted[T any] struct {
	Before int `bson:"before"`
	Items  []T `bson:"items"`
}

// Items returns all items, oldest first. The slice belongs to the caller.
func (f *Append[T]) Items() []T {
	return append(append(make([]T, 0, len(f.base)+len(f.added)), f.base...), f.added...)
}

// Len counts the items.
func (f *Append[T]) Len() int { return len(f.base) + len(f.added) }

// Add appends items.
func (f *Append[T]) Add(items ...T) {
	f.added = append(f.added[:len(f.added):len(f.added)], items...)
}

// Changed implements Field.
func (f *Append[T]) Changed() bool { return len(f.added) > 0 }

// Before implements Growing.
func (f *Append[T]) Before(last int) { f.before = last }

// Merge implements Field.
func (f *Append[T]) Merge(from Field) error {
	other, ok := from.(*Append[T])
	if !ok {
		return mismatch(f, from)
	}
	f.insert(inserted[T]{other.before, other.added})
	f.added = nil
	return nil
}

// insert grows base in place at its end: only the committer's copy does it, and the others end at their own length.
// Anywhere else it takes a new one.
func (f *Append[T]) insert(in inserted[T]) {
	at := max(0, len(f.base)-in.Before)
	if at == len(f.base) {
		f.base = append(f.base, in.Items...)
		return
	}
	f.base = slices.Concat(f.base[:at], in.Items, f.base[at:])
}

// Detach lets go of all but what was changed: to keep a node's result beyond its turn.
func (f *Append[T]) Detach() { f.base = nil }

// Delta implements Field: the added items, oldest first, and where they go if that is not the end.
func (f *Append[T]) Delta() (bson.RawValue, error) {
	if f.before > 0 {
		return marshal(inserted[T]{f.before, f.added})
	}
	return marshal(f.added)
}

// Apply implements Field.
func (f *Append[T]) Apply(delta bson.RawValue) error {
	var in inserted[T]
	var err error
	if delta.Type == bson.TypeEmbeddedDocument {
		err = delta.Unmarshal(&in)
	} else {
		err = delta.Unmarshal(&in.Items)
	}
	if err == nil {
		f.insert(in)
	}
	return err
}

// Whole returns the list, or nothing when it is empty.
func (f *Append[T]) Whole() (bson.RawValue, error) {
	if f.Len() == 0 {
		return bson.RawValue{}, nil
	}
	return marshal(f.Items())
}

// Summable is a value that can be added up; Plus must not depend on the order of the operands.
type Summable[T any] interface{ Plus(T) T }

// Reduce adds up what nodes contribute, in whatever order they finish.
type Reduce[T Summable[T]] struct {
	total, added T
	changed      bool
}

// Get returns the sum so far.
func (f *Reduce[T]) Get() T { return f.total.Plus(f.added) }

// Add contributes v.
func (f *Reduce[T]) Add(v T) { f.added, f.changed = f.added.Plus(v), true }

// Changed implements Field.
func (f *Reduce[T]) Changed() bool { return f.changed }

// Merge implements Field.
func (f *Reduce[T]) Merge(from Field) error {
	other, ok := from.(*Reduce[T])
	if !ok {
		return mismatch(f, from)
	}
	var zero T
	f.total, f.added, f.changed = f.total.Plus(other.added), zero, false
	return nil
}

// Detach lets go of all but what was changed: to keep a node's result beyond its turn.
func (f *Reduce[T]) Detach() {
	var zero T
	f.total = zero
}

// Delta implements Field: what was added.
func (f *Reduce[T]) Delta() (bson.RawValue, error) { return marshal(f.added) }

// Apply implements Field.
func (f *Reduce[T]) Apply(delta bson.RawValue) error {
	var v T
	if err := delta.Unmarshal(&v); err != nil {
		return err
	}
	f.total = f.total.Plus(v)
	return nil
}

// Whole returns the total.
func (f *Reduce[T]) Whole() (bson.RawValue, error) { return marshal(f.Get()) }

// Volatile is a Last that is never stored: what can be loaded again (views of memory) or must not be
// kept (open connections). After a resume it is empty until its node has run again.
type Volatile[T any] struct{ Last[T] }

// Merge implements Field.
func (f *Volatile[T]) Merge(from Field) error {
	other, ok := from.(*Volatile[T])
	if !ok {
		return mismatch(f, from)
	}
	return f.Last.Merge(&other.Last)
}

// Delta implements Field: nothing.
func (f *Volatile[T]) Delta() (bson.RawValue, error) { return bson.RawValue{}, nil }

// Apply implements Field: a stored delta of a field that has become volatile is passed over.
func (f *Volatile[T]) Apply(bson.RawValue) error { return nil }

// Whole is nothing: a volatile value is never stored.
func (f *Volatile[T]) Whole() (bson.RawValue, error) { return bson.RawValue{}, nil }

func marshal(v any) (bson.RawValue, error) {
	kind, data, err := bson.MarshalValue(v)
	return bson.RawValue{Type: kind, Value: data}, err
}

func mismatch(f, from Field) error { return fmt.Errorf("field %T cannot take over from %T", f, from) }
