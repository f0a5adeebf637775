package ledger

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// batch is a set of documents being edited.
type batch struct {
	from     Reader
	stand    Stand // of the feed that the documents are of
	order    []Ref // of slots
	ordered  *state.Order
	drops    bool // what was decided is not carried out, and what of it there is goes
	slots    map[Ref]*slot
	pointers []pointer

	by       state.By       // of the effect that was merged last and says it
	again    []state.Effect // that may have been carried out already
	thorough bool           // documents may be half carried out: every session edited is put right
	affairs  []store.Doc    // all of the user, when it is thorough
}

// pointer is a session that is being edited, and the affair it pointed at before.
type pointer struct {
	scope   state.Scope
	slot    *slot
	session *state.Session
	had     string
	from    state.Mark // the step that edits it
	skipped bool       // an earlier attempt has written it
	want    string     // if so: what it was decided to point at
}

// slot is one document: its value (a pointer) and the revision it was read at, 0 = new.
type slot struct {
	value any
	rev   int64

	body    bson.Raw          // as it was read; nil = new
	wrote   *write            // who wrote it last, where that is kept
	by      state.By          // of the edit that was merged last
	scope   state.Scope       // its
	gone    bool              // it is to be deleted
	erased  bool              // nothing is told of what it was
	had     []mark            // of the steps that are carried out in it
	made    []mark            // of those that this batch adds
	filed   state.MessageEdit // where a message was filed when it was read
	gate    bool              // it says whose edits are made: it is written before the others
	edited  bool              // an effect is about it, whether made now or earlier
	changed bool
}

func newBatch(from Reader, stand Stand) *batch {
	return &batch{from: from, stand: stand, slots: map[Ref]*slot{}}
}

