package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/detect"
	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Evidence below memory_retrieve_threshold, of this session session_search_threshold, stands in the account of the prompt and not in
// the prompt. Both compare with Why.Share, the share of the best possible score (package words). Recall by a tool, a command or in
// Go shows everything, with the share.

// surely is the share of the best possible score from which on a question of no affair is answered by a message of one: it has nearly
// all of its words.
const surely = .9

// recollection is the recall of one prompt.
type recollection struct {
	m     *Memory
	view  state.View
	msg   state.Message
	gone  mind.Cleared
	shown map[string]bool // origins of what was found
	out   []compose.Evidence

	associations []compose.Evidence
}

// recalled returns the evidence, as handlers of eino's callbacks hear of a retriever.
func (m *Memory) recalled(ctx context.Context, v state.View, d state.Decision, msg state.Message) (recollection, error) {
	ctx = callbacks.ReuseHandlers(ctx, &callbacks.RunInfo{Name: "recall", Type: "Mneme", Component: components.ComponentOfRetriever})
	ctx = callbacks.OnStart(ctx, &retriever.CallbackInput{Query: desk.Said(msg)})
	r, err := m.evidence(ctx, v, d, msg)
	if err != nil {
		callbacks.OnError(ctx, err)
		return r, err
	}
	docs := make([]*schema.Document, len(r.out))
	for i, e := range r.out {
		docs[i] = &schema.Document{ID: e.Of, Content: e.Text}
	}
	callbacks.OnEnd(ctx, &retriever.CallbackOutput{Docs: docs})
	return r, nil
}

// evidence recalls what fits the question, from the affair the turn is filed under and from what belongs to
// none. What the window shows anyway is left out, and so is what was cleared, and what says a
// preference once more. A message that points back asks the whole session, and so does a question of no affair of which nothing there
// knows: while an affair is active, nothing of another one mixes in unasked.
func (m *Memory) evidence(ctx context.Context, v state.View, d state.Decision, msg state.Message) (r recollection, err error) {
	r = recollection{m: m, view: v, msg: msg, shown: map[string]bool{}}
	if !m.desk.Set(ctx).EnableRAG {
		return r, nil
	}

	// Whose evidence it may be: the active affair's, or that of the one asked about, and what belongs to none.
	allowed := v.Session.Active
	if d.Kind == state.AdHoc && d.AffairID != "" {
		allowed = d.AffairID
	}

	if r.gone, err = m.desk.Cleared(ctx, desk.ScopeOf(v.Session)); err != nil {
		return r, err
	}
	into, err := m.desk.Joined(ctx, desk.ScopeOf(v.Session))
	if err != nil {
		return r, err
	}
	here := func(affair string) bool { return affair == "" || into.Of(affair) == allowed }

	// First what the message itself finds, then what it points back to, then what resembles it.
	best, err := r.recall(ctx, Query{Text: desk.Said(msg)}, 0, "recalled", here)
	if err != nil {
		return r, err
	}
	if err := r.lookBack(ctx, allowed, best); err != nil {
		return r, err
	}
	return r, r.associate(ctx, here)
}

// lookBack asks the whole session when the message points back, or when it is of no affair and the best found is not enough.
func (r *recollection) lookBack(ctx context.Context, allowed string, best float64) error {
	s := r.m.desk.Set(ctx)
	back := detect.Refer(r.m.language(r.view, r.msg), desk.Said(r.msg))
	q := Query{Text: back.Rest, Session: r.view.Session.ID, Limit: s.SessionSearchTopK + len(r.view.Window)}

	switch {
	case s.SessionSearchTopK == 0:
		return nil
	case back.Phrase != "":
		if _, err := r.recall(ctx, q, 0, "the message points back", nil); err != nil || !back.First {
			return err
		}
		return r.beginning(ctx)
	case back.Anaphor && len(r.view.Window) == 0:
		_, err := r.recall(ctx, q, 0, "the message points back and there is nothing before it", nil)
		return err
	case allowed == "" && best < s.SessionSearchThreshold && text.TraitsOf(desk.Said(r.msg)).Questions > 0:
		_, err := r.recall(ctx, q, surely, "little else is known of the question", nil)
		return err
	}
	return nil
}

