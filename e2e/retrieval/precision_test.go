package retrieval_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// remembered is what a user has had remembered, and what he asks later (data: testdata/precision, by hands that have not seen the rules).
type remembered struct {
	Memories  []memorised `json:"memories"`
	Questions []struct {
		Text     string   `json:"text"`
		Relevant []string `json:"relevant"`
	} `json:"questions"`
	Drift []struct {
		Talk     []string `json:"talk"`
		Question string   `json:"question"`
		Relevant []string `json:"relevant"`
	} `json:"drift"`
}

type memorised struct {
	ID         string           `json:"id"`
	Text       string           `json:"text"`
	Kind       state.RecordKind `json:"kind"`
	Project    string           `json:"project"`
	ReplacedBy string           `json:"replaced_by"`
}

// old is what a memory takes the place of, nil for nothing.
func (r memorised) old(set remembered) *memorised {
	for i := range set.Memories {
		if set.Memories[i].ReplacedBy == r.ID {
			return &set.Memories[i]
		}
	}
	return nil
}

// shown counts what prompts have of what is remembered.
type shown struct {
	questions, empty, emptyShown int
	precision, recall            float64 // sums over the questions that have an answer
	answered, any                int     // of them, and those with something shown
	superseded                   int
	drifted, lines               int
}

// TestPromptPrecision measures how much of what a prompt shows belongs to the question: of the whole prompt and of its evidence.
func TestPromptPrecision(t *testing.T) {
	t.Parallel()
	var whole, evidence shown
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		raw, err := os.ReadFile("testdata/precision/" + lang + ".json")
		must(t, err)
		var set remembered
		must(t, json.Unmarshal(raw, &set))
		var w, e shown
		measurePrompts(t, set, &w, &e)
		t.Logf("%s whole prompt %v; evidence %v", lang, w, e)
		whole.add(w)
		evidence.add(e)
	}
	t.Logf("all whole prompt %v; evidence %v", whole, evidence)
	if whole.precision < .40*float64(whole.any) || whole.recall < .70*float64(whole.answered) || evidence.precision < .57*float64(evidence.any) ||
		evidence.recall < .57*float64(evidence.answered) || whole.superseded > 0 || whole.drifted > 3 {
		t.Error("worse than before")
	}
}

func measurePrompts(t *testing.T, set remembered, whole, evidence *shown) {
	t.Helper()
	now, ids, ctx := time.Date(2026, 9, 1, 9, 0, 0, 0, time.UTC), 0, t.Context()
	g, err := graph.New(ctx, graph.Config{Store: ram.New(), Model: offline.New(), Now: func() time.Time { return now }, NewID: func() string {
		ids++
		return fmt.Sprintf("p-%05d", ids)
	}})
	must(t, err)
	defer func() { _ = g.Close() }()

	// All is told, the new after what it takes the place of.
	stored := map[string]string{}
	for _, anew := range []bool{false, true} {
		for _, r := range set.Memories {
			old := r.old(set)
			if (old != nil) != anew {
				continue
			}
			now = now.Add(26 * time.Hour)
			scope := state.Scope{User: "anna", Session: "told-" + r.ID}.Default()
			if anew {
				_, err = g.Memory().Amend(ctx, scope, memory.Amendment{Action: memory.CorrectRecord, ID: stored[old.ID], Content: r.Text, Kind: r.Kind})
			} else {
				var receipts []state.Receipt
				receipts, err = g.Memory().Write(ctx, scope, memory.Change{Content: r.Text, Kind: r.Kind, Trust: state.TrustUser, Author: "user"})
				stored[r.ID] = receipts[0].ID
			}
			must(t, err)
		}
	}

	// Each question in a session of its own.
	answers := len(set.Questions) + 5*len(set.Drift) // nothing of memory, so that no answer brings it back
	m := scripted.New(slices.Repeat([]scripted.Step{scripted.Say("I see.")}, answers), nil)
	prompt := func() (all string) {
		prompts := m.Prompts()
		for _, msg := range prompts[len(prompts)-1] {
			all += msg.Content + "\n"
		}
		return all
	}
	ask := func(session, text string) {
		now = now.Add(time.Hour)
		if _, err := g.Invoke(ctx, graph.Request{Scope: state.Scope{User: "anna", Session: session}, Text: text, Model: m}); err != nil {
			t.Fatal(err)
		}
	}
	for i, q := range set.Questions {
		ask(fmt.Sprintf("asks-%d", i), q.Text)
		all := prompt()
		whole.count(set, all, q.Relevant)
		_, after, _ := strings.Cut(all, "## Evidence")
		after, _, _ = strings.Cut(after, "\n#")
		evidence.count(set, after, q.Relevant)
	}
	for i, d := range set.Drift {
		session := fmt.Sprintf("drifts-%d", i)
		for _, said := range d.Talk {
			ask(session, said)
		}
		ask(session+"-later", d.Question)
		for line := range strings.SplitSeq(prompt(), "\n") {
			if strings.HasPrefix(line, "- ") {
				whole.lines++
				for _, said := range d.Talk {
					if strings.Contains(line, said[:min(len(said), 30)]) {
						whole.drifted++
						break
					}
				}
			}
		}
	}
}

// count counts what a text shows of the memories.
func (s *shown) count(set remembered, text string, relevant []string) {
	is := map[string]bool{}
	for _, id := range relevant {
		is[id] = true
	}
	has, right := 0, 0
	for _, r := range set.Memories {
		if !strings.Contains(text, strings.TrimSuffix(r.Text, ".")) || r.Kind == state.PreferenceRecord && !is[r.ID] && r.Project == "" {
			continue // how to answer stands in every prompt
		}
		has++
		if is[r.ID] {
			right++
		}
		if r.ReplacedBy != "" {
			s.superseded++
		}
	}
	s.questions++
	if len(relevant) == 0 {
		s.empty++
		s.emptyShown += has
		return
	}
	s.answered++
	s.recall += float64(right) / float64(len(relevant))
	if has > 0 {
		s.any++
		s.precision += float64(right) / float64(has)
	}
}

func (s *shown) add(o shown) {
	s.questions, s.empty, s.emptyShown = s.questions+o.questions, s.empty+o.empty, s.emptyShown+o.emptyShown
	s.precision, s.recall, s.answered, s.any = s.precision+o.precision, s.recall+o.recall, s.answered+o.answered, s.any+o.any
	s.superseded, s.drifted, s.lines = s.superseded+o.superseded, s.drifted+o.drifted, s.lines+o.lines
}

func (s shown) String() string {
	return fmt.Sprintf("precision %.2f at recall %.2f (%d questions), %.1f lines where nothing belongs, superseded %d, drift %d of %d lines",
		s.precision/float64(max(1, s.any)), s.recall/float64(max(1, s.answered)), s.questions, float64(s.emptyShown)/float64(max(1, s.empty)), s.superseded, s.drifted, s.lines)
}
