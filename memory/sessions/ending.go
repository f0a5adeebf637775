package sessions

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/ask/background"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/memory/internal/read/extract"
	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file is what a finished part of a session leaves: a digest, which is the active context of the agent's next session, and what it
// says of the user. It is made behind the reply, when somebody ends the session, or when the memory is closed, in the commit that writes
// the part's document.
//
// What was going on last is the digest of the last part of a session with the same agent (Span.Digest). It names affairs and how
// they stand, and none of their facts.
//
// A part of a session ends when somebody ends or clears it, or after session_idle_minutes: with the user's next message in the
// session that does not go on with what was active, with his next message in any other session, or when the memory is closed. Who
// comes back and goes on, having done nothing else, is still in the same part; a changed topic parks whatever the clock says. The
// part's record then says what it covers (state.Span). It is written behind the reply; until then the session lists the part
// (Session.Ending), so that a turn that is cut off loses none.
//
// A part is read once. Who comes second, another process that ends it at the same time, finds it read, and what he learnt from it is
// dropped when it is merged (state.Effect.Part). So what two models say of one part is never mixed.
//
// What a finished part says of the user is extracted in the commit that writes the part's document: by one question to the small
// model, else by rules. While the model does not answer, the part waits (Span.Waits) and is tried again when another one ends, the
// oldest first and three at most; a turn that got no answer asks about no further part. The trace says how many wait. Only what the
// user said is taken, and it goes through the same judging as any other write.

// learnPart takes out of a part that is over what is to be kept of it: its digest, and what it says of the user. The small model is asked
// once; while it does not answer the part waits for the next one that ends. Where parts are asked about in batches it waits for one of those,
// see Waiting. Without a model the rules read it.
func (e *edits) learnPart(ctx context.Context, r *state.Record) error {
	if r.Span.Digest != "" && !r.Span.Waits {
		return nil
	}
	said, err := e.partMessages(ctx, *r)
	if err != nil || len(said) == 0 {
		r.Span.Waits = false
		return err
	}
	answer, asked := e.askExtract(ctx, *r, said)
	r.Span.Waits = !asked
	return e.takeAnswer(ctx, r, said, answer)
}

// takeAnswer keeps what was found in a part, and its digest.
func (e *edits) takeAnswer(ctx context.Context, r *state.Record, said []state.Message, answer background.ExtractAnswer) error {
	r.Span.Digest = cmp.Or(e.x.desk.Tokens.Cut(e.x.desk.Mask(answer.Summary), parts.DigestTokens), r.Span.Digest, e.digest(*r, said))
	if r.Span.Waits || !e.x.desk.Set(ctx).ExtractionEnabled || e.x.desk.Autonomy(ctx, state.Scope{Agent: r.Agent}) == desk.ReadOnlyLevel {
		return nil
	}
	return e.x.keep(ctx, e.Edits, *r, said, answer)
}

// extractInput returns what a model is asked about a part.
func (e *edits) extractInput(ctx context.Context, r state.Record, said []state.Message) background.ExtractInput {
	in := background.ExtractInput{Agent: r.Agent, Messages: said, Language: e.View.Session.Language}
	own, err := e.x.desk.Own(ctx, e.Scope)
	if err == nil {
		for _, known := range e.x.inBrain(ctx, own) {
			in.Brain = append(in.Brain, mind.RecordText(known))
		}
	}
	return in
}

// askExtract returns what the small model finds in a part, or the rules where there is none. It reports false when the model did not answer, and
// when the part is to wait for a batch.
func (e *edits) askExtract(ctx context.Context, r state.Record, said []state.Message) (background.ExtractAnswer, bool) {
	if e.x.desk.Set(ctx).Batched() {
		return background.ExtractAnswer{}, false
	}

	in := e.extractInput(ctx, r, said)
	if small := e.x.desk.Small(ctx, r.Agent); small != nil {
		if e.Silent {
			return background.ExtractAnswer{}, false
		}
		answer, err := small.Extract(ctx, in)
		if !errors.Is(err, state.ErrNotFound) {
			if err != nil {
				e.Silent = true
				state.TraceFrom(ctx).Note("session %s: what it says of the user is extracted later, the small model did not answer: %v", r.Session, err)
			}
			return answer, err == nil
		}
	}

	return e.extractByRules(ctx, said), true
}

