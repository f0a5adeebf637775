package state

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/state/account"
)

// Usage counts what models were asked in a turn. Tokens are those the provider reported, or our own
// count where it reports none.
type Usage struct {
	ModelCalls       int `bson:"model_calls" json:"model_calls"`
	SmallModelCalls  int `bson:"small_model_calls,omitempty" json:"small_model_calls"`
	PromptTokens     int `bson:"prompt_tokens" json:"prompt_tokens"`
	CompletionTokens int `bson:"completion_tokens" json:"completion_tokens"`
	CachedTokens     int `bson:"cached_tokens,omitempty" json:"cached_tokens,omitempty"`
	OfflineCalls     int `bson:"offline_calls,omitempty" json:"-"` // of ModelCalls those that the offline model answered, which is none
}

// Plus adds two counts.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		u.ModelCalls + v.ModelCalls, u.SmallModelCalls + v.SmallModelCalls,
		u.PromptTokens + v.PromptTokens, u.CompletionTokens + v.CompletionTokens, u.CachedTokens + v.CachedTokens, u.OfflineCalls + v.OfflineCalls,
	}
}

// Trace collects what happened in a turn. It travels in the context; a nil Trace swallows everything,
// so code that runs outside a turn needs no check. Safe for concurrent use.
type Trace struct {
	mu    sync.Mutex
	id    string
	nodes []account.NodeTime
	notes []string
	sums  string
	bill  Bill
	did   Did
	small Usage // of the bill, of the small model, since TakeSmall was called last

	page  account.Page // of the turn's account: what came since Page was called last
	reads int          // of the bill, on pages before
}

// Bill is what was paid: commits and reads of the store, and models.
type Bill struct {
	Commits int   `json:"commits"`
	Reads   int   `json:"reads"`
	Usage   Usage `json:"usage"`
}

// Note says aloud that something was done in a lesser way than hoped, and why.
func (t *Trace) Note(format string, args ...any) {
	note, plain := fmt.Sprintf(format, args...), fmt.Sprintf(format, withoutTexts(args)...)
	t.locked(func() {
		t.notes = append(t.notes, note)
		if !slices.Contains(t.page.Notes, plain) {
			t.page.Notes = append(t.page.Notes, plain)
		}
	})
}

// withoutTexts returns the arguments of a note as the account keeps them: numbers, times and words of ours stay, an error is its
// code, and a text, which may be anybody's, is left out.
func withoutTexts(args []any) []any {
	out := slices.Clone(args)
	for i, arg := range args {
		switch arg := arg.(type) {
		case error:
			out[i] = string(CodeOf(arg))
		case string, []string, fmt.Stringer:
			if _, ok := arg.(time.Duration); !ok {
				out[i] = untold{}
			}
		}
	}
	return out
}

// untold stands for a text in a note, whatever its verb is.
type untold struct{}

// Format writes an ellipsis.
func (untold) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("…")) } // into memory

// Judged keeps what the rules weighed when they judged the message.
func (t *Trace) Judged(sums string) { t.locked(func() { t.sums, t.page.Weighed = sums, sums }) }

// Recalled keeps what a recall found.
func (t *Trace) Recalled(r account.Recalled) {
	t.locked(func() { t.page.Recalls = append(t.page.Recalls, r) })
}

// Page returns what the account is to have of what came since the call before.
func (t *Trace) Page() (page account.Page) {
	t.locked(func() {
		page, t.page = t.page, account.Page{}
		page.Reads, t.reads = t.bill.Reads-t.reads, t.bill.Reads
	})
	return page
}

// Sums returns what the rules weighed, "" if they judged nothing.
func (t *Trace) Sums() (sums string) {
	t.locked(func() { sums = t.sums })
	return sums
}

// Node records one visit of a node.
func (t *Trace) Node(n account.NodeTime) {
	t.locked(func() { t.nodes, t.page.Nodes = append(t.nodes, n), append(t.page.Nodes, n) })
}

// Charge adds to the bill.
func (t *Trace) Charge(b Bill) {
	t.locked(func() {
		t.bill.Commits += b.Commits
		t.bill.Reads += b.Reads
		t.bill.Usage = t.bill.Usage.Plus(b.Usage)
		if b.Usage.SmallModelCalls > 0 {
			t.small = t.small.Plus(b.Usage)
		}
	})
}

// Name gives the turn's trace the id that a tracer knows it by; the first one counts.
func (t *Trace) Name(id string) {
	t.locked(func() { t.id = cmp.Or(t.id, id) })
}

// ID returns the id that a tracer knows the turn's trace by, "" if there is none.
func (t *Trace) ID() (id string) {
	t.locked(func() { id = t.id })
	return id
}

// Did takes in what edits of memory do; see Did.Add.
func (t *Trace) Did(edits []Effect, title func(id string) string) {
	t.locked(func() { t.did.Add(edits, title) })
}

// Done returns what was done to memory so far. Its lists are not to be changed.
func (t *Trace) Done() (did Did) {
	t.locked(func() { did = t.did })
	return did
}

// TakeSmall returns what the small model was asked since the call before.
func (t *Trace) TakeSmall() (u Usage) {
	t.locked(func() { u, t.small = t.small, Usage{} })
	return u
}

// Notes returns what was noted so far.
func (t *Trace) Notes() (notes []string) {
	t.locked(func() { notes = slices.Clone(t.notes) })
	return notes
}

// Nodes returns the visits so far, in order.
func (t *Trace) Nodes() (nodes []account.NodeTime) {
	t.locked(func() { nodes = slices.Clone(t.nodes) })
	return nodes
}

// Bill returns the bill so far.
func (t *Trace) Bill() (bill Bill) {
	t.locked(func() { bill = t.bill })
	return bill
}

// locked does something with the trace, if there is one.
func (t *Trace) locked(do func()) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	do()
}

type traceKey struct{}

// ContextWithTrace makes t collect what happens under the context.
func ContextWithTrace(ctx context.Context, t *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceFrom returns the trace of the context, nil outside a turn.
func TraceFrom(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}
