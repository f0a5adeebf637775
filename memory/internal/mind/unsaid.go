package mind

import (
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Unsaid stands in a message for a code that was forgotten.
const Unsaid = "[forgotten]"

// storesAnew reports whether a tool stores something: in the turn that had a thing forgotten that is what holds instead.
func storesAnew(tool string) bool { return tool == "memory_store" || tool == "schedule_task" }

// keepGone notes which valid records say a code, and what was forgotten. The caller holds the mind.
func (d *Mind) keepGone(r state.Record) {
	d.gone = slices.DeleteFunc(d.gone, func(g Gone) bool { return g.record == r.ID })
	note(d.codes, Codes(r.Subject+" "+r.Content), r)
	if d.named != nil {
		note(d.named, wordsOf(r), r)
	}
	if r.ValidTo != nil && r.ReplacedBy == "" && r.EndedIn != "" {
		d.gone = append(d.gone, GoneOf(r))
	}
}

// note keeps under words which valid records say them, and which that are over and not forgotten: what was kept of a record that was forgotten, in the same
// turn, is not forgotten when it is corrected or done later.
func note(in map[string][]string, words []string, r state.Record) {
	past := pastMark + r.Source.Turn + pastMark + r.ID
	for _, w := range words {
		ids := slices.DeleteFunc(in[w], func(id string) bool { return id == r.ID || id == past })
		switch {
		case r.Span != nil:
		case r.ValidTo == nil:
			ids = append(ids, r.ID)
		case r.EndedIn == "" && r.Source.Turn != "": // replaced, or a task that is done
			ids = append(ids, past)
		}
		if delete(in, w); len(ids) > 0 {
			in[w] = ids
		}
	}
}

// pastMark begins what stands for a record that was replaced: its turn, and its id.
const pastMark = "@"

// CodesOf returns the codes of what is gone and of other texts that no valid record but its own says. The caller holds the mind.
func (d *Mind) CodesOf(g Gone, also ...string) []string {
	codes := slices.Clone(g.codes)
	for _, s := range also {
		codes = append(codes, Codes(s)...)
	}
	return slices.DeleteFunc(codes, func(code string) bool { return d.saidBesides(code, g) })
}

// LacksCode reports whether a text has a code that no valid record says. The caller holds the mind.
func (d *Mind) LacksCode(s string) bool {
	return slices.ContainsFunc(Codes(s), func(code string) bool {
		return !slices.ContainsFunc(d.codes[code], func(id string) bool { return !strings.HasPrefix(id, pastMark) })
	})
}

// saidBesides reports whether a valid record other than those that are gone says a code or a word. Words are read when something is forgotten first: most users
// have nothing forgotten.
func (d *Mind) saidBesides(word string, g Gone) bool {
	if d.named == nil {
		d.named = map[string][]string{}
		for _, list := range d.stated {
			for _, r := range list {
				note(d.named, wordsOf(r), r)
			}
		}
		for _, r := range d.Own {
			note(d.named, wordsOf(r), r)
		}
	}
	other := func(said string) bool {
		if past, ok := strings.CutPrefix(said, pastMark); ok {
			turn, _, _ := strings.Cut(past, pastMark)
			return g.turn != "" && turn == g.turn
		}
		return said != g.record && !slices.Contains(g.also, said)
	}
	return slices.ContainsFunc(d.codes[word], other) || slices.ContainsFunc(d.named[word], other) || slices.ContainsFunc(d.named[nameHead(word)], other)
}

// wordsOf returns the words by which a valid record says what another one says too: its telling words, and how its names begin, whose forms differ
// ("Emma", "Emmina").
func wordsOf(r state.Record) []string {
	g := GoneOf(r)
	words := g.terms
	for _, name := range g.names {
		if text.Digits(name) > 0 {
			continue
		}
		for n := range name {
			if n > 2 {
				words = append(words, nameHeadMark+name[:n])
			}
		}
		words = append(words, nameHeadMark+name)
	}
	return words
}

// nameHeadMark begins a key of how a name begins: no word does.
const nameHeadMark = "~"

// nameHead returns the key of how a word begins that may be a name: all but its last letter, as far as a word's forms have it in common.
func nameHead(word string) string {
	all := []rune(head(word))
	if len(all) < 4 {
		return nameHeadMark + word
	}
	if len(all) < 5 {
		all = all[:len(all)-1]
	}
	return nameHeadMark + string(all)
}

// ForgotIn reports whether a turn had something forgotten. The caller holds the mind.
func (d *Mind) ForgotIn(turn string) bool {
	return turn != "" && slices.ContainsFunc(d.gone, func(g Gone) bool { return g.turn == turn })
}

// Unsay returns a message as it is shown: where it says what was forgotten since, or in its own turn, a mark stands. A code
// or a word that a valid record says is not forgotten.
func (d *Mind) Unsay(session string, msg state.Message) state.Message {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.unsay(session, msg)
}

func (d *Mind) unsay(session string, msg state.Message) state.Message {
	if len(d.gone) == 0 {
		return msg
	}
	has := headsOf(msg)
	for _, g := range d.gone {
		after := msg.At.After(g.at) && msg.Turn != g.turn
		if anew := msg.Turn == g.turn && storesAnew(msg.ToolName); after || anew || !g.mayBeIn(msg, has) {
			continue
		}
		g = d.Besides(g)
		is := g.near(session, msg)
		msg.Text = g.unsay(msg.Text, is)
		for i, c := range msg.ToolCalls {
			if msg.Turn == g.turn && storesAnew(c.Name) {
				continue
			}
			if args := g.unsay(c.Arguments, is); args != c.Arguments {
				msg.ToolCalls = slices.Clone(msg.ToolCalls)
				msg.ToolCalls[i].Arguments = args
			}
		}
	}
	return msg
}

// Hidden returns a text of a record or an affair as it stood at a time, as it is shown now: with marks in the place of what was forgotten since, or in its turn. The
// zero time is any.
func (d *Mind) Hidden(s string, at time.Time, turn string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range d.gone {
		if !at.After(g.at) || turn != "" && turn == g.turn {
			s = d.Besides(g).unsay(s, inSession)
		}
	}
	return s
}

// Unasked returns a question without the codes that were forgotten: what is found by one would tell it. The caller holds the mind.
func (d *Mind) Unasked(question string) string {
	for _, g := range d.gone {
		g = d.Besides(g)
		for _, code := range slices.Concat(g.codes, g.short) {
			question = replaceWord(question, code, " ")
		}
	}
	return question
}

// Besides returns what is gone without the codes and words that a valid record says. The caller holds the mind.
func (d *Mind) Besides(g Gone) Gone {
	still := func(s string) bool { return d.saidBesides(s, g) }
	for _, code := range g.codes {
		if still(code) {
			own := func(term string) bool { return term == text.Fold(code) }
			g.terms, g.names = without(g.terms, own), without(g.names, own)
		}
	}
	g.codes, g.short, g.names, g.terms = without(g.codes, still), without(g.short, still), without(g.names, still), without(g.terms, still)
	g.numbers = without(g.numbers, still)
	return g
}

func without(list []string, drop func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(list), drop)
}

// WithoutForgotten returns what a summary of what was said in a session from a time on may still say: the sentences but those that say what was forgotten
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
				line = d.Besides(g).Unname(g.Strike(line))
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
