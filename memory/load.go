package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/detect"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
)

// Load reads what a turn starts from: the session, the user's affairs, the window, and the turn's messages so far (more
// than one when an unfinished turn is gone on with). The first is the user's, number in.Seq of the turn in.Turn: one that
// is gone is state.ErrNotFound, another turn's in its place state.ErrConflict. Without in.Turn there need not be one. With the
// decision that an earlier attempt at the turn has carried out the view is where CarryOut had left it.
func (t Turn) Load(ctx context.Context, in state.Input, carriedOut ...state.Decision) (state.View, error) {
	scope, seq := in.Scope.Default(), in.Seq
	set, err := t.m.desk.Documents.In(ctx, scope)
	if err != nil {
		return state.View{}, err
	}
	ctx = settings.ContextWith(ctx, set)
	d, err := t.m.desk.Mind(ctx, scope)
	if err != nil {
		return state.View{}, err
	}

	// The session and the affairs as they are now, and the window's affairs as a whole.
	v := state.View{Project: scope.Project, Agent: scope.Agent, Affairs: d.Seen(scope.Session), Session: parts.Open(d.Sessions[scope.Session], scope, t.m.c.Now())}
	d.NoteDamage(ctx)
	from := d.Docs
	if v.Active() == nil {
		v.Session.Active = ""
	}
	for _, decision := range carriedOut {
		v.Target = decision.AffairID
	}
	v, err = d.Complete(ctx, v, v.Session.Active, v.Target)
	d.Unlock()
	if err != nil {
		return v, err
	}

	// The turn's messages, the user's first.
	if v.Turn, err = desk.MessagesAfter(ctx, from, scope, seq-1); err != nil {
		return v, err
	}

	// The message at the head has to be the one that the caller means.
	if in.Turn != "" {
		msg, err := question(v)
		switch {
		case err != nil:
			return v, err
		case msg.Seq != seq || msg.Turn != in.Turn:
			return v, state.Errorf(state.Conflict, "message "+scope.MessageKey(seq), "is not of turn %s but of turn %s; send the message again", in.Turn, msg.Turn)
		}
	}
	return t.m.window(ctx, scope, v, seq, !slices.ContainsFunc(carriedOut, moves) && !t.m.turnsBack(v))
}

// question returns the user's message that a view is of.
func question(v state.View) (state.Message, error) {
	if len(v.Turn) == 0 {
		return state.Message{}, state.Errorf(state.NotFound, "session "+v.Session.ID, "the turn has no message any more: it was taken back; send it again")
	}
	return v.Turn[0], nil
}

// window sets the view's window: the last messages before number seq that are filed under the view's active
// affair or under none, and were said since the session was last cleared. With last the last exchange is there too, whatever it is filed under: behind a question
// aside the user may say "yes" or "and how much was it?". What its tools have found is another affair's and stays out. What was said in a part that is over is no
// such exchange.
func (m *Memory) window(ctx context.Context, scope state.Scope, v state.View, seq int64, last bool) (state.View, error) {
	scope = scope.Default()
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return v, err
	}
	into := d.Joined
	d.Unlock()

	// So many messages of user and assistant, with the calls and results between them.
	limit, said := m.desk.Set(ctx).HistoryLimit, 0
	var window []state.Message
	err = m.desk.GoBack(ctx, scope, seq, func(msg state.Message) bool {
		if said == limit && (limit == 0 || msg.Spoken()) {
			return false
		}
		here := msg.Affair == "" || into.Of(msg.Affair) == v.Session.Active
		exchanged := last && msg.Seq >= v.Session.First() && msg.Spoken() && len(msg.ToolCalls) == 0
		if msg.Seq > v.Session.WindowFrom && (here || exchanged) {
			window = append(window, msg)
			if msg.Spoken() {
				said++
			}
		}
		last = last && msg.Role != state.RoleUser // which begins the exchange
		return true
	})
	slices.Reverse(window)
	v.Window = fromUser(window)
	return v, err
}

// turnsBack reports whether a view's message says by itself that it is about the active affair, whatever was said last: it has a word of its title or topics, or
// one of what the title is about and no other affair's is ("school", for a university), and none such as "it" or "that" but before such a word ("that university").
func (m *Memory) turnsBack(v state.View) bool {
	a := v.Active()
	if a == nil || len(v.Turn) == 0 {
		return false
	}
	known := slices.DeleteFunc(text.Terms(a.Title+"\n"+strings.Join(a.Topics, "\n")), text.General)
	about := text.Concepts(text.Terms(a.Title))
	elsewhere := func(concept string) bool {
		return slices.ContainsFunc(v.Affairs, func(o *state.Affair) bool {
			return o.ID != a.ID && slices.Contains(text.Concepts(text.Terms(o.Title)), concept)
		})
	}
	names := func(t text.Token) bool {
		own := func(concept string) bool { return slices.Contains(about, concept) && !elsewhere(concept) }
		return saysOne(known, t.Stem) || slices.ContainsFunc(text.Concepts([]string{t.Stem}), own)
	}

	// What is left without those words points to what was said last, or does not.
	tokens := text.Tokens(desk.Said(v.Turn[0]))
	var rest []string
	for i, t := range tokens {
		if !names(t) && (i+1 == len(tokens) || !names(tokens[i+1])) {
			rest = append(rest, t.Surface)
		}
	}
	return len(rest) < len(tokens) && !detect.Refer(m.language(v, v.Turn[0]), strings.Join(rest, " ")).Anaphor
}

// moves reports whether a decision makes another affair the active one.
func moves(d state.Decision) bool { return d.Kind == state.Switch || d.Kind == state.NewAffair }

// fromUser returns a window from its first message of the user on: a prompt that begins with an answer is refused by some providers.
func fromUser(window []state.Message) []state.Message {
	at := slices.IndexFunc(window, func(msg state.Message) bool { return msg.Role == state.RoleUser })
	return window[max(at, 0):]
}

// idle reports whether the session had ended before now: nothing was said for longer than the setting.
func (m *Memory) idle(ctx context.Context, s state.Session, now time.Time) bool {
	return !s.LastAt.IsZero() && now.Sub(s.LastAt) > time.Duration(m.desk.Set(ctx).IdleMinutes)*time.Minute
}

// language returns the message's, else the session's, else the last user message's that shows one, else English.
func (m *Memory) language(v state.View, msg state.Message) string {
	fallback := v.Session.Language
	if fallback == "" {
		fallback = "en"
	}
	return text.Language(desk.Said(msg), fallback)
}
