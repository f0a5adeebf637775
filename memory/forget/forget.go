package forget

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
)

// Erasing is an order, then a pass. The order is one commit: it names documents and no text, and takes a number of the user's feed,
// which every later entry repeats (ledger.Entry.Gen). So it fences by what each commit compares anyway: whoever decided on older
// knowledge (state.Effect.Seen) meets the number and is refused. A turn is told so, and ends. There are no hashes of texts in it:
// nothing has to be compared with them.
//
// While an order is carried out nobody else writes to the user's memory, and who would read it goes on with it first, a bounded
// part. So what is erased is exactly what was planned, and the pass needs no second look. What may wait (vectors on a server, free
// pages) keeps nobody out.

// Mark stands in a text that stays for words of it that were forgotten.
const Mark = mind.Unsaid

// Config says what a Room works with. All of it but Ledger is required.
type Config struct {
	Desk   *desk.Desk
	Affair func(ctx context.Context, scope state.Scope, name string) (state.Affair, error) // finds an affair as memory.Affairs.Get does
	End    func(ctx context.Context, scope state.Scope) (state.Session, error)             // ends a session, so that what was said is learnt

	// Ledger keeps outside of the store what was ordered; nil = nobody does. See Restored.
	Ledger Ledger
}

// Room erases. It is safe for concurrent use.
type Room struct {
	desk   *desk.Desk
	affair func(ctx context.Context, scope state.Scope, name string) (state.Affair, error)
	end    func(ctx context.Context, scope state.Scope) (state.Session, error)
	outer  Ledger
}

// New makes a Room.
func New(c Config) *Room { return &Room{c.Desk, c.Affair, c.End, c.Ledger} }

// What says what is to be erased. One of its fields but Pinned and Try is set; none goes on with an order of the user's that was cut short.
type What struct {
	Record  string // id of a record: it, and each sentence and record that says the same
	Topic   string // words: the sentences and records that have all telling ones of them
	Affair  string // named as for Affair, with all that is filed under it
	Session string // its id: all that was said in it and learnt from it
	User    bool   // everything of the scope's user
	Client  bool   // everything of all users of the scope's client
	Clear   Clear  // the memory of the scope's session, or what is known of the user in all of them

	Pinned bool // what a person has pinned goes too
	Try    bool // nothing is erased: the receipt counts what would be
}

// Clear says which of a user's memories is emptied.
type Clear string

// The memories.
const (
	ClearSession Clear = "session" // what was said in the scope's session, and its summaries; what is the user's own stays
	ClearGlobal  Clear = "global"  // what is known of the user; what was said elsewhere stays
)

// kind returns what is meant, in a word, and the name of it that is kept.
func (w What) kind(scope state.Scope) (kind, name string, err error) {
	given := 0
	for _, k := range []struct{ kind, name string }{
		{"record", w.Record}, {"topic", w.Topic}, {"affair", w.Affair}, {"session", w.Session}, {"clear session", sessionIf(w.Clear == ClearSession, scope)},
		{"clear global", sessionIf(w.Clear == ClearGlobal, scope)}, {"user", sessionIf(w.User, scope)}, {"client", sessionIf(w.Client, scope)},
	} {
		if k.name != "" {
			kind, name, given = k.kind, k.name, given+1
		}
	}
	const op = "forget"
	switch {
	case given > 1:
		return "", "", state.Errorf(state.Invalid, op, "names %d things; name one: a record, a topic, an affair, a session, the user, the client, or what to clear", given)
	case w.Clear != "" && w.Clear != ClearSession && w.Clear != ClearGlobal:
		return "", "", state.Errorf(state.Invalid, op, "clear %.40q is unknown; use session or global", w.Clear)
	case given == 0 && (w.Pinned || w.Try):
		return "", "", state.Errorf(state.Invalid, op, "names nothing; name a record, a topic, an affair, a session, the user, the client, or what to clear")
	}
	switch kind {
	case "topic":
		name = "" // an order holds no text
	case "user":
		name = scope.User
	case "client":
		name = scope.Client
	case "session":
		err = state.ValidateID("session", w.Session)
	}
	return kind, name, err
}

func sessionIf(is bool, scope state.Scope) string {
	if is {
		return scope.Session
	}
	return ""
}

// Erase erases for good, in every layer: documents, what was made of them, the log, the feed, word indexes, vectors, free pages. What it names goes
// with everything that is derived from it. Of a topic and of a record that is what states it: a message that says other things too loses the sentence, and an affair goes
// when nothing of it is left. Of an affair, a session and a clearing it is what was said there: the same statement stays that was made elsewhere.
// What a person has pinned stays unless told, and the receipt names it (Order.Spared). What is held (Hold) stays until it is released, and then goes (Order.Held). The receipt names
// it, as it does sessions that were forked from one that goes. The order is durable first. From then on nothing comes back:
// what was decided before it is refused with state.ErrConflict in every process, turns of the user that run end so, and until it is carried out
// everybody else is told state.ErrUnavailable. Cut short anywhere it is gone on with by the user's next turn, by Finish and by
// the next call. A model may erase only where autonomy lets it edit without asking, else it is state.ErrDenied: what is erased cannot wait as a suggestion
// that shows it. The receipt says of each layer how much went, and what a probe found afterwards. What is said again later is kept. It is not for the
// inside of a turn. Nothing that is meant is state.ErrNotFound.
func (r *Room) Erase(ctx context.Context, scope state.Scope, what What) (state.Order, error) {
	scope = scope.Default()
	kind, name, err := what.kind(scope)
	switch {
	case err != nil:
		return state.Order{}, err
	case state.EffectsFrom(ctx) != nil:
		return state.Order{}, state.Errorf(state.Invalid, "forget", "is not for the inside of a turn; call it when the turn is over")
	}

	if err := scope.Validate(); err != nil {
		return state.Order{}, err
	}
	if err := r.agentMay(ctx, scope, what); err != nil {
		return state.Order{}, err
	}
	if kind == "client" {
		return r.forgetClient(ctx, scope, what)
	}
	return r.forgetOne(ctx, scope, kind, name, what)
}

