package whose

import (
	"embed"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

//go:embed data
var files embed.FS

// lists are the cues of all languages, read once.
var lists = sync.OnceValue(func() *cues { //nolint:gochecknoglobals // a constant that is computed once
	c, err := readCues()
	if err != nil {
		panic(err) // a list that is compiled in; a test reads them too
	}
	return c
})

// cues are expressions by what they tell, each with blanks around it; one that stands for all words that begin so has none behind it.
type cues struct {
	by    map[string][]string
	plain map[string]bool // stems of words that say nothing of what a record is about: user, prefers
	heads map[string]bool // what stands before the colon in the head of a letter, or names a speaker that no user is
}

func readCues() (*cues, error) {
	c := &cues{by: map[string][]string{}, plain: map[string]bool{}, heads: map[string]bool{}}
	err := text.ReadLists(files, "data/cues_*.txt", func(lang string, line text.Line) error {
		for e := range strings.SplitSeq(line.Value, "|") {
			e = strings.Join(strings.Fields(text.Fold(e)), " ")
			open, begins := strings.CutSuffix(e, "*")
			key := line.Key
			if key == "own" { // "i" is a word of three languages
				key += " " + lang
			}
			switch {
			case line.Key == "head":
				c.heads[e] = true
			case line.Key == "plain":
				c.plain[text.Stem(e)] = true
			case begins:
				c.by[key] = append(c.by[key], " "+open)
			default:
				c.by[key] = append(c.by[key], " "+e+" ")
			}
		}
		return nil
	})
	return c, err
}

// finds reports whether an expression of a kind stands among words.
func (c *cues) finds(kind, said string) bool {
	for _, e := range c.by[kind] {
		if strings.Contains(said, e) {
			return true
		}
	}
	return false
}
