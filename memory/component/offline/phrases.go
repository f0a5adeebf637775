package offline

import (
	"cmp"
	"embed"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

//go:embed phrases/*.json
var phraseFiles embed.FS

// phrases is how one language says things and how its users ask for them; a file of its own per language. Replies are whole sentences around
// what was said or a title: nothing is inflected, so nothing ungrammatical can be said.
type phrases struct {
	Cues    cues              `json:"cues"`
	Replies map[string]string `json:"replies"` // {text}, {title}, {date}, {source}, {actions}, {reason} are blanks
	Sources map[string]string `json:"sources"` // {title}, {date} are blanks
	Months  []string          `json:"months"`  // behind the number of a day
	Day     string            `json:"day"`     // {d}, {month} are blanks
}

// cues are word sequences that show what a message wants. They match whole words, folded.
type cues struct {
	Greeting []cue `json:"greeting"` // begins a short message that is nothing but a greeting
	Thanks   []cue `json:"thanks"`   // likewise
	Bye      []cue `json:"bye"`      // likewise
	Help     []cue `json:"help"`     // likewise, of who asks what this is
	Howdy    []cue `json:"howdy"`    // small talk in the form of a question
	Open     []cue `json:"open"`     // wants the list of affairs
	Next     []cue `json:"next"`     // wants to know what is to be done
	Where    []cue `json:"where"`    // wants to know where an affair was left
	Filler   []cue `json:"filler"`   // words of a question that say nothing of what is asked for
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

// languages returns those that have phrases.
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

// source says in this language where something is from that nobody said in these words; what is not understood is from memory.
func (p phrases) source(written, day string) string {
	if title, _ := (line{source: written}).origin(); title != "" {
		return fill(p.Sources["affair"], "title", title)
	}
	if strings.HasPrefix(written, "record ") {
		return fill(p.Sources["record"], "date", day)
	}
	return cmp.Or(p.Sources[strings.ToLower(written)], p.Sources["memory"])
}

// own reports whether a sentence is one of these replies: nobody has said anything with it.
func (p phrases) own(sentence string) bool {
	for _, reply := range p.Replies {
		begin, _, _ := strings.Cut(reply, "{")
		if begin = strings.TrimRight(begin, " „“«"); begin != "" && strings.HasPrefix(sentence, begin) {
			return true
		}
	}
	return false
}

// day returns a date in this language, with its year where that is not today's.
func (p phrases) day(date, today string) string {
	at, err := time.Parse(time.DateOnly, date)
	if err != nil || len(p.Months) != 12 {
		return date
	}
	out := fill(p.Day, "d", strconv.Itoa(at.Day()), "month", p.Months[at.Month()-1])
	if !strings.HasPrefix(today, date[:len("2006")]) {
		out += " " + date[:len("2006")]
	}
	return out
}

// has reports whether the words of a message hold one of the cues, its words with at most two others between them.
func has(words []string, cues []cue) bool {
	return slices.ContainsFunc(cues, func(c cue) bool {
		for i := range words {
			if c.in(words[i:]) {
				return true
			}
		}
		return false
	})
}

// in reports whether words begin with the first word of the cue and go on with the others, at most two words between two of them.
func (c cue) in(words []string) bool {
	const between = 2
	if len(c) == 0 || len(words) == 0 || words[0] != c[0] {
		return false
	}
	at := 1
	for _, w := range c[1:] {
		i := slices.Index(words[at:min(len(words), at+between+1)], w)
		if i < 0 {
			return false
		}
		at += i + 1
	}
	return true
}

// shortWords is how long a message is at most that is nothing but a greeting or thanks.
const shortWords = 6

// begins reports whether a message is short and begins with one of the cues, or ends with it.
func begins(words []string, cues []cue) bool {
	return len(words) <= shortWords && slices.ContainsFunc(cues, func(c cue) bool {
		return c.begins(words) || len(c) > 1 && len(words) >= len(c) && c.begins(words[len(words)-len(c):])
	})
}

// social names the reply to a message that is nothing but a greeting, thanks or the like; "" = it is more.
func (p phrases) social(words []string) string {
	c := p.Cues
	for _, s := range []struct {
		reply string
		cues  []cue
	}{{"help", c.Help}, {"thanks", c.Thanks}, {"bye", c.Bye}, {"greeting", c.Greeting}} {
		if begins(words, s.cues) {
			return s.reply
		}
	}
	return ""
}

// begins reports whether words begin with the cue.
func (c cue) begins(words []string) bool {
	return len(c) > 0 && len(c) <= len(words) && slices.Equal(words[:len(c)], c)
}
