package text

import (
	"slices"
	"strings"
)

// concepts maps stems to ids of everyday domains ("parcel", "tax"), the same ids in every language.
type concepts struct {
	byStem map[string][]string
	prefix map[string][]string // stems that begin with the key, at least four letters of it
	most   int                 // bytes of the longest such key
}

// Concepts returns the ids of the everyday domains that the terms (stems, as Terms returns) touch, in order
// and repeated, each followed by the wider domains it belongs to ("@trade"); nil when they touch none. It
// links a message to an affair told in other words.
func Concepts(terms []string) []string {
	c := loaded().concepts
	var out []string
	for _, t := range terms {
		out = append(out, c.of(t)...)
	}
	return out
}

// of looks a stem up: as it is, else by its longest known beginning.
func (c *concepts) of(stem string) []string {
	if ids, ok := c.byStem[stem]; ok {
		return ids
	}
	for end := min(len(stem), c.most); end >= 4; end-- {
		if ids, ok := c.prefix[stem[:end]]; ok {
			return ids
		}
	}
	return nil
}

// loadConcepts reads concepts_LANG.txt: per line an id, then words; a word ending in * stands for every
// word that begins so.
func loadConcepts(t *tables) *concepts {
	// The words of all languages. English ones are noted first: what is known as English is stemmed so.
	c := &concepts{byStem: map[string][]string{}, prefix: map[string][]string{}}
	all := map[string][]string{}
	for _, lang := range t.langs {
		all[lang] = t.lines("concepts_" + lang + ".txt")
	}
	for _, line := range all["en"] {
		for _, w := range strings.Fields(line)[1:] {
			t.english[porter(strings.TrimSuffix(Fold(w), "*"))] = true
		}
	}

	// Groups make concepts wider.
	wider := map[string][]string{}
	for _, line := range t.lines("groups.txt") {
		fields := strings.Fields(line)
		for _, id := range fields[1:] {
			wider[id] = append(wider[id], "@"+fields[0])
		}
	}

	// Each word gets its concept and what is wider.
	for _, lang := range t.langs {
		for _, line := range all[lang] {
			fields := strings.Fields(line)
			for _, w := range fields[1:] {
				ids := append([]string{fields[0]}, wider[fields[0]]...)
				c.add(t, w, ids)
				if key, open := strings.CutSuffix(w, "*"); open && lang == "en" {
					c.addEnglish(key, ids)
				}
			}
		}
	}
	return c
}

func (c *concepts) add(t *tables, w string, ids []string) {
	key := strings.TrimSuffix(w, "*")
	put(c.byStem, t.stem(key), ids)
	if key != w {
		c.most = max(c.most, len(Fold(key)))
		put(c.prefix, Fold(key), ids)
		put(c.prefix, harden(Fold(key)), ids) // as Stem would leave it
	}
}

// addEnglish adds what Porter leaves of the words that begin so when that is shorter than the key:
// liabilit* of liability, whose stem is liabil.
func (c *concepts) addEnglish(key string, ids []string) {
	for _, end := range [...]string{"e", "y", "ion", "ies"} {
		if stem := porter(Fold(key + end)); len(stem) >= 4 && len(stem) < len(key) {
			put(c.byStem, stem, ids)
		}
	}
}

func put(into map[string][]string, key string, ids []string) {
	for _, id := range ids {
		if !slices.Contains(into[key], id) {
			into[key] = append(into[key], id)
		}
	}
}
