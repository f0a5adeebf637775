package forget

import (
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// readings are the telling words of whole texts: a plan looks at each text of a user several times. Nobody changes them.
type readings map[string]wordsHad

// readTexts reads the texts of records and messages, on all processors.
func readTexts(kept keptDocs) readings {
	texts := make([]string, 0, len(kept.records)+len(kept.messages))
	for _, r := range kept.records {
		if r.v.Span == nil {
			texts = append(texts, mind.RecordText(r.v))
		}
	}
	for _, msg := range kept.messages {
		texts = append(texts, messageWords(msg.v))
	}

	// Each processor has a part of them.
	terms := make([]wordsHad, len(texts))
	var beside sync.WaitGroup
	size := len(texts)/runtime.GOMAXPROCS(0) + 1
	for from := 0; from < len(texts); from += size {
		beside.Go(func() {
			for i := from; i < min(from+size, len(texts)); i++ {
				terms[i] = termsOf(texts[i])
			}
		})
	}
	beside.Wait()

	r := make(readings, len(texts))
	for i, s := range texts {
		r[s] = terms[i]
	}
	return r
}

// terms returns the telling words of a text. One that is not among those that were read is read now.
func (r readings) terms(s string) wordsHad {
	if t, known := r[s]; known {
		return t
	}
	return termsOf(s)
}

// wordsHad are the telling words of a text, in order and each once.
type wordsHad []string

func termsOf(s string) wordsHad {
	terms := text.Terms(s)
	slices.Sort(terms)
	return slices.Compact(terms)
}

// word reports whether a word is among them, in whatever form.
func (h wordsHad) word(term string) bool {
	const inflected = 3
	head := headOf(term)
	first, _ := slices.BinarySearch(h, head)
	for _, t := range h[first:] {
		if !strings.HasPrefix(t, head) {
			return false
		}
		if text.Akin(t, term, inflected) {
			return true
		}
	}
	return false
}

// kindredHead is how many letters kindred words have in common.
const kindredHead = 5

func headOf(term string) string {
	n := 0
	for i := range term {
		if n == kindredHead {
			return term[:i]
		}
		n++
	}
	return term
}
