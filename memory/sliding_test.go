package memory_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// planted is something said, what of it is to be kept, and the question that asks for it; small talk is only said.
type planted struct{ said, item, question string }

// dialogue reads what is planted in one language, and the small talk.
func dialogue(t *testing.T, file string) (told []planted, small []string) {
	t.Helper()
	f, err := os.Open(file)
	must(t, err)
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		said, question, ok := strings.Cut(lines.Text(), " | ")
		_, rest, _ := strings.Cut(said, "[")
		item, _, marked := strings.Cut(rest, "]")
		switch {
		case strings.HasPrefix(said, "#"):
		case !ok:
			small = append(small, said)
		case !marked:
			t.Fatalf("%s: nothing is planted in %q", file, said)
		default:
			told = append(told, planted{strings.NewReplacer("[", "", "]", "").Replace(said), item, question})
		}
	}
	return told, small
}

// Ninety in a hundred numbers, dates, names and decisions of a dialogue of two hundred messages stand in the summary that a
// prompt shows, or among the first five hits of the question that asks for them. The rules make the summary.
func TestALongDialogueKeepsWhatWasPlanted(t *testing.T) {
	t.Parallel()
	for _, judged := range []bool{false, true} { // false: what is filed where is as the script says, under nothing
		for _, lang := range []string{"cs", "pl", "ru", "en"} {
			t.Run(fmt.Sprintf("%s, judged by the rules %v", lang, judged), func(t *testing.T) {
				t.Parallel()
				told, small := dialogue(t, filepath.Join("testdata", "dialogues", lang+".txt"))
				w := newWorld()
				m := w.memory(t, func(c *memory.Config) { c.Settings.SummaryStrategy = "heuristic_only" })
				last := hold(t, w, m, told, small, judged)
				in, err := m.Turn().Gather(t.Context(), last.view, last.decision, "")
				must(t, err)
				if n := m.Tokens(in.Summary); n > m.Settings().Known(state.Scope{}).SummaryMaxTokens {
					t.Errorf("the summary has %d tokens", n)
				}
				inSummary, found, either := 0, 0, 0
				for _, p := range told {
					said := strings.Contains(in.Summary, p.item)
					hits, err := m.Recall(t.Context(), memory.Query{Scope: last.scope(), Text: p.question, Limit: 5})
					must(t, err)
					hit := slices.ContainsFunc(hits, func(h memory.Hit) bool { // not by the summary itself
						return strings.Contains(h.Text, p.item) && (h.Record == nil || h.Record.Kind != state.SummaryRecord)
					})
					inSummary, found, either = inSummary+one(said), found+one(hit), either+one(said || hit)
					if !said && !judged {
						t.Logf("lost: %q of %q", p.item, p.said)
					}
				}
				n := len(told)
				t.Logf("%d messages, %d planted: %d %% in the summary, %d %% in the first five hits, %d %% in either",
					last.view.Session.Messages, n, 100*inSummary/n, 100*found/n, 100*either/n)
				if n < 40 || float64(either) < .9*float64(n) {
					t.Errorf("kept %d of %d planted items", either, n)
				}
			})
		}
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (got turn) scope() state.Scope { return in(got.view.Session.ID) }

// hold holds a dialogue of a hundred turns.
func hold(t *testing.T, w *world, m *memory.Memory, told []planted, small []string, judged bool) (last turn) {
	t.Helper()
	for i := range 100 {
		w.pass(20 * time.Second)
		text := small[i%len(small)]
		if n := i / 2; i%2 == 0 && n < len(told) {
			text = told[n].said
		}
		var by *scripted.Small
		if !judged {
			by = judges(state.Continue, "", "", 0.9)
		}
		last = w.turn(t, m, in("s1"), by, text)
	}
	return last
}

// The summary grows with the logarithm of the number of messages and is never longer than it may be.
func TestTheSummaryGrowsWithTheLogarithm(t *testing.T) {
	t.Parallel()
	counter := token.New()
	for _, n := range []int{10, 100, 1000, 10_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			if n > 1000 && testing.Short() {
				t.Skip("long")
			}
			_, m := setup(t)
			var said []state.Message
			for i := range n {
				said = append(said, state.Message{Role: state.RoleUser, Text: fmt.Sprintf("Delivery %d came from supplier %d on pallet %d-%d.", i, 7*i, 100+i, i%9)})
			}
			must(t, m.Turn().Ingest(t.Context(), in("s1"), said...))
			edit(t, m, in("s1"), sessions.Change{End: true})
			r := summaries(t, m, in("s1"))[0]
			tokens, settings := counter.Count(r.Content), m.Settings().Known(state.Scope{})
			most := float64(settings.SummaryMaxTokens) / 6 * math.Log2(2+float64(n)/float64(settings.SummaryWindow))
			t.Logf("%d messages: %d tokens, %d key facts, version %d", n, tokens, len(r.Span.KeyFacts), r.Span.Version)
			if tokens == 0 || float64(tokens) > most || tokens > settings.SummaryMaxTokens || r.Span.Messages != n || r.Span.Covered != int64(n) {
				t.Errorf("%d tokens, at most %.0f; covers %+v", tokens, most, r.Span)
			}
		})
	}
}

// A thousand messages leave one record, and each message is summed up once.
func TestOneRecordIsKeptUpToDate(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, func(c *memory.Config) { c.Settings.SummaryStrategy = "heuristic_only" })
	covered := int64(0)
	for i := range 60 {
		got := w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), fmt.Sprintf("Parcel %d weighs %d kg.", 400+i, i))
		s := got.view.Session
		left := s.Messages - int64(m.Settings().Known(state.Scope{}).HistoryLimit)
		if s.Summarised < left || s.Summarised < covered || s.Summarised > max(0, s.Messages-4) {
			t.Fatalf("after %d messages %d are summed up", s.Messages, s.Summarised)
		}
		covered = s.Summarised
	}
	got := summaries(t, m, in("s1"))
	if len(got) != 1 || got[0].Span.Messages != int(covered) || got[0].Span.Covered != covered || got[0].Span.Version != int(covered)/6 {
		t.Errorf("want one record that covers %d messages, got %+v", covered, got)
	}
}

