package spoken

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// word is a word of a message, with what stands around it.
type word struct {
	text.Word // Starts: a sentence begins with it

	stem       string // "" until it is asked for
	start, end int    // bytes of the message
	after      string // up to the next word
	clause     bool   // a clause begins with it
	ends       bool   // a clause ends behind it
	stops      bool   // a sentence ends behind it
	quoted     bool   // as somebody else's words are, and programs
}

// split takes a message apart.
func split(message string) []word {
	tokens := text.Cut(message)
	out := make([]word, 0, len(tokens))
	before, starts, clause := 0, true, true
	quotes, line, code, list := 0, 0, false, isList(message)
	for i, t := range tokens {
		for t.Start >= line {
			aside := isItem(message[line:], list)
			code, line = isCode(message, line)
			code = code || aside
		}
		next := len(message)
		if i+1 < len(tokens) {
			next = tokens[i+1].Start
		}
		if between := message[before:t.Start]; between != "`" || i == 0 { // don`t
			for _, r := range between {
				quotes += strings.Count("\"“”„«»`", string(r))
			}
		}
		before = t.End
		w := word{Word: text.Word{Raw: t.Surface, Fold: t.Folded, Number: t.Number, Odd: t.Number, Starts: starts},
			start: t.Start, end: t.End, after: message[t.End:next], clause: clause, quoted: quotes%2 == 1 || code}
		w.stops = next == len(message) || strings.ContainsAny(w.after, ".!?…\n")
		w.ends = w.stops || strings.ContainsAny(w.after, ",;:()–—") || strings.Contains(w.after, " -")
		starts, clause = w.stops, w.stops || strings.ContainsAny(w.after, ",;()–—") || strings.Contains(w.after, " -")
		out = append(out, w)
	}
	return out
}

// isList reports whether a message has a list: what its lines order is not asked of the memory.
func isList(message string) bool {
	items := 0
	for line := range strings.Lines(message) {
		if isItem(line, true) {
			items++
		}
	}
	return items > 1
}

// isItem reports whether a text begins with a line of a list, or with one that somebody else has written.
func isItem(line string, list bool) bool {
	line = strings.TrimLeft(line, " \t")
	sign := strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "• ") || strings.HasPrefix(line, "[ ]")
	return list && sign || strings.HasPrefix(line, ">")
}

// isCode reports whether the line of a message that begins at a byte belongs to a program, and where the next one begins.
func isCode(message string, from int) (code bool, next int) {
	line, _, _ := strings.Cut(message[from:], "\n")
	next = from + len(line) + 1
	if !strings.ContainsAny(line, "(){};=#/<&|") {
		return false, next
	}
	signs := []string{"==", "!=", "+=", "&&", "||", "</", "/>", "();", ") {", "){", ")[", "};", "; --", " // ", " # "}
	if slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(line, sign) }) || isCall(line) {
		return true, next
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	keywords := []string{"def", "func", "function", "const", "var", "SELECT", "git", "$"}
	ends := strings.HasSuffix(rest, ";") || strings.HasSuffix(rest, "{") || strings.HasSuffix(rest, "}")
	return ends || slices.Contains(keywords, first) && strings.ContainsAny(line, "(){};=*#"), next
}

// isCall reports whether a line calls a function and uses what it returns: f(x).y, f(x) = y.
func isCall(line string) bool {
	for {
		before, args, open := strings.Cut(line, "(")
		inside, after, closed := strings.Cut(args, ")")
		if !open || !closed {
			return false
		}
		named := strings.LastIndexFunc(before, unicode.IsLetter) == len(before)-1 && before != ""
		used := len(after) > 1 && after[0] == '.' && 'a' <= after[1] && after[1] <= 'z' || strings.HasPrefix(after, " = ") || strings.HasPrefix(after, ";")
		if named && used && !strings.Contains(inside, "(") {
			return true
		}
		line = after
	}
}
