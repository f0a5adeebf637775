package scenario

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The reference is a file that plays as it says.
func TestFormatPlays(t *testing.T) {
	t.Parallel()
	all, err := Parse("format.yaml", []byte(Format()))
	must(t, err)
	for _, s := range all {
		result, err := Run(t.Context(), s, mortal(t))
		must(t, err)
		for _, f := range result.Failures {
			t.Errorf("%s: %s", s.Name, f)
		}
	}
}

// The reference names every key that the parser knows, in every kind of object.
func TestFormatIsComplete(t *testing.T) {
	t.Parallel()
	for _, place := range []string{
		"zz: 1", "scope: {zz: 1}", "turns: [{zz: 1}]", "turns: [{user: a, model: [{zz: 1}]}]", "turns: [{user: a, model: [{calls: [{zz: 1}]}]}]",
		"turns: [{user: a, background: {zz: 1}}]", "turns: [{user: a, expect: {zz: 1}}]", "turns: [{user: a, expect: {recall: [{zz: 1}]}}]",
	} {
		_, err := Parse("f.yaml", []byte(place))
		_, known, ok := strings.Cut(fmt.Sprint(err), "Known: ")
		if !ok {
			t.Fatalf("%s: error %v, want one that lists the known keys", place, err)
		}
		for key := range strings.SplitSeq(known, ", ") {
			if !regexp.MustCompile(`[{\s,]` + key + `(:|[,\n])`).MatchString(Format()) {
				t.Errorf("the reference does not show %s, which stands in %s", key, place)
			}
		}
	}
	for _, word := range slices.Concat(tasks(), Commands()) {
		if !strings.Contains(Format(), word) {
			t.Errorf("the reference does not name %s", word)
		}
	}
}

// What doc.go says of the format is the reference, line by line.
func TestFormatIsInTheDocumentation(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("doc.go")
	must(t, err)
	var want strings.Builder
	for line := range strings.Lines(Format()) {
		want.WriteString(strings.TrimRight("//\t"+line, "\t\n") + "\n")
	}
	if !strings.Contains(string(doc), want.String()) {
		t.Errorf("doc.go does not hold the reference; it is:\n%s", want.String())
	}
}
