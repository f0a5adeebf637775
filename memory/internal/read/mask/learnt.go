package mask

import (
	"embed"
	"strings"
	"sync"
	"unicode"

	"github.com/mneme-graph/mneme/memory/internal/read/linear"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// This file finds what no rule announces: two linear models that were fitted on messages which several hands have labelled (memory/score/testdata/mask;
// go test -run TestFit -fit). The gate says of a stretch of words whether it tells a secret, the tagger of a word whether it is one.

//go:embed models
var models embed.FS

var learnt = sync.OnceValue(func() [2]*linear.Model { //nolint:gochecknoglobals // constants that are read once
	return [2]*linear.Model{linear.MustRead(models, "models/gate.bin"), linear.MustRead(models, "models/tagger.bin")}
})

// What the models say has to come to so much together, of which the gate gives no more than mostGate, and at least leastGate: else the words beside a
// secret would be hidden with it. A text of more than mostTyped bytes was not typed.
const (
	leastScore          = 1.25
	leastGate, mostGate = -2, 2
	mostTyped           = 4 << 10
)

// unnamed is what a secret is called that only the models see.
const unnamed = "secret"

// findLearnt lists what the models take for secrets, of words in a row as one.
func findLearnt(s string) (found []span) {
	if len(s) > mostTyped {
		return nil
	}
	gate, tagger := learnt()[0], learnt()[1]
	ts := tokenise(s)
	for from := 0; from < len(ts); {
		w := windowOf(ts, from)
		to := min(len(ts), from+windowStep)
		if len(w) == len(ts) {
			to = len(ts)
		}
		score := gate.Sum(gateSigns(w, s), linear.Counted)[0]
		for i := from; i < to && score >= leastGate; i++ {
			if min(score, mostGate)+tagger.Score(tokenSigns(ts, s, i)) < leastScore || isPhone(ts, s, i) {
				continue
			}
			t := ts[i]
			if n := len(found); n > 0 && i > 0 && found[n-1].end == ts[i-1].end && ts[i-1].line == t.line && t.before == "" {
				found[n-1].end = t.end
				continue
			}
			found = append(found, span{t.start, t.end, unnamed})
		}
		from = to
	}
	return found
}

// isPhone reports whether a token is of a number in groups that begins as a telephone's and is as long.
func isPhone(ts []token, s string, i int) bool {
	const shortest, longest = 9, 15
	number := func(i int) bool {
		return !strings.ContainsFunc(ts[i].lower, unicode.IsLetter) && text.Digits(ts[i].lower) > 0
	}
	if !number(i) {
		return false
	}
	from, to := i, i
	for from > 0 && number(from-1) && ts[from].before == "" {
		from--
	}
	for to+1 < len(ts) && number(to+1) && ts[to+1].before == "" {
		to++
	}
	all := strings.TrimSuffix(s[:ts[from].start], "(")
	first := s[ts[from].start]
	digits := text.Digits(s[ts[from].start:ts[to].end])
	return (first == '0' || first == '+' || strings.HasSuffix(all, "+")) && digits >= shortest && digits <= longest
}
