package nodes

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
)

// KeepAccount makes a node add a page to the turn's account: what the trace has heard since the page before, and what of memory the
// node has decided to change. It rides in the commit of the node's work.
func KeepAccount(node Func) Func {
	return func(ctx context.Context, t state.Turn) (state.Turn, error) {
		t, err := node(ctx, t)
		addPage(ctx, &t)
		return t, err
	}
}

// KeepAccountInside makes a commit inside a node do the same.
func KeepAccountInside(commit CommitFunc) CommitFunc {
	return func(ctx context.Context, t state.Turn) (state.Turn, error) {
		addPage(ctx, &t)
		return commit(ctx, t)
	}
}

// addPage adds a page with what was not on one before, and to the turn's usage what the small model was asked.
func addPage(ctx context.Context, t *state.Turn) {
	trace := state.TraceFrom(ctx)
	if trace == nil {
		return
	}
	page := trace.Page()
	if effects := state.EffectsFrom(ctx); effects != nil {
		edits := effects.List()
		page.Writes = listWrites(edits)
		trace.Did(edits, func(id string) string {
			a, _ := t.View.Get().Affair(id)
			return a.Title
		})
	}
	if !page.Empty() {
		t.Account.Add(page)
	}
	if small := trace.TakeSmall(); small != (state.Usage{}) {
		t.Usage.Add(small)
	}
}

// mostWrites bounds how many changed documents a page names.
const mostWrites = 64

// listWrites names what the edits change, document by document, in their order. Messages are not among it: they are the turn.
func listWrites(edits []state.Effect) (out []account.Write) {
	more := 0
	for _, e := range edits {
		w := describeWrite(e)
		at := slices.IndexFunc(out, func(x account.Write) bool { return x.Of == w.Of })
		switch {
		case w.What == "":
		case at >= 0 && !strings.Contains(out[at].What, w.What):
			out[at].What += ", " + w.What
		case at >= 0:
		case len(out) == mostWrites:
			more++
		default:
			out = append(out, w)
		}
	}

	if more > 0 {
		out = append(out, account.Write{What: strconv.Itoa(more) + " more edits"})
	}
	return out
}

// describeWrite says what an edit changes; nothing of one that only files or counts.
func describeWrite(e state.Effect) account.Write {
	switch {
	case e.Record != nil:
		verb := "stored "
		if e.Record.ValidTo != nil {
			verb = "ended "
		}
		return account.Write{Of: compose.Origin{Kind: compose.OfRecord, ID: e.Record.ID}.String(), What: verb + string(e.Record.Kind)}
	case e.Repeat != nil:
		return account.Write{Of: compose.Origin{Kind: compose.OfRecord, ID: e.Repeat.ID}.String(), What: "said again"}
	case e.Archive != nil:
		return account.Write{Of: compose.Origin{Kind: compose.OfRecord, ID: e.Archive.ID}.String(), What: "archived"}
	case e.Affair != nil:
		return account.Write{Of: compose.Origin{Kind: compose.OfAffair, ID: e.Affair.ID}.String(), What: describeEdit(*e.Affair)}
	}
	return account.Write{}
}

// describeEdit says what of an affair an edit changes.
func describeEdit(e state.AffairEdit) string {
	var what []string
	say := func(changes bool, words string) {
		if changes {
			what = append(what, words)
		}
	}
	say(e.Create != nil, "opened")
	say(e.Status != "", string(e.Status))
	say(e.Title != "", "title")
	say(len(e.Facts)+len(e.Drop) > 0, strconv.Itoa(len(e.Facts)+len(e.Drop))+" key facts")
	say(e.SetPending, "pending actions")
	say(e.Summary != "", "summary")
	say(e.Absorb != nil, "took in another")
	say(e.Into != "", "merged into another")
	return strings.Join(what, ", ")
}
