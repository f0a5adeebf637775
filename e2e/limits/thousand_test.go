package limits_test

import (
	"cmp"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// long tells whether there is time for the whole of what takes minutes.
func long() bool { return os.Getenv("MNEME_LONG") != "" }

// TestAThousandMessages talks of everyday matters for a thousand messages, half of them the agent's: small talk, a dozen affairs that
// come back, numbers that look alike. What the user said in messages 1, 10, 100 and 500 is in the prompt or recalled in the end, and a
// turn then costs what it did at message 100. With MNEME_LONG=1 the user alone says a thousand, in every language.
func TestAThousandMessages(t *testing.T) {
	const (
		moreTokens = 1.25 // of the prompt, of those at message 100, when the summaries are not at their most yet
		moreTime   = 1.3  // of a turn; the ceiling is twice that, for a machine with much else to do
		window     = 60   // messages that are measured at each place: the matters by turns
	)
	for lang, talk := range everydayTalks() {
		t.Run(lang, func(t *testing.T) {
			said := 240
			if lang == "en" {
				said = 500
			}
			if long() {
				said = 1000
			}
			c := newConversation(t, lang, talk)
			for i := 1; i <= said; i++ {
				c.say(t, i)
			}

			// What was said long ago is answered, from a prompt of a few thousand tokens.
			shown, most := 0, 0
			for at, f := range talk.facts {
				if at > said {
					continue
				}
				prompts := c.ask(t, f.question)
				if strings.Contains(prompts[0], f.value) {
					shown++
				}
				last := prompts[len(prompts)-1]
				if most = max(most, c.counts.Count(last)); !strings.Contains(last, f.value) {
					t.Errorf("message %d, %q: %q is not in the prompt, nor recalled", at, f.question, f.value)
				}
			}
			t.Logf("%d of %d facts are shown unasked, the others recalled; the longest prompt has %d tokens", shown, len(talk.facts), most)

			// What it costs.
			early, late := c.around(100+window/2, window), c.around(said, window)
			tokens, took := float64(late.tokens)/float64(early.tokens), float64(late.took)/float64(early.took)
			t.Logf("%d messages of the user's: a prompt has %d tokens at 100 and %d in the end (x %.3f), a turn takes %v and %v (x %.2f)",
				said, early.tokens, late.tokens, tokens, early.took, late.took, took)
			if tokens > moreTokens {
				t.Errorf("a prompt has %d tokens at message 100 and %d at %d", early.tokens, late.tokens, said)
			}
			if took > 2*moreTime {
				t.Errorf("a turn takes %v at message 100 and %v at %d: x %.2f, want x %.1f", early.took, late.took, said, took, moreTime)
			}
		})
	}
}

// cost is what a turn cost.
type cost struct {
	took   time.Duration
	tokens int // of its first prompt
}

// conversation is one that is generated, always the same.
type conversation struct {
	talk   talk
	dice   *rand.Rand
	g      *graph.Graph
	heard  *hearing
	counts *token.Counter
	costs  []cost // of each message
}

func newConversation(t *testing.T, lang string, talk talk) *conversation {
	t.Helper()
	seed := uint64(0)
	for _, b := range []byte(lang) {
		seed = seed<<8 | uint64(b)
	}
	c := &conversation{talk: talk, dice: rand.New(rand.NewPCG(seed, 1000)), heard: &hearing{answers: talk.answers}, counts: token.New()}
	at, n := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), 0
	var err error
	c.g, err = graph.New(t.Context(), graph.Config{
		Store: ram.New(), Model: c.heard, Tokens: c.counts,
		Now:   func() time.Time { at = at.Add(7 * time.Second); return at },
		NewID: func() string { n++; return "id" + word(n) },
	})
	must(t, err)
	t.Cleanup(func() { must(t, c.g.Close()) })
	return c
}

// say says the i-th message.
func (c *conversation) say(t *testing.T, i int) {
	t.Helper()
	text := c.talk.line(c.dice, i)
	began := time.Now()
	prompts := c.turn(t, text)
	c.costs = append(c.costs, cost{time.Since(began), c.counts.Count(prompts[0])})
}

// ask is a question after some small talk, and the prompts of its turn: the model looks it up.
func (c *conversation) ask(t *testing.T, question string) []string {
	t.Helper()
	c.turn(t, c.talk.idle[0])
	args, err := json.Marshal(map[string]string{"query": question, "scope": "all"})
	must(t, err)
	c.heard.looksUp = string(args)
	return c.turn(t, question)
}

// turn is a turn, and its prompts.
func (c *conversation) turn(t *testing.T, text string) []string {
	t.Helper()
	c.heard.prompts = nil
	if _, err := c.g.Invoke(t.Context(), graph.Request{Scope: state.Scope{Session: "long"}, Text: text}); err != nil {
		t.Fatal(err)
	}
	return c.heard.prompts
}

// around is what the last messages up to one cost: the mean of their tokens, the median of their time.
func (c *conversation) around(upTo, n int) cost {
	last := slices.Clone(c.costs[upTo-n : upTo])
	tokens := 0
	for _, l := range last {
		tokens += l.tokens
	}
	slices.SortFunc(last, func(a, b cost) int { return cmp.Compare(a.took, b.took) })
	return cost{last[n/2].took, tokens / n}
}

// hearing is a chat model that answers in a few sentences, looks up what it is told to, and keeps the prompts of a turn.
type hearing struct {
	answers []string
	answer  int
	looksUp string // the arguments of one call of memory_recall
	prompts []string
}

func (h *hearing) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return h, nil }

func (h *hearing) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	var b strings.Builder
	for _, m := range in {
		b.WriteString(m.Content + "\n")
	}
	h.prompts = append(h.prompts, b.String())
	if args := h.looksUp; args != "" {
		h.looksUp = ""
		return schema.AssistantMessage("", []schema.ToolCall{{ID: "1", Function: schema.FunctionCall{Name: "memory_recall", Arguments: args}}}), nil
	}
	h.answer++
	n := len(h.answers)
	return schema.AssistantMessage(h.answers[h.answer%n]+" "+h.answers[(h.answer*3+1)%n]+" "+h.answers[(h.answer*5+2)%n], nil), nil
}

func (h *hearing) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	out, err := h.Generate(ctx, in, opts...)
	return schema.StreamReaderFromArray([]*schema.Message{out}), err
}
