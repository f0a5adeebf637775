package mind

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Unsaid stands in a message for a code that was forgotten.
const Unsaid = "[forgotten]"

// Gone is what a record says that was forgotten, as it is looked for in texts: by its telling words, whoever says them.
type Gone struct {
	record, turn string // the record, and the turn that had it forgotten
	source, told string // the message (session/id) and the turn that it was stored from
	session      string // in which it was stored
	at           time.Time
	codes        []string
	terms, names []string // stems of its telling words; those of names and numbers among them
}

// GoneOf is what is looked for of a record that is forgotten.
func GoneOf(r state.Record) Gone {
	g := Gone{record: r.ID, turn: r.EndedIn, told: r.Source.Turn, session: r.Session, codes: Codes(r.Subject + " " + r.Content)}
	if r.Source.Message != "" {
		g.source = r.Session + "/" + r.Source.Message
	}
	if r.ValidTo != nil {
		g.at = *r.ValidTo
	}
	for i, t := range text.Tokens(r.Content) {
		if t.Stop || isUser(t.Folded) || slices.Contains(g.terms, t.Stem) {
			continue
		}
		g.terms = append(g.terms, t.Stem)
		first, _ := utf8.DecodeRuneInString(t.Surface)
		if t.Number || i > 0 && unicode.IsUpper(first) {
			g.names = append(g.names, t.Stem)
		}
	}
	return g
}

// isUser reports whether a word is what a model calls him whose memory it is.
func isUser(folded string) bool {
	return slices.ContainsFunc([]string{"user", "uzivatel", "uzytkowni", "пользовател"}, func(w string) bool { return strings.HasPrefix(folded, w) })
}

// The parts of what is gone that a sentence has to have.
const (
	stating = .5 // with all names and numbers
	owning  = .4 // in the session that it was stored in, and in the turn that had it forgotten; there a name or number is enough
)

// States reports whether a sentence says what is gone.
func (g Gone) States(sentence string) bool {
	return len(g.terms) > 1 && len(g.in(text.Tokens(sentence), false)) > 0
}

// StatedIn reports whether a sentence of a text says what is gone.
func (g Gone) StatedIn(s string) bool { return slices.ContainsFunc(text.Sentences(s), g.States) }

// Strike is a title or topic without the words of what is gone.
func (g Gone) Strike(title string) string {
	tokens := text.Tokens(title)
	if len(g.in(tokens, true)) == 0 {
		return title
	}
	return strings.Trim(strings.Join(strings.Fields(strings.ReplaceAll(g.mark(title, tokens, true), Unsaid, "")), " "), " ,;:–-")
}

// in are the tokens of a sentence that say what is gone, if it says it. Its own session and turn need to say less.
func (g Gone) in(tokens []text.Token, own bool) (said []int) {
	const inflected = 3
	had := map[string]bool{}
	names := 0
	for i, t := range tokens {
		at := slices.IndexFunc(g.terms, func(term string) bool { return !t.Stop && text.Akin(t.Stem, term, inflected) })
		if at < 0 {
			continue
		}
		said = append(said, i)
		if !had[g.terms[at]] && slices.Contains(g.names, g.terms[at]) {
			names++
		}
		had[g.terms[at]] = true
	}
	share := float64(len(had)) / float64(max(1, len(g.terms)))
	if own && (names > 0 || share >= owning) || share >= stating && names == len(g.names) {
		return said
	}
	return nil
}

// mark puts a mark in the place of what a sentence says of what is gone. One mark stands for words with only function words between them.
func (g Gone) mark(sentence string, tokens []text.Token, own bool) string {
	said := g.in(tokens, own)
	var b strings.Builder
	from := 0
	for n := 0; n < len(said); n++ {
		start, last := said[n], said[n]
		for n+1 < len(said) && joins(sentence, tokens, last, said[n+1]) {
			n++
			last = said[n]
		}
		b.WriteString(sentence[from:tokens[start].Start] + Unsaid)
		from = tokens[last].End
	}
	return b.String() + sentence[from:]
}

// joins reports whether only function words stand between two tokens, and nothing that a quotation ends with.
func joins(sentence string, tokens []text.Token, a, b int) bool {
	between := slices.ContainsFunc(tokens[a+1:b], func(t text.Token) bool { return !t.Stop })
	return !between && !strings.ContainsAny(sentence[tokens[a].End:tokens[b].Start], `"{}[]:`)
}

// unsay is a text with marks in the place of what is gone.
func (g Gone) unsay(s string, own bool) string {
	for _, code := range g.codes {
		s = strings.ReplaceAll(s, code, Unsaid)
	}
	if !own && len(g.terms) < 2 {
		return s
	}
	var b strings.Builder
	for _, sentence := range text.Sentences(s) {
		at := strings.Index(s, sentence)
		b.WriteString(s[:at] + g.mark(sentence, text.Tokens(sentence), own))
		s = s[at+len(sentence):]
	}
	return b.String() + s
}

