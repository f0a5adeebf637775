package same

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// pair is a line of testdata: two records and what the second is to the first.
type pair struct {
	old, new state.Record
	want     Kind
	line     string
}

func pairs(t *testing.T, lang string) []pair {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", lang+".tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var out []pair
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 {
			t.Fatalf("%s: %q has %d fields, want 5", lang, line, len(f))
		}
		out = append(out, pair{fact(f[0], f[1]), fact(f[2], f[3]), Kind(f[4]), strings.TrimSpace(line)})
	}
	return out
}

func fact(subject, content string) state.Record {
	return state.Record{Client: "c", User: "u", Kind: state.FactRecord, Subject: subject, Content: content}
}

// wrongMerge reports the costly error: two things made one.
func wrongMerge(want, got Kind) bool {
	return want == Other && (got == Same || got == Refines || got == Replaces)
}

func right(want, got Kind) bool {
	return want == got || got == Unsure && (want == Other || want == Replaces)
}

// TestPairs holds the floors per language: wrong merges at most 1 %, right verdicts at least 85 %, and of the
// values that change at least 70 % decided without asking.
func TestPairs(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			var n, good, merged, others, changes, decided int
			for _, p := range pairs(t, lang) {
				got := Judge(p.old, p.new, Comparison{Language: lang})
				n++
				if right(p.want, got.Kind) {
					good++
				} else {
					t.Logf("%s: got %s (%.2f, %s)", p.line, got.Kind, got.Similarity, got.Reason)
				}
				if p.want == Other {
					others++
				}
				if wrongMerge(p.want, got.Kind) {
					merged++
				}
				if p.want == Replaces {
					changes++
					if got.Kind == Replaces {
						decided++
					} else {
						t.Logf("undecided %s: %s (%.2f, %s)", p.line, got.Kind, got.Similarity, got.Reason)
					}
				}
			}
			t.Logf("%d pairs, %d right, %d of %d others merged, %d of %d changes decided", n, good, merged, others, decided, changes)
			if n < 60 || merged*100 > others || good*100 < 85*n || decided*100 < 70*changes {
				t.Errorf("%d pairs, %d right, %d of %d others merged, %d of %d changes decided", n, good, merged, others, decided, changes)
			}
		})
	}
}
