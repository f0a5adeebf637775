package vault

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// The files of an agent that are read back.
const (
	brainFile   = "brain.md"
	archiveFile = "brain_archive.md"
	activeFile  = "active_context.md"
)

// kindIn returns what a new line of a part of the brain is.
func kindIn(p state.BrainPart) state.RecordKind {
	switch p {
	case state.BrainPreferences:
		return state.PreferenceRecord
	case state.BrainDecisions:
		return state.DecisionRecord
	case state.BrainCurrent:
		return state.EventRecord
	case state.BrainUser:
	}
	return state.FactRecord
}

// headings returns the names of the parts in every language, folded.
func headings() map[string]state.BrainPart {
	out := map[string]state.BrainPart{}
	for _, s := range state.BrainParts() {
		for _, lang := range []string{"en", "cs", "pl", "ru", "de"} {
			out[text.Fold(facts.Phrase("heading brain "+string(s), lang))] = s
		}
	}
	return out
}

// head returns the front matter of an agent's files.
func (v *reading) head(agent string) [][2]string {
	return [][2]string{{"client", value(v.scope.Client)}, {"user", value(v.scope.User)}, {"agent", value(agent)}}
}

// brainPage returns the brain, or its archive.
func (v *reading) brainPage(kind, agent, lang string, in func(state.BrainPart) []state.Record) page {
	p := page{kind: kind, head: v.head(agent), title: titleOf(kind, agent)}
	var b strings.Builder
	for i, s := range state.BrainParts() {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("## " + facts.Phrase("heading brain "+string(s), lang) + "\n")
		for _, r := range in(s) {
			b.WriteString("- " + encode(mind.RecordText(r)) + " ^" + lineID(r.ID) + "\n")
			p.base = append(p.base, lineID(r.ID)+":"+sumOf(s, mind.RecordText(r)))
		}
	}
	p.body = b.String()
	return p
}

// activePage returns what was going on last.
func (v *reading) activePage(agent string, d memory.Digest) page {
	p := page{kind: "active_context", head: v.head(agent), title: titleOf("active_context", agent)}
	said := lines(d.Text)
	for line := range strings.Lines(said) {
		p.body += encode(strings.TrimSuffix(line, "\n")) + "\n"
	}
	if d.ID != "" {
		p.base = []string{lineID(d.ID) + ":" + sumOf("", said)}
	}
	return p
}

// lines returns a text without blank lines, and without blanks around a line.
func lines(s string) string {
	var out []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func titleOf(kind, agent string) string {
	return agent + " - " + strings.ToUpper(kind[:1]) + strings.ReplaceAll(kind[1:], "_", " ")
}

// sumOf tells a line from what it was.
func sumOf(s state.BrainPart, text string) string { return sum(string(s) + "\n" + text)[:8] }

// line is a line of the brain as it is read.
type line struct {
	path string
	n    int
	part state.BrainPart // "" = it stands under no heading, or below the file's end
	id   string          // "" = it has none
	text string
}

func (l line) sum() string { return sumOf(l.part, l.text) }

var blockID = regexp.MustCompile(`(?:^|\s)\^([0-9a-f]{12})\s*$`)

// brainLines reads the lines of a brain, each by itself. What is no line of it is unread.
func (f *file) brainLines(title string) (out []line, unread []mistake) {
	known, at := headings(), state.BrainPart("")

	// A bullet may be a dash or an asterisk: editors change one into the other.
	for n := f.body; n <= len(f.lines); n++ {
		raw := strings.TrimRight(f.lines[n-1], " \t")
		bullet, isBullet := strings.CutPrefix(raw, "-")
		if !isBullet {
			bullet, isBullet = strings.CutPrefix(raw, "*")
		}
		if n == f.foot {
			at = ""
		}

		// Headings, lines under them, and what is neither.
		switch heading, isHeading := strings.CutPrefix(raw, "## "); {
		case raw == "", raw == "# "+encode(title):
		case isHeading:
			if at = known[text.Fold(strings.TrimSpace(heading))]; at == "" {
				unread = append(unread, mistake{n, fmt.Sprintf("the heading %.40q is not known; it is one of User, Preferences, Decisions, Current", heading)})
			}
		case isBullet && (bullet == "" || bullet[0] == ' ' || bullet[0] == '\t'):
			if l := (line{path: f.path, n: n, part: at}).read(bullet); l.text != "" || l.id != "" {
				out = append(out, l)
			}
		default:
			unread = append(unread, mistake{n, `is not read back; a line that is begins with "- "`})
		}
	}
	return out, unread
}

// read takes in what a line says. The id at its end tells which record it is.
func (l line) read(bullet string) line {
	if id := blockID.FindStringSubmatch(bullet); id != nil {
		l.id = id[1]
		bullet = strings.TrimSuffix(strings.TrimRight(bullet, " \t"), "^"+l.id)
	}
	l.text = decode(strings.Trim(bullet, " \t"))
	return l
}

// digest reads the text of an active context.
func (f *file) digest(title string) string {
	var out []string
	for n := f.body; n <= len(f.lines); n++ {
		if raw := strings.TrimSpace(f.lines[n-1]); raw != "" && raw != "# "+encode(title) {
			out = append(out, decode(raw))
		}
	}
	return lines(strings.Join(out, "\n"))
}

// split makes subject and content of a line: of what it was, or of "name: value".
func split(said, was string) (subject, content string) {
	if content, ok := strings.CutPrefix(said, was+": "); ok && was != "" {
		return was, content
	}
	if was == "" {
		return "", said
	}
	return label(said)
}

// label makes a name and a value of a text of the form "name: value".
func label(said string) (name, value string) {
	const most = 40
	name, value, ok := strings.Cut(said, ": ")
	if !ok || len(name) > most || strings.ContainsAny(name, ".!?\n") || strings.TrimSpace(value) == "" {
		return "", said
	}
	return name, value
}

// listed picks the records of a list by the part of the brain in which they stand.
func listed(list []state.Record) func(state.BrainPart) []state.Record {
	return func(p state.BrainPart) (out []state.Record) {
		for _, r := range list {
			if r.Kind.Part() == p {
				out = append(out, r)
			}
		}
		return out
	}
}
