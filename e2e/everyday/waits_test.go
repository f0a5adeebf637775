package everyday_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
)

// TestWaits: who asks what waits for him is told what is open, and neither what is done, called off or moved nor what is another's. Shown is what stands in a
// prompt of the turn, whatever the reply says.
func TestWaits(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]struct{ told, wrongly float64 }{"dev": {0.28, 0.15}, "held": {0.27, 0.09}} {
		told, shown, of, wrongly, all := 0, 0, 0, 0, 0
		for _, file := range files(t, set, "waits") {
			g, p, n, w, m := 0, 0, 0, 0, 0
			for _, d := range read[dialogue](t, file) {
				replies := d.replies(t)
				for i, u := range d.Turns {
					if u.Kind != "waits" {
						continue
					}
					missed, wrong := u.weigh(replies[i].Text)
					unseen, _ := u.weigh(prompts(replies[i]))
					g, p, n = g+len(u.Answer)-len(missed), p+len(u.Answer)-len(unseen), n+len(u.Answer)
					w, m = w+len(wrong), m+len(u.Not)
					if set == "dev" && len(missed)+len(wrong) > 0 {
						t.Logf("%s: %q\n\tmissed %q, wrongly %q, told %s", d.ID, u.Say, missed, wrong, replies[i].Text)
					}
				}
			}
			t.Logf("%s %s: told %d of %d (shown %d), wrongly %d of %d", set, filepath.Base(file), g, n, p, w, m)
			told, shown, of, wrongly, all = told+g, shown+p, of+n, wrongly+w, all+m
		}
		t.Logf("%s: told %d of %d (shown %d), wrongly %d of %d", set, told, of, shown, wrongly, all)
		if float64(told)/float64(of) < want.told || float64(wrongly)/float64(all) > want.wrongly {
			t.Errorf("%s: want %.2f told and %.2f wrongly", set, want.told, want.wrongly)
		}
	}
}

// weigh returns what a reply misses of the answer, and what it has that it should not.
func (u turn) weigh(reply string) (missed, wrong []string) {
	has := func(s string) bool { return strings.Contains(strings.ToLower(reply), strings.ToLower(s)) }
	for _, s := range u.Answer {
		if !has(s) {
			missed = append(missed, s)
		}
	}
	for _, s := range u.Not {
		if has(s) {
			wrong = append(wrong, s)
		}
	}
	return missed, wrong
}

// prompts is what a turn's model calls were shown.
func prompts(r graph.Reply) string {
	var b strings.Builder
	for _, prompt := range r.Trace.Prompts {
		for _, m := range prompt {
			b.WriteString(m.Content + "\n")
		}
	}
	return b.String()
}
