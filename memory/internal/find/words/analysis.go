package words

import (
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

const (
	mostTraits   = 16 << 10 // bytes that are read for what a message asks and tells
	leadWords    = 60       // of a message its lead has, code left out
	passageWords = 80       // of a passage
	passageStep  = 60       // from the beginning of a passage to that of the next
)

// analysis is what the index learns from a document.
type analysis struct {
	terms    []counted
	seq      []string // the terms of a text of several passages, in order
	passages []span   // of seq; nil when the text is one passage
	traits
}

// counted is a term and how often a document has it.
type counted struct {
	word string
	counts
}

// counts says how often a term occurs in the text, in the text's lead, in the speaker's name and in the date; 255 is
// 255 or more.
type counts struct {
	text, lead, who, when uint8
}

func (c counts) own() int { return int(c.text) + int(c.who) + int(c.when) }

// span is a part of something, from the first to before the last.
type span struct{ from, to uint32 }

// traits are what ranking needs of a document besides its terms. Lengths count terms.
type traits struct {
	sum                  uint64 // of what was read; 0 = not known
	textLen, leadLen     uint32
	whoLen, whenLen      uint8
	questions, sentences uint16
	distinct             uint16 // terms of the text
	number               bool   // it has one
	timed                bool   // it has a time expression
	instruction          bool
	preference           bool
}

func (t *traits) ownLen() uint32 { return t.textLen + uint32(t.whoLen) + uint32(t.whenLen) }

// analyseAll reads the documents of some places, many at once on all processors.
func analyseAll(docs []Doc, places []int, out []analysis) {
	const each = 32 // documents that are worth a goroutine
	workers := max(min(runtime.GOMAXPROCS(0), len(places)/each), 1)
	read := func(w int) {
		for n := w; n < len(places); n += workers {
			out[places[n]] = analyse(docs[places[n]])
		}
	}
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { read(w) })
	}
	read(0)
	wg.Wait()
}

// sum is equal for documents of the same words.
func sum(d *Doc) uint64 {
	const prime = 1<<40 + 1<<8 + 0xb3 // FNV-1a, in place so that nothing is allocated
	h := uint64(14695981039346656037)
	for _, s := range [...]string{d.Text, "\xff", d.Speaker} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * prime
		}
	}
	year, month, day := d.At.Date()
	return (h ^ uint64(year<<9|int(month)<<5|day)) * prime
}

// analyse reads a document.
func analyse(d Doc) analysis {
	r := reader{at: make(map[string]int, len(d.Text)/8+4)}
	cut := text.Cut
	if d.Role == "" && d.Group == "" {
		cut = text.CutToFind // a record is kept for what it says, "yes" in a talk is not
	}
	r.read(d.Text, cut(d.Text))
	r.distinct = uint16(min(len(r.terms), 1<<16-1))
	for _, picture := range text.Emoji(d.Text) {
		bump(&r.term(picture).text)
	}
	for _, word := range nameTerms(d.Speaker) {
		bump(&r.term(word).who)
		bump(&r.whoLen)
	}
	for _, word := range dateTerms(d.At) {
		bump(&r.term(word).when)
		bump(&r.whenLen)
	}
	r.sum = sum(&d)
	t := text.TraitsOf(text.Head(d.Text, mostTraits))
	r.questions, r.sentences = uint16(min(t.Questions, 1<<16-1)), uint16(min(t.Sentences, 1<<16-1))
	r.timed, r.instruction, r.preference = t.Timed, t.Instruction, t.Preference
	return r.analysis
}

// reader is one analysis under way.
type reader struct {
	analysis
	at map[string]int // term -> place in terms
}

func (r *reader) term(word string) *counts {
	i, ok := r.at[word]
	if !ok {
		i = len(r.terms)
		r.at[word] = i
		r.terms = append(r.terms, counted{word: word})
	}
	return &r.terms[i].counts
}

// read counts the terms of the text, in all and in the lead, and cuts a long one into passages.
func (r *reader) read(s string, tokens []text.Token) {
	code := codeSpans(s)
	var place []uint32 // token -> terms before it
	lead := 0
	for _, t := range tokens {
		begins := lead < leadWords && !inside(code, t.Start)
		if begins {
			lead++
		}
		if len(tokens) > passageWords {
			place = append(place, r.textLen)
		}
		r.number = r.number || t.Number
		if t.Stop {
			continue
		}
		stem := t.FindStem()
		c := r.term(stem)
		bump(&c.text)
		r.textLen++
		if begins {
			bump(&c.lead)
			r.leadLen++
		}
		if place != nil {
			r.seq = append(r.seq, stem)
		}
	}
	r.cut(append(place, r.textLen), len(tokens))
}

// cut makes passages that overlap by a quarter.
func (r *reader) cut(place []uint32, tokens int) {
	if tokens <= passageWords {
		return
	}
	for from := 0; ; from += passageStep {
		to := min(from+passageWords, tokens)
		r.passages = append(r.passages, span{place[from], place[to]})
		if to == tokens {
			return
		}
	}
}

func bump(n *uint8) { *n = min(*n, 254) + 1 }

// codeSpans finds what stands between fences of three backticks, or from one on.
func codeSpans(s string) []span {
	const fence = "```"
	var out []span
	for at := 0; ; {
		i := strings.Index(s[at:], fence)
		if i < 0 {
			return out
		}
		from, to := at+i, len(s)
		if j := strings.Index(s[from+len(fence):], fence); j >= 0 {
			to = from + len(fence) + j + len(fence)
		}
		out = append(out, span{uint32(from), uint32(to)})
		at = to
	}
}

func inside(spans []span, at int) bool {
	for _, s := range spans {
		if at >= int(s.from) && at < int(s.to) {
			return true
		}
	}
	return false
}

// nameTerms returns the stems of a name, stop words too: whoever is called Will is called so.
func nameTerms(name string) []string {
	var out []string
	for _, t := range text.Tokens(name) {
		out = append(out, t.Stem)
	}
	return out
}

// dateTerms are day, month and year.
func dateTerms(at time.Time) []string {
	if at.IsZero() {
		return nil
	}
	return []string{strconv.Itoa(at.Day()), monthTerm(at.Month()), strconv.Itoa(at.Year())}
}

// monthTerm stands for a month in dates, whatever language the query names it in.
func monthTerm(m time.Month) string { return text.Stem(strings.ToLower(m.String())) }
