package background

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/ask/prompts"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
)

// detail is how much of an affair a prompt shows: runes of its summary, key facts and runes of each, names and things, last messages and runes of each.
type detail struct{ summary, facts, phrase, words, said, runes int }

// shownAs is how much a prompt for a decision shows of the current affair, of the likeliest others, of each other one and of the last messages.
type shownAs struct {
	current, likely, other detail
	recent, runes          int
}

// maxLikely is how many others are shown better: the first.
const maxLikely = 1

// details returns the sizes of such a prompt. The first that fits mostDetect is taken, else the last.
func details() []shownAs {
	large := detail{200, 4, maxPhrase, maxWords, 2, 200}
	middle := detail{120, 3, 80, 10, 1, 100}
	small := detail{0, 2, 60, 8, 1, 70}
	return []shownAs{
		{detail{800, 12, maxPhrase, maxWords, 2, 200}, large, large, maxRecent, maxRecentRunes},
		{detail{400, 6, 80, 12, 1, 120}, large, middle, 5, 240},
		{detail{250, 4, 60, 10, 0, 0}, middle, small, 4, 160},
		{detail{160, 3, 50, 8, 0, 0}, detail{0, 2, 40, 4, 1, 50}, detail{0, 1, 40, 4, 0, 0}, 3, 70},
	}
}

// mostDetect is how many tokens a prompt for a decision has at most, without the message itself, if ten affairs are short enough.
const mostDetect = 1200

// fitting returns the largest prompt for a decision that fits.
func (t *Tasks) fitting(in DetectInput) (blanks prompts.DetectBlanks) {
	for _, d := range details() {
		blanks = detectBlanks(in, d)
		frame := blanks
		frame.Message, frame.Typed = "", ""
		if p, err := frame.Prompt(); t == nil || t.c.Count == nil || err != nil || t.c.Count(p) <= mostDetect {
			break
		}
	}
	return blanks
}

// detectBlanks returns what the prompt for a decision shows.
func detectBlanks(in DetectInput, d shownAs) prompts.DetectBlanks {
	in.Recent = in.latest(d.recent)
	blanks := prompts.DetectBlanks{Language: cut(in.Language, 35), Message: in.Message}
	if !in.Now.IsZero() {
		blanks.Said = day(in.Now) + in.Now.Format(", 15:04")
	}
	if own, brought := whose.Split(in.Message); brought != "" {
		blanks.Typed = cut(own, maxRecentRunes)
	}
	for i, a := range known(in) {
		switch {
		case in.Current != nil && i == 0:
			shown := in.affair(a, d.current)
			blanks.Current = &shown
		case len(blanks.Affairs) < maxLikely:
			blanks.Affairs = append(blanks.Affairs, in.affair(a, d.likely))
		case len(blanks.Affairs) < maxAffairs:
			blanks.Affairs = append(blanks.Affairs, in.affair(a, d.other))
		}
	}
	for _, m := range in.Recent {
		blanks.Recent = append(blanks.Recent, in.line(m, d.runes))
	}
	return blanks
}

// latest returns the last messages that are shown, so many at most. Asides are among them only where they are the last exchanges: older ones make
// room for what was said of the current affair before.
func (in DetectInput) latest(most int) []state.Message {
	all := last(in.Recent, len(in.Recent))
	var out []state.Message
	for i, m := range slices.Backward(all) {
		if len(out) < most && (len(all)-i <= maxAsides || !in.aside(m)) {
			out = append(out, m)
		}
	}
	slices.Reverse(out)
	return out
}

// affair returns what tells an affair from others: its names and things, what was said in it last, and of summary, things, key facts
// and pending actions what the rest does not say, what the message touches first.
func (in DetectInput) affair(a *state.Affair, d detail) prompts.Affair {
	out := prompts.Affair{ID: a.ID, Title: cut(a.Title, maxPhrase), Status: string(a.Status), Active: ago(a.UpdatedAt, in.Now)}
	if d.summary > 0 {
		out.Summary = gist(a.Summary, in.Message, d.summary)
	}
	told := out.Title + "\n" + out.Summary
	said := in.Said[a.ID]
	if d.said == 1 {
		said = slices.DeleteFunc(slices.Clone(said), func(m state.Message) bool { return m.Role != state.RoleUser })
	}
	for _, m := range last(said, d.said) {
		if !slices.ContainsFunc(in.Recent, func(r state.Message) bool { return r.Seq == m.Seq && r.At.Equal(m.At) && !r.At.IsZero() }) {
			out.Said = append(out.Said, prompts.Line{Role: string(m.Role), Text: brief(m, d.runes)})
			told += "\n" + m.Text
		}
	}
	told = text.Fold(told)
	out.Words = words(a, in.Said[a.ID], told, d.words)

	tells := func(line, value string) bool {
		value = text.Fold(value)
		return line != "" && utf8.RuneCountInString(value) > 1 && !strings.Contains(told, value)
	}
	var facts, pending []string
	for _, f := range slices.Backward(a.KeyFacts) { // the latest learnt first
		if value := cut(f.Value, maxPhrase); tells(f.Label, value) {
			facts = append(facts, cut(f.Label+": "+value, d.phrase))
		}
	}
	for _, p := range a.PendingActions {
		if p = cut(p, maxPhrase); tells(p, p) {
			pending = append(pending, cut(p, d.phrase))
		}
	}
	out.Facts, out.Pending = in.touched(facts, d.facts), in.touched(pending, (d.facts+1)/4)
	return out
}

// touched returns the first n lines, those first that share most words with the message. A single one is shown only where it shares one.
func (in DetectInput) touched(lines []string, n int) []string {
	asked := set(text.Terms(in.Message))
	shared := func(line string) int { return common(asked, line) }
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(shared(b), shared(a)) })
	lines = lines[:min(len(lines), n)]
	if n == 1 && len(lines) > 0 && shared(lines[0]) == 0 {
		return nil
	}
	return lines
}

