package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// This file is where autonomy acts, for every way by which memory is edited. A door (Write, Amend, EditAffair and so on) passes the gate with what it
// was asked for, once that is known to be possible. Below the doors there is a fence: decide takes no edit that has not passed.
//
// Bookkeeping is not asked about, whatever the level: the transcript, sessions and how they are summed up, and what the pipeline learns of an
// affair from the affair's own messages (title, status, summary, key facts, pending actions).

// Levels of autonomy.
const (
	readOnlyLevel   = 0
	suggestLevel    = 1
	writeLevel      = 2
	reorganiseLevel = 3
)

// SuggestedError is the error of an edit that waits for its user, where autonomy is 1. Nothing was changed; each suggestion holds a part of what
// was asked for until Answer. Its code is that of state.ErrDenied.
type SuggestedError struct {
	Suggestions []state.Suggestion
	Refused     int // parts of which not even a suggestion is kept, because Most wait already
	Most        int // setting max_suggestions_per_user
}

// Error says what waits, and how it is answered.
func (s *SuggestedError) Error() string {
	names := make([]string, len(s.Suggestions))
	for i, x := range s.Suggestions {
		names[i] = x.ID + " (" + x.Asks + ": " + x.Text + ")"
	}
	told := "nothing was changed"
	if len(names) > 0 {
		told += ", it waits for the user's approval (autonomy 1) as suggestion " + strings.Join(names, ", ")
	}
	if s.Refused > 0 {
		told += fmt.Sprintf(", %d could not be suggested, since %d suggestions wait already (max_suggestions_per_user)", s.Refused, s.Most)
	}
	return told + "; mneme suggestions answers it"
}

// Is makes a SuggestedError a state.ErrDenied.
func (s *SuggestedError) Is(target error) bool { return target == error(state.ErrDenied) }

type approvedKey struct{}

// approved reports whether the user has approved of what is done under the context, as a suggestion or within the turn.
func approved(ctx context.Context) bool {
	whole, _ := ctx.Value(approvedKey{}).(bool)
	return whole
}

// gate lets an edit pass that the scope's autonomy allows, or that the user has approved of. At 0 it is state.ErrDenied, at 1 *SuggestedError: what
// was asked for waits then.
func (m *Memory) gate(ctx context.Context, scope state.Scope, asked ...request) error {
	if m.allows(ctx, scope) || len(asked) == 0 {
		return nil
	}
	if err := m.readOnly(ctx, scope, asked[0].asks(), ""); err != nil {
		return err
	}
	return m.suggest(ctx, scope, asked)
}

// allows reports whether memory may be edited for the scope without asking.
func (m *Memory) allows(ctx context.Context, scope state.Scope) bool {
	if approved(ctx) {
		return true
	}
	origin, _ := OriginFrom(ctx)
	level := m.autonomy(ctx, scope)
	if origin.Suggests {
		return false
	}
	return level >= writeLevel || level == suggestLevel && (origin.Approved || origin.Ordered)
}

// fence refuses edits that have come around the gate: a mistake of ours, and rather an error than an edit that nobody was asked about.
func (m *Memory) fence(ctx context.Context, effects []state.Effect) error {
	var allowed state.Scope // which was looked up last
	for _, e := range effects {
		if !isEdit(e) || e.Scope == allowed {
			continue
		}
		if allowed = e.Scope; !m.allows(ctx, e.Scope) {
			return cmp.Or(m.readOnly(ctx, e.Scope, "edit of memory", ""), error(state.Errorf(state.Internal, "edit of memory", "asks nobody by way of %s, and autonomy is 1", e.By.Path)))
		}
	}
	return nil
}

// isEdit reports whether an effect is an edit of memory and no bookkeeping.
func isEdit(e state.Effect) bool {
	switch {
	case e.Record != nil:
		return e.Record.Span == nil
	case e.Restore != nil:
		return e.Restore.Collection == state.Records
	case e.Affair != nil:
		return e.By != nil && e.By.Who != state.ByPipeline && e.By.Path != endPath
	}
	return e.Repeat != nil || e.Archive != nil
}

// unlessSuggested is err, or nil where it only says that what was tried waits for the user. It is for what the pipeline does by itself.
func unlessSuggested(err error) error {
	if _, waits := err.(*SuggestedError); waits { //nolint:errorlint // it is the gate's own
		return nil
	}
	return err
}

// hasRecords reports whether a way back touches records.
func hasRecords(back []state.Effect) bool { return slices.ContainsFunc(back, isEdit) }