// Codes are the words of a text that name one thing, as they are written: of letters and digits, or of five digits and more. Dates are none.
func Codes(s string) (out []string) {
	for _, w := range strings.FieldsFunc(s, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(`,;()[]{}"„“”«»'`, c) }) {
		w = strings.Trim(w, ".:!?")
		letters := strings.ContainsFunc(w, unicode.IsLetter)
		_, err := time.Parse(time.DateOnly, w)
		if n := text.Digits(w); err != nil && (n >= 5 || n > 0 && letters && len(w) >= 5) && !strings.Contains(w, "://") && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// keepGone notes which valid records say a code or a name, and what was forgotten. The caller holds the mind.
func (d *Mind) keepGone(r state.Record) {
	d.gone = slices.DeleteFunc(d.gone, func(g Gone) bool { return g.record == r.ID })
	is := GoneOf(r)
	for _, code := range slices.Concat(is.codes, is.names) {
		ids := slices.DeleteFunc(d.codes[code], func(id string) bool { return id == r.ID })
		if r.ValidTo == nil && r.Span == nil {
			ids = append(ids, r.ID)
		}
		if delete(d.codes, code); len(ids) > 0 {
			d.codes[code] = ids
		}
	}
	if r.ValidTo != nil && r.ReplacedBy == "" && r.EndedIn != "" {
		d.gone = append(d.gone, is)
	}
}

// SaidBesides reports whether a valid record other than that of id says a code. The caller holds the mind.
func (d *Mind) SaidBesides(code, id string) bool {
	return slices.ContainsFunc(d.codes[code], func(other string) bool { return other != id })
}

// ForgotIn reports whether a turn had something forgotten. The caller holds the mind.
func (d *Mind) ForgotIn(turn string) bool {
	return turn != "" && slices.ContainsFunc(d.gone, func(g Gone) bool { return g.turn == turn })
}

// Unsay is a message as it is shown: where it says what was forgotten since, or in its own turn, a mark stands. A code
// or a name that a valid record says is not forgotten.
func (d *Mind) Unsay(session string, msg state.Message) state.Message {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.unsay(session, msg)
}

func (d *Mind) unsay(session string, msg state.Message) state.Message {
	for _, g := range d.gone {
		if msg.At.After(g.at) && msg.Turn != g.turn {
			continue
		}
		said := func(s string) bool { return len(d.codes[s]) > 0 }
		g.codes = slices.DeleteFunc(slices.Clone(g.codes), said)
		g.names = slices.DeleteFunc(slices.Clone(g.names), said)
		g.terms = slices.DeleteFunc(slices.Clone(g.terms), said)
		own := msg.Turn == g.turn || session == g.session || g.told != "" && msg.Turn == g.told || g.source == session+"/"+msg.ID
		msg.Text = g.unsay(msg.Text, own)
		for i, c := range msg.ToolCalls {
			if args := g.unsay(c.Arguments, own); args != c.Arguments {
				msg.ToolCalls = slices.Clone(msg.ToolCalls)
				msg.ToolCalls[i].Arguments = args
			}
		}
	}
	return msg
}

// WithoutForgotten is what a summary of what was said in a session from a time on may still say: the sentences but those that say what was forgotten
// since, and the titles without the words of what was stored there, unless an affair has the title still.
func (d *Mind) WithoutForgotten(session, summary string, from time.Time) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	since := slices.DeleteFunc(slices.Clone(d.gone), func(g Gone) bool { return !g.at.After(from) })
	if len(since) == 0 {
		return summary
	}

	// Line by line, so that the summary keeps its form.
	var lines []string
	for line := range strings.Lines(summary) {
		kept := slices.DeleteFunc(text.Sentences(line), func(sentence string) bool {
			return slices.ContainsFunc(since, func(g Gone) bool { return g.States(sentence) })
		})
		line = strings.Join(kept, " ")
		for _, g := range since {
			if title, _, _ := strings.Cut(line, " ("); g.session == session && len(d.Titled(title)) == 0 {
				line = g.Strike(line)
			}
		}
		if len(text.Terms(line)) > 0 {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// mostlyGone reports whether a message says little besides what was forgotten since. The caller holds the mind.
func (d *Mind) mostlyGone(session string, msg state.Message) bool {
	shown := d.unsay(session, msg)
	if shown.Text == msg.Text || len(msg.Attachments) > 0 {
		return false
	}
	return len(text.Terms(strings.ReplaceAll(shown.Text, Unsaid, ""))) < 2
}
