package mask

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// Masker hides secrets. It is safe for concurrent use.
type Masker struct {
	forms []form
	signs signs
}

// New makes a Masker.
func New() *Masker {
	forms := forms()
	return &Masker{forms, newSigns(forms, known().announcers)}
}

// span is a secret in a text: its bytes, and what it is called.
type span struct {
	start, end int
	kind       string
}

// Secrets returns the text with every secret replaced by its placeholder, and how many there were. The same secret has the same
// placeholder wherever it stands, and a text that was masked stays as it is.
// What stands in messages of a person that free something (Frees) is no secret, but for what has the form of a key, a card or an account: a slip of the
// tongue must not give those away.
func (m *Masker) Secrets(text string, messages ...string) (masked string, n int) {
	return hide(text, m.freed(text, m.find(text), messages))
}

// freed leaves out of what was found in a text what stands in messages that free something and has no form of its own.
func (m *Masker) freed(text string, found []span, messages []string) []span {
	for _, said := range messages {
		if len(found) == 0 || !Frees(said) {
			continue
		}
		found = slices.DeleteFunc(found, func(s span) bool {
			secret := text[s.start:s.end]
			return strings.Contains(said, secret) && len(m.formed(secret)) == 0
		})
	}
	return found
}

// Typed is Secrets of what a person has written himself: also what he tells without a word that announces it. Of logs, results of tools and documents it
// would hide ids. A message that frees something keeps all that has no form of its own.
func (m *Masker) Typed(text string) (masked string, n int) {
	return hide(text, m.freed(text, m.find(text, findLearnt(text)...), []string{text}))
}

// hide puts placeholders in the place of spans.
func hide(text string, found []span) (masked string, n int) {
	if len(found) == 0 {
		return text, 0
	}
	var b strings.Builder
	end := 0
	for _, s := range found {
		b.WriteString(text[end:s.start])
		b.WriteString(placeholder(s.kind, text[s.start:s.end]))
		end = s.end
	}
	b.WriteString(text[end:])
	return b.String(), len(found)
}

const opening = state.MaskOpening

// placeholder returns what stands for a secret: its kind, so that the model can speak of it, and a few bits of its hash, which tell
// two secrets apart. Short secrets have none: their few possible values could be tried one by one.
func placeholder(kind, secret string) string {
	const short, long = 8, 16 // bytes
	if len(secret) < short {
		return opening + kind + "]"
	}
	sum := sha256.Sum256([]byte("mneme secret\x00" + secret))
	if len(secret) < long {
		return fmt.Sprintf("%s%s %02x]", opening, kind, sum[:1])
	}
	return fmt.Sprintf("%s%s %04x]", opening, kind, sum[:2])
}

// Of more cues than crowd in crowdBytes the further ones are those of a list or of nonsense: only what a sign assigns is looked for.
const crowd, crowdBytes = 24, 1 << 10

// find lists the secrets of a text in order, none of which overlap, with those that were found otherwise. It reads the text once, once more for each form that may be in it.
func (m *Masker) find(text string, found ...span) []span {
	may, cues := m.signs.in(text, m.forms)
	for i, f := range m.forms {
		if may&(1<<i) != 0 {
			found = append(found, f.find(text)...)
		}
	}
	for i, c := range cues {
		switch {
		case inPlaceholder(text, span{start: c.start, end: c.end}):
		case i >= crowd && c.start-cues[i-crowd].start < crowdBytes:
			if v, _ := c.assigned(text, nil); v.end > 0 {
				found = append(found, span{v.start, v.end, c.role.kind()})
			}
		default:
			found = append(found, c.secrets(text)...)
		}
	}
	found = append(found, findNumbers(text)...)
	found = append(found, findRandom(text)...)
	found = append(found, findAccounts(text)...)
	found = slices.DeleteFunc(found, func(s span) bool { return inPlaceholder(text, s) || isID(text, s) })
	return apart(append(found, again(text, found)...))
}

// isID reports whether a span is what stands behind "id" and looks like the id of a record: a cue before it, as "keys", is about something else.
func isID(text string, s span) bool {
	return strings.HasSuffix(text[:s.start], "id ") && recordID.MatchString(text[s.start:s.end])
}

var recordID = regexp.MustCompile(`^[0-9a-f]{24}$`)

// apart orders the spans and makes one of those that overlap, called as the first; of two that begin together, as the longer.
func apart(found []span) []span {
	slices.SortStableFunc(found, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	out := found[:0]
	for _, s := range found {
		if n := len(out); n > 0 && s.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, s.end)
			if out[n-1].kind == unnamed { // a rule knows what it is
				out[n-1].kind = s.kind
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// inPlaceholder reports whether a span is of a placeholder.
func inPlaceholder(text string, s span) bool {
	const longest = len(opening) + 32
	head := text[max(0, s.start-longest):min(len(text), s.start+len(opening))]
	from := strings.LastIndex(head, opening)
	if from < 0 {
		return false
	}
	from += max(0, s.start-longest)
	closing := strings.IndexByte(text[from:min(len(text), from+longest)], ']')
	return closing >= 0 && s.start <= from+closing && s.end > from
}

// Blank returns a masked text with blanks in the places of its placeholders, byte for byte: nothing can be read out of them.
func Blank(text string) string {
	var b strings.Builder
	for rest := text; ; {
		before, behind, found := strings.Cut(rest, opening)
		n := strings.IndexByte(behind, ']') + 1
		if !found || n == 0 {
			b.WriteString(rest)
			return b.String()
		}
		b.WriteString(before + strings.Repeat(" ", len(opening)+n))
		rest = behind[n:]
	}
}
