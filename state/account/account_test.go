package account_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
	"github.com/mneme-graph/mneme/state/statetest"
)

// drawAccount is any page: of what code writes, with numbers that are kept exactly.
func drawAccount(r *rapid.T) account.Page {
	word := rapid.StringMatching(`[a-z][a-zé ]{0,12}[a-z]`)
	of := rapid.SampledFrom([]string{
		"", "message /7", "message other/8", "record r 1", "record r2", "affair a1", "affair a1/summary", "affair a1/facts:~1f", "session s/summary",
	})
	count := rapid.IntRange(0, 9000)
	line := rapid.Custom(func(r *rapid.T) account.Line {
		return account.Line{
			Of: of.Draw(r, "of"), Sum: rapid.SampledFrom([]string{"", "a1", "ffff"}).Draw(r, "sum"), Count: count.Draw(r, "count"),
			Tokens: count.Draw(r, "tokens"), Why: word.Draw(r, "why"), Dropped: rapid.Bool().Draw(r, "dropped"),
			Reason: rapid.SampledFrom([]string{"", "over the share"}).Draw(r, "reason"),
		}
	})
	section := rapid.Custom(func(r *rapid.T) account.Section {
		return account.Section{
			Name: word.Draw(r, "name"), Tokens: count.Draw(r, "used"), Budget: count.Draw(r, "budget"), Lines: rapid.SliceOfN(line, 0, 4).Draw(r, "lines"),
		}
	})
	prompt := rapid.Custom(func(r *rapid.T) account.Prompt {
		return account.Prompt{
			Tokens: count.Draw(r, "all"), Limit: count.Draw(r, "limit"), Messages: count.Draw(r, "messages"), More: count.Draw(r, "more"),
			Sections: rapid.SliceOfN(section, 0, 4).Draw(r, "sections"),
		}
	})
	hit := rapid.Custom(func(r *rapid.T) account.Hit {
		h := account.Hit{Of: of.Draw(r, "hit"), Score: float64(rapid.IntRange(0, 999).Draw(r, "score")) / 100}
		for _, name := range []string{"text", "×role"} {
			if n := rapid.IntRange(2, 90).Draw(r, name); n%3 > 0 {
				h.Figures = append(h.Figures, account.Figure{Name: name, Value: float64(n) / 100})
			}
		}
		return h
	})
	recall := rapid.Custom(func(r *rapid.T) account.Recalled {
		return account.Recalled{By: "prompt", More: count.Draw(r, "more hits"), Hits: rapid.SliceOfN(hit, 0, 4).Draw(r, "hits")}
	})
	node := rapid.Custom(func(r *rapid.T) account.NodeTime {
		return account.NodeTime{Node: "intake", Took: time.Duration(count.Draw(r, "took")) * time.Microsecond, Again: rapid.Bool().Draw(r, "again")}
	})
	wrote := rapid.Custom(func(r *rapid.T) account.Write {
		return account.Write{Of: of.Draw(r, "wrote"), What: word.Draw(r, "what")}
	})
	return account.Page{
		Nodes: rapid.SliceOfN(node, 0, 3).Draw(r, "nodes"), Reads: count.Draw(r, "reads"), Weighed: rapid.SampledFrom([]string{"", "cues +1.0"}).Draw(r, "weighed"),
		Notes: rapid.SliceOfN(word, 0, 3).Draw(r, "notes"), Writes: rapid.SliceOfN(wrote, 0, 3).Draw(r, "writes"),
		Recalls: rapid.SliceOfN(recall, 0, 2).Draw(r, "recalls"), Prompts: rapid.SliceOfN(prompt, 0, 2).Draw(r, "prompts"),
	}
}

// What a turn's log keeps of its account is what is read back.
func TestAccountIsReadBack(t *testing.T) {
	t.Parallel()
	byName := cmpopts.SortSlices(func(a, b account.Figure) bool { return a.Name < b.Name })
	rapid.Check(t, func(r *rapid.T) {
		want := drawAccount(r)
		kind, value, err := bson.MarshalValue(want)
		must(r, err)
		var got account.Page
		must(r, (bson.RawValue{Type: kind, Value: value}).Unmarshal(&got))
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-9), byName); diff != "" {
			r.Fatalf("read back (-want +got):\n%s\nstored:\n%s", diff, want)
		}
	})
}

// Prompts of one turn are kept as what is new in each, and come back whole.
func TestPromptSinceTheOneBefore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var pages []account.Page
		var all []account.Prompt
		for range rapid.IntRange(1, 4).Draw(r, "prompts") {
			p := account.Prompt{Tokens: rapid.IntRange(1, 9).Draw(r, "tokens")}
			for _, name := range []string{"Brain", "History", "Turn"} {
				if n := rapid.IntRange(0, 2).Draw(r, name); n > 0 {
					p.Sections = append(p.Sections, account.Section{Name: name, Tokens: n, Lines: []account.Line{{Tokens: n}}})
				}
			}
			all = append(all, p)
			if before, ok := account.LastPrompt(pages); ok {
				p = p.Since(before)
			}
			pages = append(pages, account.Parse(account.Page{Prompts: []account.Prompt{p}}.String()))
			last, ok := account.LastPrompt(pages)
			if diff := cmp.Diff(all[len(all)-1], last, cmpopts.EquateEmpty()); diff != "" || !ok {
				r.Fatalf("the last prompt (-want +got):\n%s", diff)
			}
		}
	})
}

// Whatever a page holds is read without a failure, and what was understood of it is stored the same.
func FuzzParseAccount(f *testing.F) {
	f.Add("p\t1\t2\n#\tBrain\t3\n=\twhy\n+\t4\tm/7\t1\n-\t4\t^8\t9\n")
	f.Add("h\tprompt\t1\ttext ×role\n.\t3.5\tra\t50 NaN 7\n.\n+\n=\n~\n^\ne\t^\n")
	f.Fuzz(func(t *testing.T, text string) {
		a := account.Parse(text)
		again := account.Parse(a.String())
		if diff := cmp.Diff(again.String(), account.Parse(again.String()).String()); diff != "" {
			t.Errorf("%q is not stored as it is read:\n%s", text, diff)
		}
	})
}

// A note is shown with its texts and kept without them.
func TestNotesAreKeptWithoutTexts(t *testing.T) {
	t.Parallel()
	var trace state.Trace
	trace.Note("park %q of %d bytes, last touched %s: %v", "my divorce", 7, "Monday", state.Errorf(state.Unavailable, "model", "he said %s", "my divorce"))
	trace.Note("again: %v after %s", errors.New("my divorce"), 2*time.Second)
	page := trace.Page()
	want := []string{"park … of 7 bytes, last touched …: unavailable", "again: internal after 2s"}
	if diff := cmp.Diff(want, page.Notes); diff != "" {
		t.Errorf("kept notes (-want +got):\n%s", diff)
	}
	if all := strings.Join(trace.Notes(), "\n"); !strings.Contains(all, "my divorce") {
		t.Errorf("the trace's notes are %q, want the texts in them", all)
	}
	if page = trace.Page(); !page.Empty() {
		t.Errorf("the next page is %+v, want nothing on it twice", page)
	}
}

var must = statetest.Must