// line returns one of the last messages.
func (in DetectInput) line(m state.Message, runes int) prompts.Line {
	out := prompts.Line{Role: string(m.Role), Text: brief(m, runes), Aside: in.aside(m)}
	if in.Current == nil || m.Affair != in.Current.ID {
		out.On = m.Affair
	}
	return out
}

// aside reports whether a message is not about the current affair, though that was current by then.
func (in DetectInput) aside(m state.Message) bool {
	return in.Current != nil && m.Affair != in.Current.ID && m.At.After(in.Since)
}

// words are names and things that an affair speaks of, names first: people and animals are asked for by them. Those of the
// title are known, and of things those that are told besides.
func words(a *state.Affair, said []state.Message, told string, most int) string {
	list := a.Topics[:min(len(a.Topics), maxWords)]
	for _, m := range said {
		if m.Role == state.RoleUser {
			list = facts.Read(m.Text, "").AddTopics(list, maxWords)
		}
	}
	title := text.Fold(a.Title)
	list = slices.DeleteFunc(slices.Clone(list), func(w string) bool {
		known := title
		if small(w) == 1 {
			known = told
		}
		return strings.Contains(known, text.Fold(w)) || utf8.RuneCountInString(w) > maxPhrase/4
	})
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(small(a), small(b)) })
	return strings.Join(list[:min(len(list), most)], ", ")
}

// small returns 0 of a name, 1 of a word in small letters.
func small(word string) int {
	if word == strings.ToLower(word) {
		return 1
	}
	return 0
}

// brief returns what is shown of a message: of an answer its first sentence, and its last where that asks something, with a mark where something is left out.
func brief(m state.Message, runes int) string {
	sentences := text.Sentences(text.Head(m.Text, mostBrief))
	if m.Role != state.RoleAssistant || len(sentences) == 0 {
		return cut(m.Text, runes)
	}
	first := clip(sentences[0], runes/2)
	if len(sentences) == 1 {
		return first
	}
	first += " …"
	if end := sentences[len(sentences)-1]; strings.HasSuffix(end, "?") {
		first += " " + clip(end, runes/2)
	}
	return first
}

// mostBrief is how many bytes of an answer are read for its sentences.
const mostBrief = 8 << 10

// gist returns what a prompt shows of a summary: all of it, or whole sentences in their order that have at most n runes together,
// the first one, then those that speak of what the message speaks of, then the others.
func gist(summary, message string, n int) string {
	// Each sentence, with how many words of the message it has.
	sentences, asked := text.Sentences(summary), set(text.Terms(message))
	order, shared := make([]int, len(sentences)), make([]int, len(sentences))
	for i, sentence := range sentences {
		order[i], sentences[i] = i, whole(sentence)
		shared[i] = common(asked, sentence)
	}

	// The first one has to fit; else the summary is cut.
	if len(sentences) == 0 || utf8.RuneCountInString(sentences[0]) > n {
		return clip(summary, n)
	}

	// The sentences that speak of the same come first, as many as fit; they are shown in their own order.
	slices.SortStableFunc(order[1:], func(i, j int) int { return cmp.Compare(shared[j], shared[i]) })
	fits := make([]bool, len(sentences))
	for _, i := range order {
		if size := utf8.RuneCountInString(sentences[i]); size <= n {
			fits[i], n = true, n-size-1
		}
	}
	out := ""
	for i, sentence := range sentences {
		if fits[i] {
			out += " " + sentence
		}
	}
	return strings.TrimSpace(out)
}

// common returns how many of the terms asked for a line has.
func common(asked map[string]bool, line string) (n int) {
	for term := range set(text.Terms(line)) {
		if asked[term] {
			n++
		}
	}
	return n
}

// whole returns a sentence on one line, with an end.
func whole(sentence string) string {
	sentence = strings.Join(strings.Fields(sentence), " ")
	if end, _ := utf8.DecodeLastRuneInString(sentence); unicode.IsLetter(end) || unicode.IsDigit(end) {
		sentence += "."
	}
	return sentence
}

// clip shortens s to its first whole sentences that have at most n runes together. A first one that is longer is cut behind
// a word.
func clip(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	kept := ""
	for _, sentence := range text.Sentences(s) {
		longer := strings.TrimSpace(kept + " " + sentence)
		if utf8.RuneCountInString(longer) > n {
			break
		}
		kept = longer
	}
	if kept != "" || s == "" {
		return kept
	}
	head := string([]rune(s)[:n-1])
	if at := strings.LastIndexFunc(head, unicode.IsSpace); at > 0 {
		head = head[:at]
	}
	return head + "…"
}

// last returns the last n of what people and the assistant said, oldest first; results of tools are left out.
func last(messages []state.Message, n int) []state.Message {
	var out []state.Message
	for _, m := range slices.Backward(messages) {
		if len(out) < n && m.Text != "" && (m.Role == state.RoleUser || m.Role == state.RoleAssistant) {
			out = append(out, m)
		}
	}
	slices.Reverse(out)
	return out
}

// ago says how long before now something was, "" where that is not known.
func ago(at, now time.Time) string {
	unit, n := "day", int(now.Sub(at)/(24*time.Hour))
	switch d := now.Sub(at); {
	case at.IsZero() || now.IsZero():
		return ""
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		unit, n = "minute", int(d/time.Minute)
	case d < 24*time.Hour:
		unit, n = "hour", int(d/time.Hour)
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s ago", n, unit)
}

// day returns a day with its weekday, in words; "" for none.
func day(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format("Monday, 2 January 2006")
}
