package prompts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// Text is a string of an answer without the space around it. Numbers and truth values become their spelling, lists
// are joined with ", ", objects become "key: value, key: value"; null and the words models write for it are "".
type Text string

// UnmarshalJSON takes any JSON value.
func (t *Text) UnmarshalJSON(b []byte) error {
	*t = Text(spell(b))
	return nil
}

// Number is a figure of an answer: a number, or a string such as "0.9", "0,9", "90%" (0.9) or "9/10" (0.9).
// Stated is false where the answer gave none.
type Number struct {
	Value  float64
	Stated bool
}

// UnmarshalJSON leaves n unstated at null and at words that are no number.
func (n *Number) UnmarshalJSON(b []byte) error {
	s := spell(b)
	s, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	over, under, fraction := strings.Cut(s, "/")
	value, ok := figure(over)
	switch below, okBelow := figure(under); {
	case !ok, fraction && (!okBelow || below == 0):
		return nil
	case fraction:
		value /= below
	case percent:
		value /= 100
	}
	*n = Number{Value: value, Stated: true}
	return nil
}

// figure reads a finite number with a decimal point or comma.
func figure(s string) (float64, bool) {
	s = strings.Replace(strings.TrimSpace(s), ",", ".", 1)
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && f-f == 0 // an infinity less itself is not zero
}

// Texts is a list of strings without empty ones and without repeats. A string alone is a list of its lines.
type Texts []string

// UnmarshalJSON takes a list of anything that Text takes, one such value, or null.
func (t *Texts) UnmarshalJSON(b []byte) error {
	*t = nil
	seen := make(map[string]bool)
	add := func(s string) {
		if s = strings.TrimSpace(s); !meansNothing(s) && !seen[s] {
			seen[s] = true
			*t = append(*t, s)
		}
	}
	items, ok := elements(b)
	if !ok {
		for line := range strings.Lines(spell(b)) {
			add(strings.TrimLeft(line, "-*• \t"))
		}
	}
	for _, item := range items {
		add(spell(item))
	}
	return nil
}

// Facts is an object of labels and values in the order written; values are as in Text. A list of {label, value} pairs, of
// small objects or of "label: value" strings is the same thing said otherwise. What has no label or no value is
// left out; of a label that occurs twice the last value counts.
type Facts state.Facts

// UnmarshalJSON takes an object, a list, a string of "label: value" lines, or null.
func (f *Facts) UnmarshalJSON(b []byte) error {
	g := gathered{at: make(map[string]int)}
	items, ok := elements(b)
	switch {
	case first(b) == '{':
		items = []json.RawMessage{b}
	case !ok:
		for line := range strings.Lines(spell(b)) {
			g.line(line)
		}
	}
	for _, item := range items {
		if err := g.item(item, ok); err != nil {
			return err
		}
	}
	*f = g.facts
	return nil
}

// gathered are the facts met so far and where each label stands.
type gathered struct {
	facts Facts
	at    map[string]int
}

// item adds what one element says; listed elements may be {label, value} pairs.
func (g *gathered) item(b []byte, listed bool) error {
	// A plain element is a line.
	if first(b) != '{' {
		g.line(spell(b))
		return nil
	}

	// An object may be a pair of a label and a value, by whatever name the model has given the label.
	var pair struct {
		Label, Key, Name, Fact Text
		Value                  Text
	}
	if listed {
		if err := json.Unmarshal(b, &pair); err != nil {
			return err
		}
	}
	if label := cmp.Or(pair.Label, pair.Key, pair.Name, pair.Fact); label != "" && pair.Value != "" {
		g.add(string(label), string(pair.Value))
		return nil
	}

	// Any other object has a fact in each of its members.
	members, err := membersOf(b)
	if err != nil {
		return err
	}
	for _, m := range members {
		g.add(m.key, spell(m.value))
	}
	return nil
}

func (g *gathered) line(s string) {
	label, value, _ := strings.Cut(strings.TrimLeft(s, "-*• \t"), ":")
	g.add(label, value)
}

func (g *gathered) add(label, value string) {
	label, value = strings.TrimSpace(label), strings.TrimSpace(value)
	at, again := g.at[label]
	switch {
	case label == "" || value == "":
	case again:
		g.facts[at].Value = value
	default:
		g.at[label] = len(g.facts)
		g.facts = append(g.facts, state.Fact{Label: label, Value: value})
	}
}

// spell writes any JSON value as the text a person would.
func spell(b []byte) string {
	// A string as it is, lists and objects with commas between; null and what means nothing is "".
	switch first(b) {
	case '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil || meansNothing(s) {
			return ""
		}
		return strings.TrimSpace(s)
	case '[':
		items, _ := elements(b)
		var parts []string
		for _, item := range items {
			if s := spell(item); s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, ", ")
	case '{':
		members, err := membersOf(b)
		if err != nil {
			return ""
		}
		var parts []string
		for _, m := range members {
			if s := spell(m.value); s != "" {
				parts = append(parts, m.key+": "+s)
			}
		}
		return strings.Join(parts, ", ")
	case 'n', 0:
		return ""
	}
	return string(bytes.TrimSpace(b))
}

// elements returns the items of b if it is a JSON array.
func elements(b []byte) ([]json.RawMessage, bool) {
	var items []json.RawMessage
	if first(b) != '[' || json.Unmarshal(b, &items) != nil {
		return nil, false
	}
	return items, true
}

// first returns the first byte of a JSON value that is not white space, 0 if there is none.
func first(b []byte) byte {
	if b = bytes.TrimLeft(b, " \t\r\n"); len(b) > 0 {
		return b[0]
	}
	return 0
}

// saysNothing reports whether a JSON value is null, empty, or a word for that.
func saysNothing(b []byte) bool {
	c := first(b)
	return (c == '"' || c == 'n' || c == 0) && spell(b) == ""
}

// meansNothing reports whether s is empty or what models write for null.
func meansNothing(s string) bool {
	switch strings.ToLower(strings.Trim(s, " \t\r\n<>()[].-–—")) {
	case "", "null", "none", "nil", "n/a", "undefined":
		return true
	}
	return false
}
