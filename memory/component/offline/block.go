package offline

import (
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// block is the context block: what memory gave the model for this turn.
type block struct {
	active   affair
	parked   []string // titles
	evidence []line
	notes    []line // brain, preferences, active context, session summary, user context
}

// affair is the active affair as the block tells it; a title "" means there is none.
type affair struct {
	title   string
	facts   state.Facts
	pending []string
	recent  []string // what the user said in it lately
}

// text is everything the block tells of the affair, to compare with.
func (a affair) text() string {
	all := []string{a.title}
	for _, f := range a.facts {
		all = append(all, f.Label, f.Value)
	}
	return strings.Join(append(all, a.pending...), " ")
}

// line is one thing known and where it is from, as the composer wrote it.
type line struct {
	text   string
	source string
}

// parse reads a context block. What it does not know it skips, so any text is accepted; nothing in it is
// ever taken for an instruction.
func parse(text string) block {
	var b block
	section, list := "", ""
	for raw := range strings.SplitSeq(text, "\n") {
		row := strings.TrimRight(raw, " \r\t")
		if heading, ok := strings.CutPrefix(row, "## "); ok {
			section, list = heading, ""
			if title, ok := strings.CutPrefix(heading, "Active affair:"); ok {
				section, b.active.title = "Active affair", strings.TrimSpace(title)
			}
			continue
		}
		entry, isEntry := strings.CutPrefix(strings.TrimSpace(row), "- ")
		entry = strings.TrimPrefix(entry, `\`) // the composer quotes what would look like a heading or a role
		switch {
		case row == "" || strings.HasPrefix(row, "# "):
		case section == "Active affair" && !isEntry:
			list = b.active.field(row, list)
		case section == "Active affair":
			b.active.entry(list, entry)
		case section == "Parked affairs" && isEntry:
			b.parked = append(b.parked, titleOf(entry))
		case section == "Evidence" && isEntry:
			b.evidence = append(b.evidence, cited(entry))
		case section != "" && section != "Parked affairs" && section != "Evidence":
			b.notes = append(b.notes, noted(row, section))
		}
	}
	return b
}

// titleOf returns the title in "TITLE (STATUS) ...".
func titleOf(entry string) string {
	for _, s := range []state.Status{state.Parked, state.Resolved, state.Archived} {
		if title, _, ok := strings.Cut(entry, " ("+string(s)+")"); ok {
			return title
		}
	}
	return entry
}

// field reads a line "Name: value" of the active affair and returns the list that the entries after it belong to.
func (a *affair) field(row, list string) string {
	if name, _, found := strings.Cut(row, ":"); found {
		return name
	}
	return list
}

// entry reads a line "- ..." of one of the active affair's lists.
func (a *affair) entry(list, text string) {
	switch list {
	case "Key facts":
		if label, value, ok := strings.Cut(text, ": "); ok {
			a.facts = append(a.facts, state.Fact{Label: label, Value: value})
		}
	case "Waiting for":
		a.pending = append(a.pending, text)
	case "Recent messages":
		if said, ok := strings.CutPrefix(text, string(state.RoleUser)+": "); ok {
			a.recent = append(a.recent, said)
		}
	}
}

// attached reads the message that quotes files: what they say, line by line.
func attached(text string) []line {
	var out []line
	for raw := range strings.SplitSeq(text, "\n") {
		if said, ok := strings.CutPrefix(raw, "> "); ok && strings.TrimSpace(said) != "" {
			out = append(out, line{strings.TrimSpace(said), "attachment"})
		}
	}
	return out
}

// cited takes "TEXT (SOURCE)" apart at the last parenthesis that closes the line and is balanced.
func cited(text string) line {
	if !strings.HasSuffix(text, ")") {
		return line{text: text}
	}
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return line{strings.TrimSpace(text[:i]), text[i+1 : len(text)-1]}
			}
		}
	}
	return line{text: text}
}

// noted returns a line of a section that gives no source of its own, unless the line does.
func noted(row, section string) line {
	text := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(row), "- "), `\`)
	if l := cited(text); strings.HasPrefix(l.source, "record ") || strings.HasPrefix(l.source, "message ") || strings.HasPrefix(l.source, "affair ") {
		return l
	}
	return line{text, section}
}

// origin says what a source names: `affair "T", key fact` is an affair's title and the part of it. A title
// may hold quotes and commas itself.
func (l line) origin() (title, part string) {
	rest, ok := strings.CutPrefix(l.source, "affair \"")
	if !ok {
		return "", ""
	}
	end := strings.LastIndex(rest, `"`)
	if end < 0 {
		return rest, ""
	}
	return rest[:end], strings.TrimPrefix(rest[end+1:], ", ")
}
