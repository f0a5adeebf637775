package vault

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// format is the version of the files' layout.
const format = "1"

// page is a file as it is written: front matter, a title, a body, and a last line that says what was exported.
type page struct {
	kind  string      // what sort of file it is
	head  [][2]string // of the front matter, behind kind and version
	title string
	body  string   // ends in a line break, or is empty
	base  []string // id and sum of each line that can be edited
}

// String returns the file.
func (p page) String() string {
	var b strings.Builder
	b.WriteString("---\nmneme: " + p.kind + "\nversion: " + format + "\n")
	for _, f := range p.head {
		b.WriteString(f[0] + ": " + f[1] + "\n")
	}
	b.WriteString("---\n\n# " + encode(p.title) + "\n\n" + p.body)
	if p.body != "" {
		b.WriteString("\n")
	}
	end := strings.Join(append([]string{sum(b.String())}, p.base...), " ")
	return b.String() + "<!-- mneme: " + end + " -->\n"
}

// plain are the values that stand in front matter without quotes.
var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// value returns a text as a value of front matter.
func value(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
	default:
		if plain.MatchString(s) {
			return s
		}
	}
	quoted, err := json.Marshal(s)
	if err != nil { // never of a string
		return `""`
	}
	return string(quoted)
}

// unquote reads a value of front matter, as value or an editor writes it.
func unquote(s string) (string, error) {
	switch {
	case strings.HasPrefix(s, `"`):
		var out string
		if err := json.Unmarshal([]byte(s), &out); err != nil {
			return "", fmt.Errorf("the value %.40s has a quote that is not closed", s)
		}
		return out, nil
	case strings.HasPrefix(s, "'"):
		if len(s) < 2 || !strings.HasSuffix(s, "'") {
			return "", fmt.Errorf("the value %.40s has a quote that is not closed", s)
		}
		return strings.ReplaceAll(s[1:len(s)-1], "''", "'"), nil
	}
	return s, nil
}

// file is a file as it is read.
type file struct {
	path  string
	head  map[string]string
	lines []string          // all of them; number n of the file is lines[n-1]
	body  int               // the number of the first line behind the front matter
	foot  int               // the number of the line that is ours, by which conflicts are told; 0 = it is gone. It reads as empty
	base  map[string]string // sum of each line that was exported, by its id
	fresh bool              // nothing was edited since it was exported
	raw   string
}

// mistake is what is wrong with a line of a file.
type mistake struct {
	line int
	note string
}

var lastLine = regexp.MustCompile(`^<!-- mneme: ([0-9a-f]{32})((?: [0-9a-f]{12}:[0-9a-f]{8})*) -->$`)

// ours reports whether a file says that Mneme wrote it, whole or damaged.
func ours(raw string) bool {
	return strings.Contains(raw, "\n<!-- mneme: ") || strings.Contains(raw, "\nmneme: ")
}

// parse reads the frame of a file: front matter and last line.
func parse(path, raw string) (f file, wrong *mistake) {
	f = file{path: path, head: map[string]string{}, base: map[string]string{}, raw: raw}

	// Without valid UTF-8 nothing can be said of the rest.
	if !utf8.ValidString(raw) {
		line := 1
		for text := range strings.Lines(raw) {
			if !utf8.ValidString(text) {
				break
			}
			line++
		}
		return f, &mistake{line, "is not valid UTF-8; save the file as UTF-8"}
	}

	// Lines as any editor may have left them: a byte order mark, CRLF, empty lines at the end.
	text := strings.TrimPrefix(raw, "\ufeff")
	f.lines = strings.Split(strings.TrimRight(text, "\r\n \t"), "\n")
	for i := range f.lines {
		f.lines[i] = strings.TrimSuffix(f.lines[i], "\r")
	}

	if wrong := f.readHead(); wrong != nil {
		return f, wrong
	}
	f.readFoot(text)
	return f, nil
}

// readFoot reads what each line was when it was exported. A person may have written below it.
func (f *file) readFoot(text string) {
	for n := len(f.lines); n >= f.body && f.foot == 0; n-- {
		found := lastLine.FindStringSubmatch(f.lines[n-1])
		if found == nil {
			continue
		}
		for pair := range strings.FieldsSeq(found[2]) {
			id, of, _ := strings.Cut(pair, ":")
			f.base[id] = of
		}

		// The checksum tells whether anything was edited.
		above, _, _ := cutLast(text, "<!-- mneme: "+found[1])
		f.fresh = n == len(f.lines) && sum(above) == found[1]
		f.lines[n-1], f.foot = "", n
	}
}

// readHead reads the front matter.
func (f *file) readHead() *mistake {
	if f.lines[0] != "---" {
		return &mistake{1, `is to be "---", the beginning of the front matter; export --force writes the file anew`}
	}
	for i, line := range f.lines[1:] {
		if line == "---" {
			f.body = i + 3
			if f.body > len(f.lines) {
				return &mistake{len(f.lines), "nothing stands behind the front matter: the file was cut; export --force writes it anew"}
			}
			return nil
		}
		key, text, ok := strings.Cut(line, ":")
		if _, twice := f.head[key]; !ok || key == "" || strings.TrimSpace(key) != key || twice {
			return &mistake{i + 2, `is no line of the front matter; it is "name: value", each name once`}
		}
		v, err := unquote(strings.TrimSpace(text))
		if err != nil {
			return &mistake{i + 2, err.Error()}
		}
		f.head[key] = v
	}
	return &mistake{len(f.lines), `the front matter has no end; it is "---"`}
}

// of checks whose file it is and of which kind, and that its front matter is as it was written.
func (f *file) of(want page) *mistake {
	if got := f.head["version"]; got != format {
		return &mistake{2, fmt.Sprintf("is of version %.20q, and version %s is read; use a newer mneme", got, format)}
	}
	known := map[string]string{"mneme": want.kind, "version": format}
	for _, pair := range want.head {
		known[pair[0]], _ = unquote(pair[1])
	}
	for i, line := range f.lines[1 : f.body-2] {
		key, _, _ := strings.Cut(line, ":")
		switch has, ok := known[key]; {
		case !ok:
			return &mistake{i + 2, fmt.Sprintf("%.40q is not read back; take the line out of the front matter", key)}
		case f.head[key] != has:
			return &mistake{i + 2, fmt.Sprintf("%s is %.60q and not %.60q: the file is another's, or was edited; name its --client, --user or --agent, or put it back", key, f.head[key], has)}
		}
		delete(known, key)
	}
	for _, key := range slices.Sorted(maps.Keys(known)) {
		return &mistake{2, fmt.Sprintf("%q is missing in the front matter; export --force writes the file anew", key)}
	}
	return nil
}

// baseIDs returns the ids of the lines that were exported, sorted.
func (f *file) baseIDs() []string { return slices.Sorted(maps.Keys(f.base)) }

// firstText is the number of the first line below the title that is not empty, else of the last line.
func (f *file) firstText() int {
	for n := f.body; n <= len(f.lines); n++ {
		if line := f.lines[n-1]; line != "" && !strings.HasPrefix(line, "# ") {
			return n
		}
	}
	return len(f.lines)
}

// cutLast cuts at the last place of sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
