package suggest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/read/consent"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// suggestPath is the way of answers to suggestions.
const suggestPath = "suggestions"

// asker is the part of an Origin that carrying a request out needs.
type asker struct {
	Affair  string `bson:"affair,omitempty"`
	Turn    string `bson:"turn,omitempty"`
	Message string `bson:"message,omitempty"`
	Seq     int64  `bson:"seq,omitempty"`
	Tool    string `bson:"tool,omitempty"`
}

// askedBy reads who has asked for what a suggestion holds.
func askedBy(request bson.Raw) asker {
	var r struct {
		Origin asker `bson:"origin"`
	}
	if bson.Unmarshal(request, &r) != nil {
		return asker{}
	}
	return r.Origin
}

// mostSuggested bounds the text by which a suggestion is read, in bytes; the request has it all.
const mostSuggested = 300

// suggestion returns what a request is kept as until its user answers. The same call of a tool, tried again, makes the same one.
func (r *Room) suggestion(ctx context.Context, scope state.Scope, w desk.Wish, n int) (state.Suggestion, error) {
	o := desk.CallFrom(ctx)
	body, err := bson.Marshal(bson.D{{Key: w.Kind, Value: w.Request}, {Key: "origin", Value: asker{Affair: o.Affair, Turn: o.Turn, Message: o.Message, Seq: o.Seq, Tool: o.Tool}}})
	if err != nil {
		return state.Suggestion{}, state.Errorf(state.Internal, "suggestion", "cannot be kept: %w", err)
	}

	s := state.Suggestion{
		ID: r.desk.NewID(), Client: scope.Client, User: scope.User, Project: scope.Project, Agent: cmp.Or(scope.Agent, o.Scope.Agent), Session: scope.Session,
		Status: state.Waiting, Asks: w.Asks, Text: text.Head(strings.Join(strings.Fields(w.Says), " "), mostSuggested), Of: w.Of, Target: w.Target, By: desk.MadeBy(ctx), Request: body, At: r.desk.Now().UTC().Truncate(time.Millisecond),
	}

	// A call that is tried again asks for the same suggestion.
	if o.Call != "" {
		sum := sha256.Sum256([]byte(strings.Join([]string{scope.UserPrefix(), o.Turn, o.Call, strconv.Itoa(n), s.Asks, string(body)}, "\x00")))
		s.ID = fmt.Sprintf("s%x", sum[:8])
	}

	if days := r.desk.Set(r.desk.Under(ctx, scope)).SuggestionDays; days > 0 {
		s.Until = s.At.AddDate(0, 0, days)
	}
	return s, nil
}

// List returns the edits of memory that wait for the scope's user, the oldest first; with answered also those that he has answered. What
// nobody has answered within suggestion_days is over: outside a turn it is marked so here, and named among those that wait this once. What was
// answered or over suggestion_keep_days ago goes.
func (r *Room) List(ctx context.Context, scope state.Scope, answered bool) ([]state.Suggestion, error) {
	// Inside a turn nothing is tidied up.
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := desk.Settled(ctx); err != nil {
		return nil, err
	}
	kept, err := r.keptSuggestions(ctx, scope)
	if err != nil {
		return nil, err
	}
	outside := state.EffectsFrom(ctx) == nil
	if outside {
		if kept, err = r.tidy(ctx, scope, kept); err != nil {
			return nil, err
		}
	}

	// Those that wait, or all.
	var all []state.Suggestion
	for _, s := range kept {
		if s.v.Status == state.Waiting || answered {
			all = append(all, s.v)
		}
	}

	// What is over is told once more as such, and marked.
	var over []state.Effect
	now := r.desk.Now()
	for i := range all {
		if all[i].Over(now) {
			all[i].Status, all[i].AnsweredAt = state.Expired, now
			over = append(over, r.answerTo(all[i], state.By{Who: state.ByPipeline, Path: suggestPath, Why: "nobody has answered within suggestion_days"}))
		}
	}
	if len(over) == 0 || !outside {
		return all, nil
	}
	return all, r.desk.Decide(ctx, over...)
}

// scopeOfSuggestion returns the scope that a suggestion was asked in.
func scopeOfSuggestion(s state.Suggestion) state.Scope {
	return state.Scope{Client: s.Client, Project: s.Project, User: s.User, Agent: s.Agent, Session: s.Session}.Default()
}

// answerTo returns the edit that gives a suggestion its answer.
func (r *Room) answerTo(s state.Suggestion, by state.By) state.Effect {
	return state.Effect{Scope: scopeOfSuggestion(s), Suggestion: &s, Answers: s.ID, By: &by}
}