// mergeSteps merges effects in order. Sessions are settled after each step, so that the steps of a turn come to the same
// whether they are merged one by one or all at once, and at the end when an earlier attempt may have been there.
func (b *batch) mergeSteps(ctx context.Context, effects []state.Effect, at time.Time) error {
	met := map[string]pointer{}
	for i, e := range effects {
		if err := b.mergeEffect(ctx, e); err != nil {
			return err
		}
		if i+1 < len(effects) && effects[i+1].From == e.From {
			continue
		}

		// A step ends here: only then is it clear which affair each session is left with.
		for _, p := range b.pointers {
			if err := b.settleSession(ctx, p, at); err != nil {
				return err
			}
			if b.thorough {
				met[p.scope.SessionKey()] = p
			}
		}
		b.pointers = nil
	}

	// Steps that were carried out in part before may have left two active ones.
	for _, key := range slices.Sorted(maps.Keys(met)) {
		if err := b.keepOneActive(ctx, met[key], at); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) put(ref Ref, s *slot) {
	if _, ok := b.slots[ref]; !ok {
		b.order = append(b.order, ref)
	}
	b.slots[ref] = s
}

// mergeEffect merges one effect.
func (b *batch) mergeEffect(ctx context.Context, e state.Effect) error {
	if late, err := b.isLate(ctx, e); late || err != nil {
		return err
	}
	if e.By != nil {
		b.by = *e.By
	}
	switch {
	case e.Message != nil:
		return b.addMessage(ctx, e)
	case e.File != nil:
		msg, s, err := open[state.Message](ctx, b, Ref{state.Messages, e.Scope.MessageKey(e.File.Seq)})
		if err != nil {
			return err
		}
		if msg.Seq == 0 {
			return state.Errorf(state.NotFound, "message "+e.Scope.MessageKey(e.File.Seq), "is gone")
		}
		switch {
		case e.File.Undone:
			msg.Undone = true
		case e.File.Unstored:
			msg.StoreKnowledge = new(bool)
		case e.File.DropExtra:
			msg.Extra = nil
		default:
			msg.Affair, msg.Why = e.File.Affair, e.File.Why
		}
		s.edited = true
		s.changed = s.changed || filing(*msg) != s.filed
		return nil
	case e.Record != nil:
		r, s, err := open[state.Record](ctx, b, Ref{state.Records, e.Scope.Key(e.Record.ID)})
		if err == nil && s.takeBy(e) {
			mergeRecord(r, *e.Record, e.By)
		}
		return err
	case e.Repeat != nil:
		r, s, err := find[state.Record](ctx, b, Ref{state.Records, e.Scope.Key(e.Repeat.ID)})
		if err == nil && r != nil && s.takeBy(e) { // else it is gone
			*r = r.Again(*e.Repeat)
		}
		return err
	case e.Archive != nil:
		r, s, err := find[state.Record](ctx, b, Ref{state.Records, e.Scope.Key(e.Archive.ID)})
		if err == nil && r != nil && s.takeBy(e) {
			*r = r.Archived(*e.Archive)
		}
		return err
	case e.Suggestion != nil:
		return b.editSuggestion(ctx, e)
	case e.Restore != nil:
		return b.restore(ctx, e)
	case e.Erase != nil:
		return b.erase(ctx, e)
	case e.Order != nil:
		return b.takeOrder(ctx, e)
	case e.Session != nil:
		return b.editSession(ctx, e)
	case e.Affair != nil:
		return b.editAffair(ctx, e)
	}
	return state.Errorf(state.Internal, "effect", "edits nothing")
}

// editAffair makes or edits an affair. One that was taken back meanwhile is state.ErrNotFound to a caller. A turn of another session, or a job,
// goes on without the edit: its step stands in the log, and would fail each time that it is carried out.
func (b *batch) editAffair(ctx context.Context, e state.Effect) error {
	a, s, err := open[state.Affair](ctx, b, Ref{state.Affairs, e.Scope.Key(e.Affair.ID)})
	if err != nil {
		return err
	}
	if a.ID == "" && e.Affair.Create == nil {
		if e.By != nil && e.By.Who == state.ByUser && e.By.Turn == "" {
			return state.Errorf(state.NotFound, "affair "+e.Affair.ID, "is gone")
		}
		state.TraceFrom(ctx).Note("affair %s was taken back meanwhile; what was to change of it is left", e.Affair.ID)
		return nil
	}
	if s.takeBy(e) {
		EditAffair(a, *e.Affair, e.Scope)
	}
	return nil
}

// isLate reports whether an effect ends a part of a session, or was learnt from one, that another writer has read before, or whether the
// suggestion that it carries out was answered before.
func (b *batch) isLate(ctx context.Context, e state.Effect) (bool, error) {
	if e.Answers != "" {
		x, s, err := open[state.Suggestion](ctx, b, Ref{state.Suggestions, e.Scope.Key(e.Answers)})
		if err != nil {
			return false, err
		}
		s.gate = true
		return x.Status != state.Waiting && (e.From.Thread == "" || !reaches(s.had, e.From)), nil
	}

	if e.Part == "" {
		return false, nil
	}

	part, s, err := open[state.Record](ctx, b, Ref{state.Records, e.Scope.Key(e.Part)})
	if err != nil {
		return false, err
	}
	s.gate = true

	read := part.Span != nil && part.Span.Ended() && !part.Span.Waits
	return read && (e.From.Thread == "" || !reaches(s.had, e.From)), nil
}

// editSuggestion adds a suggestion, or answers one.
func (b *batch) editSuggestion(ctx context.Context, e state.Effect) error {
	x, s, err := open[state.Suggestion](ctx, b, Ref{state.Suggestions, e.Scope.Key(e.Suggestion.ID)})
	if err != nil {
		return err
	}
	if there := x.ID != ""; there && (e.Suggestion.Status == state.Waiting || x.Status != state.Waiting) {
		s.edited = true
		return nil
	}
	if s.takeBy(e) {
		*x = *e.Suggestion
	}
	return nil
}

// filing returns what an edit may change of a message, as it stands.
func filing(msg state.Message) state.MessageEdit {
	return state.MessageEdit{Affair: msg.Affair, Why: msg.Why, Undone: msg.Undone, Unstored: msg.Unstored(), DropExtra: msg.Extra == nil}
}

// addMessage adds a message. One that stands there because an earlier attempt wrote it is left alone.
func (b *batch) addMessage(ctx context.Context, e state.Effect) error {
	ref := Ref{state.Messages, e.Scope.MessageKey(e.Message.Seq)}
	if !b.thorough {
		msg := *e.Message
		b.put(ref, &slot{value: &msg, edited: true, changed: true})
		return nil
	}

	msg, s, err := open[state.Message](ctx, b, ref)
	if err != nil {
		return err
	}
	s.edited = true

	if msg.Seq == 0 {
		*msg, s.changed = *e.Message, true
		return nil
	}
	if n := e.Message; msg.ID != n.ID || msg.Turn != n.Turn || msg.Role != n.Role || msg.Text != n.Text || msg.ToolCallID != n.ToolCallID {
		return state.Errorf(state.Conflict, "message "+ref.ID, "another one has its number; send it again")
	}
	return nil
}

func (b *batch) editSession(ctx context.Context, e state.Effect) error {
	s, slot, err := open[state.Session](ctx, b, Ref{state.Sessions, e.Scope.SessionKey()})
	if err != nil {
		return err
	}

	at := slices.IndexFunc(b.pointers, func(p pointer) bool { return p.session == s })
	if at < 0 {
		b.pointers, at = append(b.pointers, pointer{e.Scope, slot, s, s.Active, e.From, false, ""}), len(b.pointers)
	}

	if !slot.take(e.From) {
		if !b.thorough {
			return state.Errorf(state.Conflict, "session "+s.ID, "an earlier attempt has edited it")
		}
		b.pointers[at].skipped, b.pointers[at].want = true, e.Session.Active
		return nil
	}
	mergeSession(s, *e.Session)
	return nil
}

// open returns the document as the batch has it so far, loading it at first use; absent is a zero T, and so is damaged, which it replaces.
func open[T any](ctx context.Context, b *batch, ref Ref) (*T, *slot, error) {
	v, s, err := find[T](ctx, b, ref)
	if err == nil && v == nil {
		v = new(T)
		s.value = v
		b.put(ref, s)
	}
	return v, s, err
}

// find is open, but absent and damaged are a nil T, with a slot that is not in the batch.
func find[T any](ctx context.Context, b *batch, ref Ref) (*T, *slot, error) {
	// What the batch has already is what counts, as edited so far.
	if s, ok := b.slots[ref]; ok {
		return s.value.(*T), s, nil
	}
	doc, err := b.from.Get(ctx, ref.Collection, ref.ID)
	if state.CodeOf(err) == state.NotFound {
		return nil, &slot{}, nil
	}
	if err != nil {
		return nil, nil, err
	}

	// A damaged document is treated as one that is not there, and noted.
	v, err := Decode[T](doc)
	s := &slot{value: &v, rev: doc.Rev, body: doc.Body}
	if err == nil {
		s.had, err = marksOf(doc)
	}
	if err != nil {
		NoteDamage(ctx, ref.Collection, err)
		return nil, &slot{rev: doc.Rev}, nil
	}

	// What it was is noted beside it, to tell what the batch changes.
	s.wrote = lastWrite(doc.Body)
	if msg, ok := any(&v).(*state.Message); ok {
		s.filed = filing(*msg)
	}
	b.put(ref, s)
	return &v, s, nil
}

// listRefs lists the user's documents in the batch for its feed, without the user's part of their keys.
func (b *batch) listRefs(u state.Scope) []Ref {
	var refs []Ref
	for _, ref := range b.order {
		s := b.slots[ref]
		if strings.HasPrefix(ref.ID, u.UserPrefix()) && (s.changed || s.edited && b.thorough) {
			refs = append(refs, Ref{ref.Collection, strings.TrimPrefix(ref.ID, u.UserPrefix())})
		}
	}
	return refs
}

// hasChanges reports whether any document is to be written.
func (b *batch) hasChanges() bool {
	return slices.ContainsFunc(b.order, func(ref Ref) bool { return b.slots[ref].changed })
}

// encodeDocs returns the documents to write, and among them, in a list of their own, those that have to be written first. Of a step that stands in the
// log each keeps what was changed in it, until the feed has it.
func (b *batch) encodeDocs() (gates, docs []store.Doc, err error) {
	for _, ref := range b.order {
		s := b.slots[ref]
		if !s.changed {
			continue
		}

		doc := store.Doc{Collection: ref.Collection, ID: ref.ID, Rev: s.rev}
		if !s.gone {
			body, err := bson.Marshal(s.value)
			if err == nil {
				body, err = b.addNotes(ref, s, body)
			}
			if err != nil {
				return nil, nil, state.Errorf(state.Internal, string(ref.Collection)+" "+ref.ID, "cannot be stored: %w", err)
			}
			doc.Body = body
		}

		// Gates are written first: they decide whether the rest counts.
		if s.gate {
			gates = append(gates, doc)
		} else {
			docs = append(docs, doc)
		}
	}
	return gates, docs, nil
}
