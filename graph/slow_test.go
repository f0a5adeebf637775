package graph_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// slow is a small model that takes its time over every question; 0 = for ever.
type slow struct {
	model.BaseChatModel
	takes time.Duration
}

func (s slow) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	var over <-chan time.Time
	if s.takes > 0 {
		over = time.After(s.takes)
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-over:
		return s.BaseChatModel.Generate(ctx, in, opts...)
	}
}

// A turn that switches waits for the slow small model once, before its first word; the affair it leaves is summed up behind the
// reply. One that never answers costs detect_timeout, once, and a note says that the rules decided.
func TestASlowSmallModelDelaysTheFirstWordOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		takes, first, whole time.Duration // of the model; until the first word and the end of the turn at most
		by, noted           string
	}{
		"two seconds":  {2 * time.Second, 3 * time.Second, 5 * time.Second, "model", ""},
		"never":        {0, 5 * time.Second, 30 * time.Second, "rules", "gave no answer within 5s"},
		"four seconds": {4 * time.Second, 5 * time.Second, 9 * time.Second, "model", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				settings := state.DefaultSettings()
				settings.Detect = "model"
				g, err := graph.New(t.Context(), graph.Config{Store: ram.New(), Model: offline.New(), Settings: settings})
				must(t, err)
				defer g.Close()
				invoke(t, g, ask("The university sent an email about the entrance exam on June 4.", state.NewAffair, "", "University"))
				invoke(t, g, ask("I ordered brake pads, order number 07-14244-53150.", state.NewAffair, "", "Brake pads"))
				small := slow{scripted.Background(map[string]any{
					"detect": map[string]any{"type": "SWITCH", "target_affair": "University", "confidence": 0.95, "reasoning": "back to it"},
					"park":   map[string]any{"summary": "The pads are ordered.", "key_facts": map[string]any{}, "pending_actions": []string{}},
				}, nil), c.takes}

				// The turn, in the bubble's time.
				began, first := time.Now(), time.Duration(0)
				var reply *graph.Reply
				for e, err := range g.Stream(t.Context(), graph.Request{Text: "Back to the university: when is the exam?", SmallModel: small}) {
					must(t, err)
					if e.Name == state.TokenEvent && first == 0 {
						first = time.Since(began)
					}
					reply = e.Reply
				}
				whole := time.Since(began)
				t.Logf("the first word after %v, the end after %v", first, whole)
				if first == 0 || first > c.first || whole > c.whole {
					t.Errorf("the first word after %v, the end after %v: want %v and %v at most", first, whole, c.first, c.whole)
				}
				if d := reply.Decision; d.Kind != state.Switch || d.Title != "University" || d.By != c.by {
					t.Errorf("decided %+v", d)
				}
				if notes := fmt.Sprint(reply.Trace.Notes); !strings.Contains(notes, c.noted) || c.noted == "" && notes != "[]" {
					t.Errorf("notes %s, want %q", notes, c.noted)
				}
			})
		})
	}
}