// Answer gives a suggestion of the scope's user his answer: approve carries out what was asked for, judged against what is remembered
// now, edit does so with another content (JSON: a text, or {"content": ...}), reject leaves it undone. It is for a person, at any level of
// autonomy; within a turn it is state.ErrDenied unless the user's own message says so. An answer that was given before changes
// nothing; another one is state.ErrConflict, and so is one that comes too late. What cannot be carried out goes on waiting.
func (r *Room) Answer(ctx context.Context, scope state.Scope, id string, a state.Answer) (state.Suggestion, error) {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return state.Suggestion{}, err
	}
	if err := state.ValidateID("suggestion", id); err != nil {
		return state.Suggestion{}, err
	}
	leave, err := r.desk.Alone(ctx, scope)
	if err != nil {
		return state.Suggestion{}, err
	}
	defer leave()
	ctx = r.desk.Knowing(ctx, scope)
	s, err := r.waiting(ctx, scope, id)
	if err != nil {
		return s, err
	}
	want, err := statusOf(a)
	if err == nil {
		err = r.saidSo(ctx, s, a)
	}
	switch {
	case err != nil:
		return s, err
	case s.Over(r.desk.Now()):
		return s, state.Errorf(state.Conflict, "suggestion "+id, "is over since %s: nobody had answered; ask for it anew", s.Until.Format(time.DateOnly))
	case s.Status == want:
		return s, nil
	case s.Status != state.Waiting:
		return s, errAnswered(s)
	}
	effects, err := r.carryOut(ctx, s, a)
	if err != nil {
		return s, err
	}
	s.Status, s.AnsweredAt, s.Reason = want, r.desk.Now(), r.desk.Mask(a.Reason)
	by := state.By{Who: state.ByUser, Path: suggestPath, Why: s.Reason}
	if o := desk.CallFrom(ctx); o.Inside {
		by.Turn, by.Message = o.Turn, o.Message
	}
	if err := r.desk.Decide(desk.Approve(ctx), append(effects, r.answerTo(s, by))...); err != nil || state.EffectsFrom(ctx) != nil {
		return s, err
	}
	stands, err := r.waiting(ctx, scope, id) // another process may have answered meanwhile
	if err == nil && stands.Status != want {
		err = errAnswered(stands)
	}
	return stands, err
}

// saidSo refuses an answer that a model gives by itself: the user's message of the turn has to give it. A bare yes or no is an answer to what
// was suggested in the turn before.
func (r *Room) saidSo(ctx context.Context, s state.Suggestion, a state.Answer) error {
	// Only a model inside a turn needs the user's word.
	o := desk.CallFrom(ctx)
	if !o.Inside || desk.MadeBy(ctx).Who != state.ByAgent {
		return nil
	}

	// What he says in this turn, and which turn came before.
	scope := o.Scope.Default()
	said, err := r.desk.LastMessages(ctx, scope, o.Seq+1, 2*desk.Page, func(state.Message) bool { return true })
	if err != nil {
		return err
	}
	before, words := "", ""
	for _, msg := range said {
		switch {
		case msg.Seq == o.Seq && msg.Role == state.RoleUser:
			words = msg.Text
		case msg.Seq < o.Seq:
			before = msg.Turn
		}
	}

	// A plain word of consent counts for any suggestion, a bare yes or no only for one of the turn before.
	just := s.Session == scope.Session && s.By.Turn != "" && s.By.Turn == before
	switch consent.Read(words) {
	case consent.Approve:
		just = a.Choice == state.Approve
	case consent.Reject:
		just = a.Choice == state.Reject
	case consent.Yes:
		just = just && a.Choice == state.Approve
	case consent.No:
		just = just && a.Choice == state.Reject
	case consent.None:
		just = false
	}
	if just {
		return nil
	}
	return state.Errorf(state.Denied, "suggestion "+s.ID, "the user's message does not %s it; ask him, and do it when he has said so", a.Choice)
}

func errAnswered(s state.Suggestion) error {
	return state.Errorf(state.Conflict, "suggestion "+s.ID, "was answered before: it is %s", s.Status)
}

// waiting returns a suggestion as it stands.
func (r *Room) waiting(ctx context.Context, scope state.Scope, id string) (state.Suggestion, error) {
	doc, err := r.desk.Base.Get(ctx, state.Suggestions, scope.Key(id))
	if errors.Is(err, state.ErrNotFound) {
		return state.Suggestion{}, state.Errorf(state.NotFound, "suggestion "+id, "there is none of user %s; mneme suggestions lists them", scope.User)
	}
	if err != nil {
		return state.Suggestion{}, err
	}
	return ledger.Decode[state.Suggestion](doc)
}

// statusOf returns what an answer makes of a suggestion.
func statusOf(a state.Answer) (state.SuggestionStatus, error) {
	switch a.Choice {
	case state.Approve:
		return state.Approved, nil
	case state.Edit:
		return state.Edited, nil
	case state.Reject:
		return state.Rejected, nil
	case state.Suggest:
	}
	return "", state.Errorf(state.Invalid, fmt.Sprintf("answer %.40q", a.Choice), "does not go with a suggestion; choose approve, edit or reject")
}

// carryOut returns the edits that an answer to a suggestion comes to. Each is made only while the suggestion waits, but for those of another
// user's documents, of all that a client's users know: they come to the same when they are made again.
func (r *Room) carryOut(ctx context.Context, s state.Suggestion, a state.Answer) ([]state.Effect, error) {
	// A rejection comes to nothing.
	if a.Choice == state.Reject {
		return nil, nil
	}

	// It is carried out as what it was when it was asked for: its turn, message and time.
	scope := scopeOfSuggestion(s)
	by := s.By
	by.Why = strings.TrimPrefix(by.Why+"; ", "; ") + "the user approved of suggestion " + s.ID
	asked := askedBy(s.Request)
	origin := desk.Call{Origin: desk.Origin{
		Scope: scope, Affair: asked.Affair, Turn: asked.Turn, Message: asked.Message, Seq: asked.Seq, Tool: asked.Tool,
		Call: suggestPath + "/" + s.ID,
	}, ByRules: true, At: s.At, By: &by}

	// The edits are gathered apart.
	sink := state.EffectsFrom(ctx).Child()
	if sink == nil {
		sink = &state.Effects{}
	}
	inner := origin.In(state.ContextWithEffects(desk.Approve(ctx), sink))
	if err := r.fulfil(inner, scope, s, a); err != nil {
		return nil, err
	}

	// Each is made only while the suggestion waits; see above for those of others.
	effects := sink.Take()
	for i := range effects {
		if effects[i].Scope.UserPrefix() == scope.UserPrefix() {
			effects[i].Answers = s.ID
		}
	}
	return effects, nil
}
