package spoken

import (
	"cmp"
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

//go:embed data/*.txt
var files embed.FS

// grammar is what the files say.
type grammar struct {
	frames       []frame // those of none first: of two as long they win
	vocabularies []*vocabulary
	names        []string // of the groups, by bit
	spelling     spelling

	lead, could, polite, small, tail, my, name, this, that, self, thou, i, says, say, not, about, colon, mine, own, people, what, conditional, suppose, drop, fix, correction groups
	erase, all, where, chore, your, memory, info, know, recall, work, device, booked                                                                                          groups
}

// groups is a set of groups of words, a bit each.
type groups [2]uint64

// or is the union of sets.
func (s groups) or(others ...groups) groups {
	for _, o := range others {
		s[0], s[1] = s[0]|o[0], s[1]|o[1]
	}
	return s
}

// without are the groups of s that are not in others.
func (s groups) without(others groups) groups { return groups{s[0] &^ others[0], s[1] &^ others[1]} }

// empty reports whether there is no group in it.
func (s groups) empty() bool { return s == groups{} }

// meet reports whether a group is in both sets.
func (s groups) meet(other groups) bool { return s[0]&other[0]|s[1]&other[1] != 0 }

// vocabulary holds the words of one language.
type vocabulary struct {
	lang               string
	text.Patterns[tag] // expressions of several words, or open ones

	words map[string][]tag // by the word, folded
	forms map[string][]tag // by the stem, of words that count in every form

	inForms groups              // those of forms
	endings map[string][]tag    // by how words end
	instead map[string][]string // what sets the right thing against the wrong one, by the word before that: not, but
}

// tag says what an expression is.
type tag struct {
	groups groups
	asked  bool // only behind "could you"
	n      int  // words of the expression where it was found
}

// loaded parses the files once, on first use; what it returns never changes.
var loaded = sync.OnceValue(func() *grammar { //nolint:gochecknoglobals // a constant that is computed once
	g, _ := read(files) // a test reads them too
	return g
})

// read reads the files; the error is a *text.ListError.
func read(from fs.FS) (*grammar, error) {
	g := &grammar{spelling: newSpelling()}
	err := text.ReadLists(from, "data/*.txt", func(lang string, line text.Line) error {
		if slices.Contains(Actions(), Action(line.Key)) {
			return g.takeFrame(line)
		}
		if n := len(g.vocabularies); n == 0 || g.vocabularies[n-1].lang != lang {
			g.vocabularies = append(g.vocabularies, &vocabulary{lang: lang, words: map[string][]tag{}, forms: map[string][]tag{}, endings: map[string][]tag{}, instead: map[string][]string{}})
		}
		g.takeWords(g.vocabularies[len(g.vocabularies)-1], line)
		return nil
	})
	slices.SortStableFunc(g.frames, func(a, b frame) int {
		return cmp.Compare(min(slices.Index(Actions(), a.action), 1), min(slices.Index(Actions(), b.action), 1))
	})
	g.spelling.sort()
	for name, bit := range map[string]*groups{
		"lead": &g.lead, "could": &g.could, "polite": &g.polite, "small": &g.small, "tail": &g.tail, "my": &g.my, "name": &g.name,
		"this": &g.this, "that": &g.that, "self": &g.self, "thou": &g.thou, "i": &g.i, "says": &g.says, "not": &g.not, "about": &g.about, ":": &g.colon,
		"say": &g.say, "mine": &g.mine, "own": &g.own, "people": &g.people, "what": &g.what, "if": &g.conditional, "suppose": &g.suppose, "drop": &g.drop, "fix": &g.fix, "correction": &g.correction,
		"erase": &g.erase, "all": &g.all, "where": &g.where, "chore": &g.chore, "your": &g.your, "memory": &g.memory, "info": &g.info, "know": &g.know,
		"recall": &g.recall, "work": &g.work, "device": &g.device, "booked": &g.booked,
	} {
		*bit = g.group(name)
	}
	return g, err
}

// takeWords takes up a line of words: .asked behind the group says that they count behind "could you" only, .forms that they count in every form;
// a word that begins with * stands for all that end so.
func (g *grammar) takeWords(v *vocabulary, line text.Line) {
	// Two kinds of lines have a form of their own: words in every form, and what "instead" is said with.
	if name, ok := strings.CutSuffix(line.Key, ".forms"); ok {
		for word := range strings.SplitSeq(line.Value, "|") {
			stem := text.Stem(word)
			v.forms[stem] = append(v.forms[stem], tag{g.group(name), false, 1})
			v.inForms = v.inForms.or(g.group(name))
		}
		return
	}
	if line.Key == "instead" {
		not, but, _ := strings.Cut(line.Value, " ")
		v.instead[not] = strings.Split(but, "|")
		return
	}

	// Expressions of several words are patterns; single words are looked up.
	name, asked := strings.CutSuffix(line.Key, ".asked")
	for _, written := range line.Expressions() {
		g.spelling.add(written)
		is := tag{g.group(name), asked, 1}
		if strings.ContainsAny(written, " ?") {
			v.Add(written, is)
			continue
		}
		for word := range strings.SplitSeq(written, "|") {
			if ending, ok := strings.CutPrefix(word, "*"); ok {
				v.endings[ending] = append(v.endings[ending], is)
				continue
			}
			if strings.HasSuffix(word, "*") {
				v.Add(word, is)
				continue
			}
			word = strings.ReplaceAll(text.Fold(word), "'", "")
			v.words[word] = append(v.words[word], is)
		}
	}
}

// takeFrame takes up a frame: groups in [] stand in any order, ? behind one says that it may be missing, | stands between those of which one must be there.
func (g *grammar) takeFrame(line text.Line) error {
	// The longest sign at the end says what may follow.
	f := frame{action: Action(line.Key)}
	written := line.Value
	for sign, is := range rests {
		if w, ok := strings.CutSuffix(line.Value, sign); ok && len(w) < len(written) {
			written, f.rest = w, is
		}
	}
	written, f.begins = strings.CutPrefix(written, "^")

	// The groups, in their order or in any.
	var open *bag
	for word := range strings.FieldsSeq(strings.NewReplacer("[", " [ ", "]", " ] ").Replace(written)) {
		switch {
		case word == "[":
			open = &bag{}
		case word == "]" && open != nil:
			f.parts, open = append(f.parts, *open), nil
		case word == "X":
			f.parts = append(f.parts, bag{})
		case word[0] == '+':
			f.ahead = g.group(word[1:])
		case open != nil:
			g.addGroup(open, word)
		default:
			one := bag{}
			g.addGroup(&one, word)
			f.parts = append(f.parts, one)
		}
	}

	// A frame ends with a word that must be there, or any message would have it.
	if open != nil || len(f.parts) == 0 || len(f.parts[len(f.parts)-1].must) == 0 {
		return line.Wrong("has no end")
	}
	g.frames = append(g.frames, f)
	return nil
}

// addGroup adds a|b or a? to a bag.
func (g *grammar) addGroup(b *bag, written string) {
	written, optional := strings.CutSuffix(written, "?")
	var one groups
	for name := range strings.SplitSeq(written, "|") {
		one = one.or(g.group(name))
	}
	b.may = b.may.or(one)
	if !optional {
		b.must = append(b.must, one)
	}
}

// group is the bit of a group.
func (g *grammar) group(name string) groups {
	at := slices.Index(g.names, name)
	if at < 0 {
		at = len(g.names)
		g.names = append(g.names, name)
	}
	var s groups
	s[at/64] = 1 << (at % 64)
	return s
}

// tag finds the expressions that begin with each word.
func (v *vocabulary) tag(words []word) [][]tag {
	plain := make([]text.Word, len(words))
	for i, w := range words {
		plain[i] = w.Word
	}
	out := make([][]tag, len(words))
	for i := range words {
		out[i] = v.words[words[i].Fold]
		if len(v.endings) > 0 {
			written := strings.ToLower(words[i].Raw)
			for ending, is := range v.endings {
				if strings.HasSuffix(written, ending) {
					out[i] = slices.Concat(out[i], is)
				}
			}
		}
		for p := range v.At(plain[i]) {
			if n := p.Match(plain[i:], false, nil); n > 0 {
				out[i] = append(out[i][:len(out[i]):len(out[i])], tag{p.Is.groups, p.Is.asked, n})
			}
		}
	}
	return out
}

// tagForms adds what counts in every form of a word.
func (v *vocabulary) tagForms(words []word, tags [][]tag) {
	for i := range words {
		if words[i].stem == "" {
			words[i].stem = text.Stem(words[i].Raw)
		}
		if forms := v.forms[words[i].stem]; len(forms) > 0 {
			tags[i] = slices.Concat(tags[i], forms)
		}
	}
}
