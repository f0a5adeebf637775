package score

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	product "github.com/mneme-graph/mneme/memory/internal/read/mask"
)

// Masked are the figures of a masker on labelled texts, as fractions.
type Masked struct {
	N       int     `json:"n"`
	Secrets int     `json:"secrets"`
	Recall  float64 `json:"recall"` // share of the secrets of which nothing of eight letters or more is left
	Clean   int     `json:"clean"`  // texts without secrets
	False   float64 `json:"false_alarms"`
	Keep    int     `json:"keep"` // parts that must survive
	Kept    float64 `json:"kept"`

	ByLang map[string]MaskedIn `json:"by_lang"`
	Missed []string            `json:"missed"` // ids of texts with a secret that was kept
}

// MaskedIn are the figures of one language.
type MaskedIn struct {
	Recall float64 `json:"recall"`
	False  float64 `json:"false_alarms"`
}

// masked counts one language's texts.
type masked struct{ secrets, caught, clean, changed int }

// Masking measures what mask leaves of texts, one JSON object a line: id, lang, text, the secrets in it, the parts to keep. A line that
// is none is state.ErrInvalid and names its number. A nil mask is the product's, of what a person has written himself.
func Masking(r io.Reader, mask func(text string) string) (Masked, error) {
	if mask == nil {
		typed := product.New().Typed
		mask = func(text string) string {
			masked, _ := typed(text)
			return masked
		}
	}
	out := Masked{ByLang: map[string]MaskedIn{}, Missed: []string{}}
	by := map[string]*masked{}
	var kept int
	for line, err := range eachLine(r) {
		if err != nil {
			return out, err
		}
		var l struct {
			ID, Lang, Text string
			Secrets, Keep  []string
		}
		if err := json.Unmarshal(line.raw, &l); err != nil {
			return out, line.refuse(err)
		}
		if l.ID == "" || l.Text == "" {
			return out, line.refuse(errors.New("lacks its id or its text"))
		}

		// What is left of it: secrets are to be gone, and what is to be kept still there.
		if by[l.Lang] == nil {
			by[l.Lang] = &masked{}
		}
		after := mask(l.Text)
		caught := by[l.Lang].count(l.Text, after, l.Secrets)
		if caught < len(l.Secrets) {
			out.Missed = append(out.Missed, l.ID)
		}
		out.N++
		out.Keep += len(l.Keep)
		for _, k := range l.Keep {
			kept += one(strings.Contains(after, k))
		}
	}

	// The figures of each language and of all.
	var all masked
	for lang, m := range by {
		all = masked{all.secrets + m.secrets, all.caught + m.caught, all.clean + m.clean, all.changed + m.changed}
		out.ByLang[lang] = MaskedIn{ratio(m.caught, m.secrets), ratio(m.changed, m.clean)}
	}
	out.Secrets, out.Recall, out.Clean, out.False = all.secrets, ratio(all.caught, all.secrets), all.clean, ratio(all.changed, all.clean)
	out.Kept = ratio(kept, out.Keep)
	return out, nil
}

// count takes one text in, and returns how many of its secrets are gone.
func (m *masked) count(before, after string, secrets []string) (caught int) {
	for _, s := range secrets {
		caught += one(!strings.Contains(after, s) && !leaves(after, s))
	}
	m.secrets, m.caught = m.secrets+len(secrets), m.caught+caught
	if len(secrets) == 0 {
		m.clean++
		m.changed += one(before != after)
	}
	return caught
}

// leaves reports whether eight letters in a row of a secret stand in a text.
func leaves(text, secret string) bool {
	const most = 8
	letters := []rune(secret)
	for i := 0; i+most <= len(letters); i++ {
		if strings.Contains(text, string(letters[i:i+most])) {
			return true
		}
	}
	return false
}