// recall adds what a query finds of at least some share of the best possible score, and returns the best share. Of a query of the session
// alone so many are added as the setting says.
func (r *recollection) recall(
	ctx context.Context, q Query, least float64, why string, affair func(string) bool,
) (best float64, err error) {
	hits, err := r.m.Recall(ctx, r.within(q, affair))
	left := r.m.desk.Set(ctx).SessionSearchTopK
	for _, h := range hits {
		best = max(best, h.Why.Share)
		switch {
		case r.shown[h.Of] || h.Why.Share < least || q.Session != "" && left == 0:
		case h.Message != nil && !strings.Contains(h.Block, ".a") && r.inWindow(*h.Message): // attachments it does not show
		default:
			left--
			r.add(ctx, h, why)
		}
	}
	return best, err
}

// within returns the query of what the prompt may show.
func (r *recollection) within(q Query, affair func(string) bool) Query {
	q.Scope, q.Before, q.besidePreferences = desk.ScopeOf(r.view.Session), r.msg.Seq, true
	q.keep = words.Filter{Affair: affair, Doc: func(doc *words.Doc) bool {
		return doc.Kind != mind.AffairKind && !r.gone.HidesDoc(doc) && mind.SummaryOf(doc) != r.view.Session.ID &&
			(doc.Project == "" || doc.Project == r.view.Project)
	}}
	return q
}

// inWindow reports whether a message is one that the prompt shows anyway.
func (r *recollection) inWindow(msg state.Message) bool {
	return slices.ContainsFunc(r.view.Window, func(w state.Message) bool { return w.Turn == msg.Turn && w.Seq == msg.Seq })
}

// add makes evidence of a hit. One below the threshold is for the account only.
func (r *recollection) add(ctx context.Context, h Hit, why string) {
	from, _ := compose.ParseOrigin(h.Of)
	here := from.Kind == compose.OfMessage && from.ID == r.view.Session.ID
	if h.Record != nil && h.Record.Span != nil {
		h.Text = answeringLines(h.Record.Content, desk.Said(r.msg))
	}

	source := h.Source
	if h.Block != "" {
		source += ", " + h.Block
	}
	if name := h.Name(); name != "" { // by which it can be corrected or forgotten
		source += ", id " + name
	}
	e := compose.Evidence{Text: h.Text, Source: source, Score: h.Score, Why: why, Of: h.Of, Trust: h.trust(), Here: here}

	setting, threshold := "memory_retrieve_threshold", r.m.desk.Set(ctx).RetrieveThreshold
	if here {
		setting, threshold = "session_search_threshold", r.m.desk.Set(ctx).SessionSearchThreshold
	}
	if h.Why.Share < threshold {
		e.Out = fmt.Sprintf("%.2f of the best possible score, below %s %.2f", h.Why.Share, setting, threshold)
	}

	r.shown[h.Of] = true
	r.out = append(r.out, e)
}

// beginning adds what was said first in the session, since it was last cleared.
func (r *recollection) beginning(ctx context.Context) error {
	scope := desk.ScopeOf(r.view.Session)
	from, err := r.m.desk.Reads(ctx, scope)
	if err != nil {
		return err
	}

	q := store.Query{Collection: state.Messages, Prefix: scope.SessionKey() + "/", Limit: 2 * r.m.desk.Set(ctx).SessionSearchTopK}
	if r.view.Session.WindowFrom > 0 {
		q.After = scope.MessageKey(r.view.Session.WindowFrom)
	}

	first, err := ledger.Scan[state.Message](ctx, from, q)
	for _, msg := range first {
		of := compose.Origin{Kind: compose.OfMessage, ID: scope.Session, Seq: msg.Seq}.String()
		if heard(msg) && msg.Role != state.RoleAssistant && msg.Seq < r.msg.Seq && !r.inWindow(msg) && !r.shown[of] {
			r.shown[of] = true
			r.out = append(r.out, compose.Evidence{Text: desk.Said(msg), Source: messageSource(msg), Why: "said at the beginning", Trust: Hit{Message: &msg}.trust(), Here: true, Of: of})
		}
	}
	return err
}

// answeringLines returns the lines of a summary that share a word with a question; all of them when none does.
func answeringLines(summary, question string) string {
	asked := text.Terms(question)
	var out []string
	for line := range strings.SplitSeq(summary, "\n") {
		if slices.ContainsFunc(text.Terms(line), func(t string) bool { return slices.Contains(asked, t) }) {
			out = append(out, line)
		}
	}
	return cmp.Or(strings.Join(out, "\n"), summary)
}
