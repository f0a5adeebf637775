package facts

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Changes reports whether a message takes back or changes what was said.
func Changes(message string) bool {
	return slices.ContainsFunc(scan(message), func(l lexeme) bool { return l.shape == word && changing(l.fold) })
}

// changing knows the words by which something takes another's place.
func changing(fold string) bool {
	switch cueOf(fold) {
	case "change", "instead":
		return true
	}
	return fold == "now" || fold == "теперь" || fold == "nyni" || fold == "jetzt"
}

// cueOf is the kind of cue a word gives that something takes another's place, "" if it is none.
func cueOf(fold string) string {
	return lookup(fold, func(stem string) string { return wordLists().cues[stem] })
}

// counts is the number that a word says, 0 if it says none: "twenty-four" is two of them.
func counts(fold string) (n float64) {
	for part := range strings.SplitSeq(fold, "-") {
		m := wordLists().numbers[part]
		if m == 0 {
			return 0
		}
		n += m
	}
	return n
}

// lists are the cues and the number words, of each word what stands before it in its line, and what traits weigh.
type lists struct {
	cues              map[string]string
	numbers           map[string]float64
	telling, renewing map[string]float64
}

// wordLists are read once, on first use, and never change afterwards.
var wordLists = sync.OnceValue(func() lists { //nolint:gochecknoglobals // a constant that is computed once
	l := lists{cues: map[string]string{}, numbers: map[string]float64{}, telling: map[string]float64{}, renewing: map[string]float64{}}
	eachLine("cues", func(kind, words string) {
		for w := range strings.FieldsSeq(words) {
			l.cues[foldWord(w)] = kind
		}
	})
	eachLine("numbers", func(n, words string) {
		for w := range strings.FieldsSeq(words) {
			l.numbers[foldWord(w)], _ = strconv.ParseFloat(n, 64)
		}
	})
	eachLine("telling", func(name, weight string) { l.telling[name], _ = strconv.ParseFloat(weight, 64) })
	eachLine("renewing", func(name, weight string) { l.renewing[name], _ = strconv.ParseFloat(weight, 64) })
	return l
})

// eachLine reads what stands before and behind the colon of each line of a list.
func eachLine(name string, do func(before, behind string)) {
	data, _ := wordFiles.ReadFile("data/" + name + ".txt") // a list that is not there is empty
	for line := range strings.Lines(string(data)) {
		if before, behind, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			do(before, strings.TrimSpace(behind))
		}
	}
}
