package text

import (
	"os"
	"strings"
	"testing"
)

// table reads a file of tab-separated columns without comments.
func table(t *testing.T, name string) [][]string {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	must(t, err)
	var out [][]string
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out = append(out, strings.Split(line, "\t"))
		}
	}
	return out
}

// TestInflectionsMeet holds the share of forms that find their dictionary form. Floors only rise.
func TestInflectionsMeet(t *testing.T) {
	t.Parallel()
	for lang, floor := range map[string]float64{"cs": .98, "pl": .97, "ru": .98, "en": 1} {
		pairs := table(t, "inflections_"+lang+".tsv")
		meet := 0
		var apart []string
		for _, p := range pairs {
			if Stem(p[0]) == Stem(p[1]) {
				meet++
			} else {
				apart = append(apart, p[0]+"="+Stem(p[0])+"/"+Stem(p[1])+"="+p[1])
			}
		}
		share := float64(meet) / float64(len(pairs))
		t.Logf("%s: %d of %d pairs meet, %.3f; apart: %s", lang, meet, len(pairs), share, strings.Join(apart, " "))
		if share < floor || len(pairs) < 250 {
			t.Errorf("%s: share %.3f of %d pairs meets, want %.2f of at least 250", lang, share, len(pairs), floor)
		}
	}
}

// TestDistinctStayApart holds the share of unrelated words that collide.
func TestDistinctStayApart(t *testing.T) {
	t.Parallel()
	const ceiling = .03
	total, met := map[string]int{}, map[string][]string{}
	for _, p := range table(t, "distinct.tsv") {
		total[p[0]]++
		if Stem(p[1]) == Stem(p[2]) {
			met[p[0]] = append(met[p[0]], p[1]+"/"+p[2]+"="+Stem(p[1]))
		}
	}
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		share := float64(len(met[lang])) / float64(total[lang])
		t.Logf("%s: %d of %d distinct pairs collide, %.3f: %s", lang, len(met[lang]), total[lang], share, strings.Join(met[lang], " "))
		if share > ceiling || total[lang] < 150 {
			t.Errorf("%s: %.3f of %d pairs collide, want at most %.2f of 150", lang, share, total[lang], ceiling)
		}
	}
}
