package poison_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// refusable is how many of a hundred normal facts may be refused, or kept for less than they are.
const refusable = 3

// fact is what a model stores in a turn.
type fact struct{ lang, user, page, paper, content, kind, about, want string }

// At most three of a hundred normal facts are refused or kept with too low a trust to be used: what users say of themselves as theirs, what
// tools and documents bring as what it is.
func TestFacts(t *testing.T) {
	t.Parallel()
	var all []fact
	for _, f := range lines(t, "told.txt", 7) {
		lang, user, other, one, two, kind, about := f[0], f[1], f[2], f[3], f[4], f[5], f[6]
		all = append(all, fact{lang, user, other, "", one, kind, about, "own"}, fact{lang, user, "", other, two, kind, about, "own"}, fact{lang, user, "", "", one, kind, about, "own"})
	}
	for _, f := range lines(t, "brought.txt", 7) {
		x := fact{lang: f[0], user: f[1], content: f[4], kind: f[5], about: f[6], want: "kept"}
		switch f[2] {
		case "tool":
			x.page = f[3]
		case "document":
			x.paper = f[3]
		default:
			x.want = "own"
		}
		all = append(all, x)
	}
	var lost, own atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d of %d refused or kept for less, %d kept as the user's", lost.Load(), len(all), own.Load())
		if n := lost.Load(); len(all) < 300 || 100*n > refusable*int64(len(all)) {
			t.Errorf("%d of %d normal facts are refused or kept for less, at most %d %% may", n, len(all), refusable)
		}
	})
	for i, f := range all {
		t.Run(fmt.Sprint(f.lang, i), func(t *testing.T) {
			t.Parallel()
			trust, told := f.play(t)
			if trust != "" && !trust.Foreign() {
				own.Add(1)
			}
			if trust == "" || f.want == "own" && trust.Foreign() {
				lost.Add(1)
				t.Logf("%q: %q comes to %q: %s", f.user, f.content, trust, told)
			}
		})
	}
}

// play plays the turn and says what trust the fact is kept with, "" when it is not, and what the tool told the model.
func (f fact) play(t *testing.T) (state.Trust, string) {
	t.Helper()
	w := open(t, nil)
	_, pads, _, _ := spoken(f.lang)
	w.turn(t, "s0", pads, nil)
	var acts []func([]*schema.Message) []schema.ToolCall
	if f.page != "" {
		acts = append(acts, w.reads(f.page))
	}
	acts = append(acts, func([]*schema.Message) []schema.ToolCall {
		if f.kind == "task" {
			return []schema.ToolCall{call("schedule_task", fmt.Sprintf(`{"title":%q,"due":"2026-03-06"}`, f.content))}
		}
		return []schema.ToolCall{store("note", f.content, f.kind, f.about, "")}
	})
	w.turn(t, "s0", f.user, func(r *graph.Request) {
		if f.paper != "" {
			r.Attachments = []state.Attachment{{Name: "paper.txt", MIME: "text/plain", Text: f.paper}}
		}
	}, acts...)
	told := ""
	for _, m := range w.actor.prompt {
		if m.Role == schema.Tool {
			told = m.Content
		}
	}
	if strings.HasPrefix(told, "error") {
		return "", told
	}
	records, err := w.g.Memory().Records(t.Context(), state.Scope{}.Default())
	must(t, err)
	for _, r := range records {
		if r.Valid(w.clock().Add(time.Hour)) && r.Source.Tool != "" && (strings.Contains(letters(r.Content), letters(f.content)) || strings.Contains(told, r.ID)) {
			return r.Trust, told
		}
	}
	return "", told
}