// extractByRules returns what the rules find in a part.
func (e *edits) extractByRules(ctx context.Context, said []state.Message) (out background.ExtractAnswer) {
	var texts []string
	var known []extract.Known
	if own, err := e.x.desk.Own(ctx, e.Scope); err == nil { // else less is told to have ended
		for _, r := range own {
			if r.Due == nil {
				known = append(known, extract.Known{Subject: r.Subject, Text: mind.RecordText(r)})
			}
		}
	}

	own := affair.FromUser(said)
	for _, msg := range own {
		texts = append(texts, whose.Own(msg.Said()))
	}
	lang := cmp.Or(e.View.Session.Language, text.Language(strings.Join(texts, "\n"), "en")) // a chat that was imported has none

	for _, f := range extract.Facts(texts, lang, known...) {
		if f.Label == extract.Delete && orders(own[f.Message]) {
			continue // carried out when it was said
		}
		out.Facts = append(out.Facts, background.ExtractedFact{Label: string(f.Label), Subject: f.Subject, Text: f.Content, Importance: f.Importance, One: f.One, Old: f.Old})
	}
	return out
}

// orders reports whether a message asks something of the memory: that was carried out when it was said.
func orders(msg state.Message) bool {
	c := spoken.Of(msg)
	return !c.IfKnown && c.Action != spoken.None
}

// partMessages returns what user and assistant have said in a part, oldest first, its last foldRead messages at most. What says a thing that
// was forgotten or corrected since, or was cleared, is left out, and so is what ordered the memory to remember or to correct something: that was
// done, or there was nothing to correct. An order to forget that was not understood says nothing either.
func (e *edits) partMessages(ctx context.Context, r state.Record) ([]state.Message, error) {
	scope, span := e.Scope, *r.Span
	scope.Session = r.Session
	d, err := e.x.desk.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	from, gone := d.Docs, d.Cleared
	d.Unlock()

	after := max(span.First-1, span.Last-foldRead)
	read, err := ledger.Scan[state.Message](ctx, from, store.Query{
		Collection: state.Messages, Prefix: scope.SessionKey() + "/", After: scope.MessageKey(after), Limit: foldRead,
	})

	for i, msg := range read {
		read[i] = d.Unsay(scope.Session, msg)
	}
	commands := spoken.Turns(read)
	return slices.DeleteFunc(read, func(msg state.Message) bool {
		c := spoken.Of(msg)
		obeyed := commands[msg.Turn] && (c.Order || slices.Contains([]spoken.Action{spoken.Remember, spoken.Pin, spoken.Unclear}, c.Action))
		unseen := gone.Hides(scope.Session, msg.Seq) || d.Outdated(scope.Session, msg) || obeyed
		return msg.Seq > span.Last || msg.Undone || msg.Role == state.RoleTool || msg.Text == "" || msg.Unstored() || unseen
	}), err
}

// digest returns what a part comes to, by rule: the affairs it spoke of and how they stand, then what was said besides, else what was
// said at all.
func (e *edits) digest(r state.Record, said []state.Message) string {
	count := e.x.desk.Tokens.Count
	var lines []string
	for _, id := range r.Span.Affairs {
		if a, ok := e.View.Affair(id); ok {
			lines = append(lines, a.Title+" ("+strings.ToLower(string(a.Status))+")")
		}
	}
	spoken := strings.Join(lines, "; ")
	left := parts.DigestTokens - count(spoken)
	rest := affair.Summarise(r.Content, nil, max(left, 1), count)
	if len(lines) == 0 && rest == "" {
		_, said = e.x.putRight("", said)
		rest = affair.Summarise("", affair.FromUser(said), parts.DigestTokens, count)
	}
	return e.x.desk.Tokens.Cut(strings.TrimSpace(spoken+"\n"+rest), parts.DigestTokens)
}
