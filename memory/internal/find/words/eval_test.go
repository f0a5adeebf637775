package words

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
)

var (
	evalDir = flag.String("retrieval", "../../../../e2e/retrieval/testdata", "folder of development conversations, JSON Lines")
	ablate  = flag.Bool("ablate", false, "print the figures without each lever")
)

// line is one of a file of conversations and questions about them.
type line struct {
	Op, Conversation, Session, ID, Speaker, Text string
	Role                                         state.Role
	At                                           time.Time
	Gold                                         []string
}

// conversation is an index and what is asked of it.
type conversation struct {
	index *Index
	asked []line
}

// conversations reads a file, in the order of names.
func conversations(t testing.TB, path string) []conversation {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	at := map[string]int{}
	var out []conversation
	for d, seq := json.NewDecoder(f), int64(0); ; seq++ {
		var l line
		if err := d.Decode(&l); err == io.EOF {
			return out
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		i, ok := at[l.Conversation]
		if !ok {
			i = len(out)
			at[l.Conversation] = i
			out = append(out, conversation{index: New()})
		}
		if l.Op == "query" {
			out[i].asked = append(out[i].asked, l)
			continue
		}
		out[i].index.Put(Doc{
			ID: l.ID, Text: l.Text, Speaker: l.Speaker, Role: l.Role, At: l.At, Group: l.Session,
			Order: l.At.UnixMilli()<<12 | seq&0xfff, Kind: string(state.Messages),
		})
	}
}

// figures are means over questions.
type figures struct {
	n, r1, r5, r10, mrr, ndcg float64
}

// add counts a question: the ranked ids and those that answer it.
func (f *figures) add(ranked, gold []string) {
	recall := func(k int) float64 {
		n := 0
		for _, id := range ranked[:min(k, len(ranked))] {
			if slices.Contains(gold, id) {
				n++
			}
		}
		return float64(n) / float64(len(gold))
	}
	first, gain, ideal := 0.0, 0.0, 0.0
	for i, id := range ranked {
		if !slices.Contains(gold, id) {
			continue
		}
		if first == 0 {
			first = 1 / float64(i+1)
		}
		if i < 10 {
			gain += 1 / math.Log2(float64(i+2))
		}
	}
	for i := range min(len(gold), 10) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	*f = figures{f.n + 1, f.r1 + recall(1), f.r5 + recall(5), f.r10 + recall(10), f.mrr + first, f.ndcg + gain/ideal}
}

func (f figures) String() string {
	p := 100 / max(f.n, 1)
	return fmt.Sprintf("n %4.0f   R@1 %4.1f  R@5 %4.1f  R@10 %4.1f  MRR %4.1f  NDCG@10 %4.1f", f.n, f.r1*p, f.r5*p, f.r10*p, f.mrr*p, f.ndcg*p)
}

// evaluate asks every question, by the profile of each index as the lever leaves it.
func evaluate(convs []conversation, lever func(*profile)) figures {
	var f figures
	for _, c := range convs {
		p := c.index.t.profile()
		lever(&p)
		for _, q := range c.asked {
			var ranked []string
			for _, h := range c.index.search(Query{Text: q.Text, Limit: 50, Around: true}, p) {
				ranked = append(ranked, h.ID)
			}
			f.add(ranked, q.Gold)
		}
	}
	return f
}

// levers are the parts of the ranking; each takes one out.
func levers() []struct {
	name string
	out  func(*profile)
} {
	return []struct {
		name string
		out  func(*profile)
	}{
		{"all", func(*profile) {}},
		{"plain BM25 of own words", func(p *profile) { *p = profile{fields: Fields{Own: 1}} }},
		{"formula without expansion", func(p *profile) { p.kin, p.concept, p.alike = 0, 0, 0 }},
		{"- kin", func(p *profile) { p.kin = 0 }},
		{"- concepts", func(p *profile) { p.concept = 0 }},
		{"- alike", func(p *profile) { p.alike = 0 }},
		{"- neighbours", func(p *profile) { p.fields.Prev, p.fields.Win, p.fields.Pair = 0, 0, 0 }},
		{"- session", func(p *profile) { p.fields.Session = 0 }},
		{"- role", func(p *profile) { p.user = 0 }},
		{"- speaker", func(p *profile) { p.speaker, p.speakers = 0, 0 }},
		{"- questions", func(p *profile) { p.question = 0 }},
		{"- length", func(p *profile) { p.length = 0 }},
		{"- time", func(p *profile) { p.time, p.month, p.day = 0, 0, 0 }},
		{"- number", func(p *profile) { p.number = 0 }},
		{"- off topic", func(p *profile) { p.offTopic = 0 }},
		{"- instruction, preference", func(p *profile) { p.instruction, p.preference = 0, 0 }},
	}
}

// TestDevelopmentData prints figures per file of conversations, and with -ablate those without each lever.
func TestDevelopmentData(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(*evalDir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skipf("no conversations in %s", *evalDir)
	}
	for _, path := range files {
		convs := conversations(t, path)
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		for _, l := range levers() {
			f := evaluate(convs, l.out)
			if l.name == "all" || *ablate {
				t.Logf("%-10s %-26s %v", name, l.name, f)
			}
		}
	}
}