// The last messages fill most of the room before six have left the window: all but four are folded in.
func TestACrowdedWindowIsSummedUpEarly(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, func(c *memory.Config) {
		c.Settings.ContextWindow, c.Settings.MaxTokens, c.Settings.SummaryStrategy = 1200, 1000, "heuristic_only"
	})
	long := strings.Repeat("The crane lifts the beam onto the roof. ", 25)
	for i := range 5 {
		got := w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), fmt.Sprintf("Beam %d has the stamp %d. %s", i, 7100+i, long))
		want := int64(0)
		if i >= 2 {
			want = got.view.Session.Messages - 4
		}
		if s := got.view.Session; s.Summarised != want {
			t.Errorf("after %d messages: %d summed up, want %d", s.Messages, s.Summarised, want)
		}
	}
	if got := summaries(t, m, in("s1")); len(got) != 1 || !strings.Contains(got[0].Content, "7100") {
		t.Errorf("summary: %+v", got)
	}
}

func TestNoSummaryWhereItIsOff(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, func(c *memory.Config) {
		c.Settings.SummaryStrategy, c.Settings.HistoryLimit = "off", 2
		c.Small = scripted.Background(map[string]any{"summary": "never"}, nil)
	})
	var last turn
	for i := range 8 {
		last = w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), fmt.Sprintf("Parcel %d weighs %d kg.", 400+i, i))
	}
	in1, err := m.Turn().Gather(t.Context(), last.view, last.decision, "")
	if got := summaries(t, m, in("s1")); err != nil || len(got) > 0 || in1.Summary != "" {
		t.Errorf("want none, got %+v and %q, %v", got, in1.Summary, err)
	}
	edit(t, m, in("s1"), sessions.Change{End: true})
	if got := summaries(t, m, in("s1")); len(got) != 1 || got[0].Content != "" || got[0].Span.Last != 16 {
		t.Errorf("want the part's document without a text, got %+v", got)
	}
	on := w.memory(t, func(c *memory.Config) { c.Settings.SummaryStrategy = "heuristic_only" })
	if hits := texts(t, on, memory.Query{Scope: in("s1"), Text: "parcel 403", Kinds: []state.RecordKind{state.SummaryRecord}}); len(hits) > 0 {
		t.Errorf("a document without a text is found: %q", hits)
	}
}

// What a prompt shows as the session's summary it does not show as evidence too, and another session may recall it.
func TestTheSummaryStandsInAPromptOnce(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, func(c *memory.Config) {
		c.Settings.SummaryStrategy, c.Settings.HistoryLimit, c.Settings.SummaryWindow = "heuristic_only", 2, 2
	})
	continues := judges(state.Continue, "", "", 0.9)
	w.turn(t, m, in("s1"), continues, "The walrus called Bruno weighs 1200 kg.")
	w.turn(t, m, in("s1"), continues, "The keeper feeds him at noon.")
	for session, own := range map[string]bool{"s1": true, "s2": false} {
		got := w.turn(t, m, in(session), continues, "What does the walrus Bruno weigh?")
		in, err := m.Turn().Gather(t.Context(), got.view, got.decision, "")
		if err != nil || strings.Contains(in.Summary, "Bruno") != own {
			t.Errorf("%s: summary %q, %v", session, in.Summary, err)
		}
		for _, e := range in.Evidence {
			if strings.Contains(e.Source, "record summary") && (own || strings.Contains(e.Text, "noon")) {
				t.Errorf("%s: of its summary it needs not all as evidence: %+v", session, e)
			}
		}
	}
	hits := texts(t, m, memory.Query{Scope: in("s2"), Text: "walrus Bruno", Kinds: []state.RecordKind{state.SummaryRecord}})
	if len(hits) != 1 || !strings.Contains(hits[0], "1200 kg") {
		t.Errorf("the summary is found by recall: %q", hits)
	}
}

// What the small model says of a part that ends is masked; one that fails leaves a summary by rule and a note.
func TestASmallModelSumsUpAPart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		small *scripted.Small
		want  string
		note  string
	}{
		"a secret": {scripted.Background(map[string]any{"summary": "Bruno's key is sk-live-51HxyzABCDEFghijklmnop."}, nil), "Bruno's key is " + state.MaskOpening, ""},
		"fails":    {scripted.Background(nil, []string{"summary"}), "The walrus called Bruno weighs 1200 kg.", "summary: extracted"},
		"nonsense": {scripted.Background(map[string]any{"summary": "  "}, nil), "The walrus called Bruno weighs 1200 kg.", "summary: extracted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "The walrus called Bruno weighs 1200 kg.")
			w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "The keeper feeds him at noon.")
			trace := &state.Trace{}
			ctx := memory.ContextWithSmall(state.ContextWithTrace(t.Context(), trace), c.small)
			if _, err := m.Sessions().Edit(ctx, in("s1"), sessions.Change{End: true}); err != nil {
				t.Fatal(err)
			}
			got := summaries(t, m, in("s1"))[0].Content
			notes := strings.Join(trace.Notes(), "\n")
			if !strings.HasPrefix(got, c.want) || strings.Contains(got, "51Hxyz") || !strings.Contains(notes, c.note) || (c.note == "") != (notes == "") {
				t.Errorf("summary %q, notes %q", got, notes)
			}
		})
	}
}
