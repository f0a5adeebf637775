package detect

import (
	"github.com/mneme-graph/mneme/state"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

func TestDiagCues(t *testing.T) {
	if *dataFlag == "" {
		t.Skip()
	}
	b := loadCues()
	for _, f := range []string{"superdialseg-validation-interleaved.jsonl", "tiage-train.jsonl"} {
		type key struct {
			c cue
			p string
		}
		cnt := map[key]map[state.Kind]int{}
		tot := map[cue]map[state.Kind]int{}
		for _, c := range readConversations(t, filepath.Join(*dataFlag, f), 1) {
			walk(c, func(h *History, l labelled) {
				q := h.query(l.Text, b)
				for cl := range q.cues.found {
					if tot[cl] == nil {
						tot[cl] = map[state.Kind]int{}
					}
					tot[cl][l.Gold.Type]++
				}
				for _, p := range q.cues.phrases {
					k := key{"", strings.ToLower(p)}
					if cnt[k] == nil {
						cnt[k] = map[state.Kind]int{}
					}
					cnt[k][l.Gold.Type]++
				}
			})
		}
		for c, m := range tot {
			t.Log(f, c, m)
		}
		var ks []key
		for k := range cnt {
			ks = append(ks, k)
		}
		sum := func(m map[state.Kind]int) int {
			n := 0
			for _, x := range m {
				n += x
			}
			return n
		}
		sort.Slice(ks, func(i, j int) bool { return sum(cnt[ks[i]]) > sum(cnt[ks[j]]) })
		for i, k := range ks {
			if i < 70 {
				t.Log(k.p, cnt[k])
			}
		}
	}
}
