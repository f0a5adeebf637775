package offline

import (
	"embed"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

//go:embed phrases/*.json
var phraseFiles embed.FS

// phrases is how one language says things and how its users ask for them; a file of its own per language.
type phrases struct {
	Cues    cues                  `json:"cues"`
	Replies map[string]string     `json:"replies"` // {facts}, {title}, {source}, {actions}, {reason}, {kinds} are blanks
	Missing map[facts.Kind]string `json:"missing"` // said when a kind asked for is not known; "" = any other
	Sources map[string]string     `json:"sources"` // {title}, {n}, {kind}, {date} are blanks
	Kinds   map[string]string     `json:"kinds"`   // of records, several of them
	Status  map[string]string     `json:"status"`  // of an affair
}

// cues are word sequences that show what a message wants. They match whole words, folded.
type cues struct {
	Greeting []cue `json:"greeting"` // begins a short message that is nothing but a greeting
	Thanks   []cue `json:"thanks"`   // likewise
	Howdy    []cue `json:"howdy"`    // small talk in the form of a question
	Overview []cue `json:"overview"` // wants the list of affairs
	Next     []cue `json:"next"`     // wants to know what is to be done
	Keep     []cue `json:"keep"`     // asks to remember what follows
	That     []cue `json:"that"`     // joins it
	Own      []cue `json:"own"`      // words of a question about the user's own matters
}

// cue is a word sequence, folded.
type cue []string

// UnmarshalJSON reads a cue as it is written.
func (c *cue) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	*c = text.Words(s)
	return nil
}

// library holds the phrases of every language. It is never changed after it was read.
type library map[string]phrases

// read reads phrases/LANG.json of as many languages as there are files. A file that cannot be read leaves its language without phrases; a
// test reads them all.
func read(from fs.FS) library {
	out := library{}
	names, _ := fs.Glob(from, "phrases/*.json") // the pattern is right
	for _, name := range names {
		var p phrases
		file, err := fs.ReadFile(from, name)
		if err == nil && json.Unmarshal(file, &p) == nil {
			out[strings.TrimSuffix(path.Base(name), ".json")] = p
		}
	}
	return out
}

// languages are those that have phrases.
func (l library) languages() []string { return slices.Sorted(maps.Keys(l)) }

// of returns the phrases of a language and its name, English for one that has none.
func (l library) of(lang string) (phrases, string) {
	lang, _, _ = strings.Cut(strings.ToLower(lang), "-")
	if _, ok := l[lang]; !ok {
		lang = "en"
	}
	return l[lang], lang
}

// say fills the blanks of a reply; pairs are blank, text.
func (p phrases) say(name string, pairs ...string) string { return fill(p.Replies[name], pairs...) }

func fill(template string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// missing says that a kind is not known.
func (p phrases) missing(kinds []facts.Kind) string {
	if len(kinds) > 0 {
		if s := p.Missing[family(kinds[0])]; s != "" {
			return s
		}
	}
	return p.Missing[""]
}

// source says in this language where something is from; what is not understood is repeated.
func (p phrases) source(l line) string {
	if title, _ := l.origin(); title != "" {
		return fill(p.Sources["affair"], "title", title)
	}
	fields := strings.Split(l.source, ", ")
	date := fields[len(fields)-1]
	if n, ok := strings.CutPrefix(fields[0], "message "); ok && len(fields) == 3 {
		return fill(p.Sources["message"], "n", n, "date", date)
	}
	if strings.HasPrefix(fields[0], "record ") && len(fields) == 2 {
		return fill(p.Sources["record"], "date", date)
	}
	if s := p.Sources[strings.ToLower(l.source)]; s != "" {
		return s
	}
	return p.Sources["memory"]
}

// has reports whether the words of a message hold one of the cues.
func has(words []string, cues []cue) bool {
	return slices.ContainsFunc(cues, func(c cue) bool {
		for i := range words {
			if c.begins(words[i:]) {
				return true
			}
		}
		return false
	})
}

// shortWords is how long a message is at most that is nothing but a greeting or thanks.
const shortWords = 4

// begins reports whether a message is short and begins with one of the cues.
func begins(words []string, cues []cue) bool {
	return len(words) <= shortWords && slices.ContainsFunc(cues, func(c cue) bool { return c.begins(words) })
}

// begins reports whether words begin with the cue.
func (c cue) begins(words []string) bool {
	return len(c) > 0 && len(c) <= len(words) && slices.Equal(words[:len(c)], c)
}

// after returns what follows a cue that stands within the first three words of a sentence, without the joints
// after it; the sentence itself and false if there is none.
func after(sentence string, cues, joints []cue) (string, bool) {
	tokens := text.Tokens(sentence)
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.Folded
	}
	for from := range min(3, len(words)) {
		for _, c := range cues {
			if !c.begins(words[from:]) {
				continue
			}
			at := from + len(c)
			for at < len(words) && slices.ContainsFunc(joints, func(j cue) bool { return j.begins(words[at:]) }) {
				at++
			}
			if at < len(words) {
				return sentence[tokens[at].Start:], true
			}
		}
	}
	return sentence, false
}