// agentMay refuses a model what autonomy does not let it do unasked.
func (r *Room) agentMay(ctx context.Context, scope state.Scope, what What) error {
	if what.Try || desk.MadeBy(ctx).Who != state.ByAgent || r.desk.Allows(ctx, scope) {
		return nil
	}
	if err := r.desk.ReadOnly(ctx, scope, "forget", ""); err != nil {
		return err
	}
	return state.Errorf(state.Denied, "forget", "is for the user himself while autonomy is 1: mneme forget, or the page of the service")
}

// forgetOne erases of one user's memory, or of what all users of a client share.
func (r *Room) forgetOne(ctx context.Context, user state.Scope, kind, name string, what What) (state.Order, error) {
	last, err := r.carryOutOrders(ctx, user, noBudget, nil)
	if err == nil && kind == "" {
		var released state.Order
		if released, err = r.goOnReleased(ctx, user); released.ID != "" {
			last = released
		}
	}
	if err != nil || kind == "" {
		return last, err
	}

	return r.orderOne(ctx, user, kind, name, what)
}

// forgetTries bounds how often an order is made anew because memory has changed.
const forgetTries = 32

// orderOne orders and erases. Where memory changes meanwhile it is planned anew, under the same id.
func (r *Room) orderOne(ctx context.Context, user state.Scope, kind, name string, what What) (last state.Order, err error) {
	id := ""
	for range forgetTries {
		o, plan, wrong := r.order(ctx, user, kind, name, what)
		if wrong != nil || what.Try {
			return o, errors.Join(wrong, r.tellDropped(ctx, user, id))
		}
		o.By, o.ID = desk.MadeBy(ctx), cmp.Or(id, o.ID)
		plan.order, id = o.ID, o.ID

		// The line outside comes first: from it on the order holds, also in a store from before.
		if err := r.tellAsked(ctx, user, o); err != nil {
			return o, err
		}
		if err = r.desk.Commit(ctx, []state.Effect{{Scope: user, Order: &o, By: &o.By}}); err == nil {
			done, err := r.carryOutOrders(ctx, user, noBudget, plan)
			done.Stays = o.Stays
			return done, err
		}
		if !errors.Is(err, state.ErrConflict) {
			return o, err
		}
		if _, err := r.carryOutOrders(ctx, user, noBudget, nil); err != nil {
			return o, err
		}
		if done, there, err := r.known(ctx, user, id); there || err != nil { // another process has met the line, and carried it out
			return done, err
		}
	}
	return state.Order{}, errors.Join(err, r.tellDropped(ctx, user, id))
}

// order plans what is to be erased, as memory stands now. The plan is right as long as nothing is written.
func (r *Room) order(ctx context.Context, scope state.Scope, kind, name string, what What) (state.Order, *erasure, error) {
	head, err := r.settled(ctx, scope)
	if err != nil {
		return state.Order{}, nil, err
	}
	origin, err := r.origin(ctx, scope)
	if err != nil {
		return state.Order{}, nil, err
	}

	o := state.Order{
		ID: state.SeqKey(head.Seq+1) + "." + r.desk.NewID(), Rev: 1, What: kind, Name: name, Pinned: what.Pinned, At: r.desk.Now(), Origin: origin, After: head.Seq, Stage: ledger.StageTurns,
	}

	p, err := r.planErasure(ctx, scope, kind, what)
	if err == nil {
		p.order, err = o.ID, p.fill(ctx, &o)
	}
	if err == nil && kind == "affair" {
		o.Name = p.of // it was named by its title
	}
	return o, p, err
}

// parseRef returns the document that an order names.
func parseRef(name string) ledger.Ref {
	c, id, _ := strings.Cut(name, "/")
	return ledger.Ref{Collection: state.Collection(c), ID: id}
}

// errPinned is the reason of an erasure that comes to nothing because what it means is pinned.
var errPinned = errors.New("all of it is pinned")

// orNothing returns the error of who means what is not there, or what is all pinned.
func orNothing(kind string, what What, spared int) error {
	op := "forget " + kind + " " + cmp.Or(what.Record, what.Topic, what.Affair, what.Session)
	if spared > 0 {
		return state.Errorf(state.Conflict, op, "%w (%d): unpin it, or say that pinned ones go too", errPinned, spared)
	}
	return state.Errorf(state.NotFound, op, "there is nothing of it in memory")
}
