package ledger

import (
	"bytes"
	"cmp"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Change is what a commit did to one record or affair: who had it done, and what has to be put back to undo it. Only what it took away
// is kept. What it put there the document says, or the Was of a later change.
type Change struct {
	Ref    Ref      `bson:"ref"`
	By     state.By `bson:"by"`
	Agent  string   `bson:"agent,omitempty"`
	Sess   string   `bson:"session,omitempty"`
	New    bool     `bson:"new,omitempty"`    // there was no such document
	Gone   bool     `bson:"gone,omitempty"`   // there is none any more
	Erased bool     `bson:"erased,omitempty"` // what it did was erased: what was before it nobody knows
	Fields []Field  `bson:"fields,omitempty"`
}

// Field is one field that a change gave another value.
type Field struct {
	Name string        `bson:"f"`
	Was  bson.RawValue `bson:"was,omitempty"` // zero = it was not there
	List bool          `bson:"list,omitempty"`
	At   int           `bson:"at,omitempty"`   // of a list: Was are the items that stood at this place,
	Put  int           `bson:"put,omitempty"`  // and so many came there
	Tail int           `bson:"tail,omitempty"` // and so many at its end
}

// write is what the step that wrote a document last changed in it. Where the feed is written behind the documents it stands in them, so
// that an attempt that comes after a crash in between can tell it.
type write struct {
	Thread string  `bson:"thread"`
	Seq    int64   `bson:"seq"`
	New    bool    `bson:"new,omitempty"`
	Fields []Field `bson:"fields,omitempty"`
}

// wroteKey is the element of a document that holds its write.
const wroteKey = "wrote"

// lastWrite reads a document's write, nil for none.
func lastWrite(body bson.Raw) *write {
	var w write
	if v, err := body.LookupErr(wroteKey); err != nil || v.Unmarshal(&w) != nil {
		return nil
	}
	return &w
}

// addNotes adds to a document the marks of the steps that are carried out in it, and what the last of them changed.
func (b *batch) addNotes(ref Ref, s *slot, body []byte) (bson.Raw, error) {
	if len(s.made) > 0 && audited(ref, s.value) && !s.erased {
		made := s.made[len(s.made)-1]
		c, err := b.changeOf(s, body)
		if err != nil {
			return nil, err
		}
		kind, value, err := bson.MarshalValue(write{made.Thread, made.Seq, c.New, c.Fields})
		if err != nil {
			return nil, err
		}
		body = addElement(body, wroteKey, byte(kind), value)
	}
	return addMarks(body, s.marks())
}

// takeBy is take, and keeps who has the effect carried out.
func (s *slot) takeBy(e state.Effect) bool {
	s.scope, s.by = e.Scope, state.By{Who: state.ByPipeline}
	if e.By != nil {
		s.by = *e.By
	}
	return s.take(e.From)
}

// audited reports whether changes of a document are kept. Summaries are not: they are made of messages and can be made again.
func audited(ref Ref, value any) bool {
	r, ok := value.(*state.Record)
	return ref.Collection == state.Affairs || ref.Collection == state.Suggestions || ok && r.Span == nil
}

// ownWork are the fields of an affair that grow by themselves. That they alone differ is no change, and that they have grown since is
// in the way of no undo.
func ownWork(c state.Collection, field string) bool {
	return c == state.Affairs && slices.Contains([]string{"messages", "updated_at", "sum_up", "past_facts"}, field)
}

// changesOf returns what the batch does to records and affairs, and what earlier attempts at it did. Docs are what it writes.
func (b *batch) changesOf(user state.Scope, docs []store.Doc) ([]Change, error) {
	// What is not written anew, or not audited, is passed over.
	written := map[Ref]bson.Raw{}
	for _, doc := range docs {
		written[Ref{doc.Collection, doc.ID}] = doc.Body
	}
	var out []Change
	for _, ref := range b.order {
		s := b.slots[ref]
		if !audited(ref, s.value) && !s.erased || !s.changed && (!s.edited || !b.thorough) {
			continue
		}

		// What is erased is told as gone and no more, of kinds whose changes are told at all.
		if s.erased {
			if ref.Collection == state.Records || ref.Collection == state.Affairs || ref.Collection == state.Suggestions {
				out = append(out, Change{Ref: Ref{ref.Collection, ref.ID[len(user.UserPrefix()):]}, By: cmp.Or(s.by, b.by), Gone: s.gone, Erased: true})
			}
			continue
		}

		// The difference, unless only those fields differ that grow by themselves.
		after := s.body
		if s.changed || s.gone {
			after = written[ref]
		}
		c, err := b.changeOf(s, after)
		if err != nil {
			return nil, state.Errorf(state.Internal, string(ref.Collection)+" "+ref.ID, "cannot be compared: %w", err)
		}
		if c.New || c.Gone || slices.ContainsFunc(c.Fields, func(f Field) bool { return !ownWork(ref.Collection, f.Name) }) {
			c.Ref, c.By, c.Agent, c.Sess = Ref{ref.Collection, ref.ID[len(user.UserPrefix()):]}, cmp.Or(s.by, b.by), s.scope.Agent, s.scope.Session
			out = append(out, c)
		}
	}
	return out, nil
}

// changeOf returns what the batch makes of a document, together with what an earlier attempt at its steps made of it.
func (b *batch) changeOf(s *slot, after bson.Raw) (c Change, err error) {
	before := s.body
	c = Change{New: s.body == nil, Gone: s.gone}
	ours := func(e state.Effect) bool {
		return s.wrote != nil && e.From.Thread == s.wrote.Thread && e.From.Seq == s.wrote.Seq
	}

	if w := s.wrote; slices.ContainsFunc(b.again, ours) {
		c.New, c.Fields = w.New, w.Fields
		if !s.changed {
			return c, nil
		}
		if before, err = c.Before(s.body); err != nil {
			return c, err
		}
		c.Fields = nil
	}

	if !c.New {
		c.Fields, err = differing(before, after)
	}
	return c, err
}

// differing returns the fields in which two bodies differ, marks aside.
func differing(before, after bson.Raw) ([]Field, error) {
	// Fields that were there: gone, changed, or changed in so small a part that only this is kept.
	had, err := before.Elements()
	if err != nil {
		return nil, err
	}
	var out []Field
	for _, e := range had {
		was := e.Value()
		if is, err := after.LookupErr(e.Key()); noted(e.Key()) || err == nil && is.Equal(was) {
			continue
		} else if f, ok := spliced(e.Key(), was, is); err == nil && ok {
			out = append(out, f)
			continue
		}
		out = append(out, Field{Name: e.Key(), Was: owned(was)})
	}

	if after == nil {
		return out, nil
	}

	// Fields that are new.
	has, err := after.Elements()
	if err != nil {
		return nil, err
	}
	for _, e := range has {
		if _, err := before.LookupErr(e.Key()); err != nil && !noted(e.Key()) {
			out = append(out, Field{Name: e.Key()})
		}
	}
	return out, nil
}

// noted reports whether an element of a document is the ledger's own.
func noted(key string) bool { return key == appliedKey || key == wroteKey }

func owned(v bson.RawValue) bson.RawValue {
	return bson.RawValue{Type: v.Type, Value: bytes.Clone(v.Value)}
}

// items returns those of a list, and whether it is one.
func items(v bson.RawValue) ([]bson.RawValue, bool) {
	list, ok := v.ArrayOK()
	if !ok {
		return nil, false
	}
	values, err := list.Values()
	return values, err == nil
}

// spliced returns the change of a list as the run of items in which the two differ.
func spliced(name string, was, is bson.RawValue) (Field, bool) {
	a, isList := items(was)
	b, areLists := items(is)
	if !isList || !areLists {
		return Field{}, false
	}

	at := 0
	for at < len(a) && at < len(b) && a[at].Equal(b[at]) {
		at++
	}

	tail := 0
	for tail < len(a)-at && tail < len(b)-at && a[len(a)-1-tail].Equal(b[len(b)-1-tail]) {
		tail++
	}

	for k := range len(a) - tail - at { // a list that is cut at the front as it grows at the end
		if stays := len(a) - k; stays <= len(b) && slices.EqualFunc(a[k:], b[:stays], bson.RawValue.Equal) {
			return Field{Name: name, Was: listOf(a[:k]), List: true, Tail: len(b) - stays}, true
		}
	}
	return Field{Name: name, Was: listOf(a[at : len(a)-tail]), List: true, At: at, Put: len(b) - tail - at}, true
}

func listOf(values []bson.RawValue) bson.RawValue {
	kind, data, err := bson.MarshalValue(slices.Concat([]bson.RawValue{}, values))
	if err != nil {
		return bson.RawValue{Type: bson.TypeArray, Value: []byte{5, 0, 0, 0, 0}} // values that were read always can be written
	}
	return bson.RawValue{Type: kind, Value: data}
}

// Before returns the document as it was before the change, told by what it was after it; nil = there is none.
func (c Change) Before(after bson.Raw) (bson.Raw, error) {
	if c.Erased && !c.New {
		return after, nil
	}
	if c.New || after == nil && !c.Gone { // one that vanished without an entry: nobody knows what it was
		return nil, nil
	}
	var doc bson.D
	if after != nil {
		if err := bson.Unmarshal(after, &doc); err != nil {
			return nil, state.Errorf(state.Internal, string(c.Ref.Collection)+" "+c.Ref.ID, "is damaged: %w", err)
		}
	}
	for _, f := range c.Fields {
		value := f.Was
		if is, ok := items(after.Lookup(f.Name)); f.List && ok {
			was, _ := items(f.Was)
			if f.At+f.Put+f.Tail > len(is) {
				return nil, state.Errorf(state.Conflict, string(c.Ref.Collection)+" "+c.Ref.ID, "the list %s was changed by nobody the feed knows", f.Name)
			}
			value = listOf(slices.Concat(is[:f.At], was, is[f.At+f.Put:len(is)-f.Tail]))
		}
		doc = set(doc, f.Name, value)
	}
	body, err := bson.Marshal(doc)
	if err != nil {
		return nil, state.Errorf(state.Internal, string(c.Ref.Collection)+" "+c.Ref.ID, "cannot be stored: %w", err)
	}
	return body, nil
}
