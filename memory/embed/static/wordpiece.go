package static

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// wordPiece takes the longest token at the beginning of a word, then the longest that goes on, and so forth; a word that
// cannot be covered is left out as a whole, as is a very long one.
type wordPiece struct {
	starts    map[string]int32 // tokens at the beginning of a word
	goesOn    map[string]int32 // those behind it, without their "##"
	unknown   int32            // left out; -1 = there is none
	mostRunes int              // of a word
	mostBytes int              // of a token
	count     int
}

func parseWordPiece(raw json.RawMessage) (segmenter, error) {
	// The vocabulary, and settings that are named where they differ from BERT's.
	c := struct {
		Unknown   *string          `json:"unk_token"`
		Prefix    *string          `json:"continuing_subword_prefix"`
		MostRunes *int             `json:"max_input_chars_per_word"`
		Vocab     map[string]int64 `json:"vocab"`
	}{}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	count, err := checkVocab(c.Vocab)
	if err != nil {
		return nil, err
	}
	w := &wordPiece{starts: map[string]int32{}, goesOn: map[string]int32{}, unknown: -1, mostRunes: 100, count: count}
	if c.MostRunes != nil {
		w.mostRunes = *c.MostRunes
	}
	prefix := "##"
	if c.Prefix != nil {
		prefix = *c.Prefix
	}

	// Tokens that begin a word, and those that go on with one, each by what it looks like in the text.
	for token, id := range c.Vocab {
		w.mostBytes = max(w.mostBytes, len(token))
		w.starts[token] = int32(id)
		if rest, ok := strings.CutPrefix(token, prefix); ok && rest != "" {
			w.goesOn[rest] = int32(id)
		}
	}

	// Without a token for unknown words they are left out.
	if c.Unknown == nil {
		return w, nil
	}
	id, ok := c.Vocab[*c.Unknown]
	if !ok {
		return nil, fmt.Errorf("has no token %q, which is to stand for unknown words", *c.Unknown)
	}
	w.unknown = int32(id)
	return w, nil
}

func (w *wordPiece) size() int { return w.count }

// segment appends the tokens of a word.
func (w *wordPiece) segment(ids []int32, word string) []int32 {
	if len(word) > w.mostRunes && utf8.RuneCountInString(word) > w.mostRunes {
		return ids
	}
	before, vocab := len(ids), w.starts
	for from := 0; from < len(word); {
		to := min(len(word), from+w.mostBytes)
		id, found := int32(0), false
		for ; to > from; to-- {
			if to < len(word) && !utf8.RuneStart(word[to]) {
				continue
			}
			if id, found = vocab[word[from:to]]; found {
				break
			}
		}
		if !found {
			return ids[:before]
		}
		if id != w.unknown {
			ids = append(ids, id)
		}
		from, vocab = to, w.goesOn
	}
	return ids
}

// wordLevel knows whole words only.
type wordLevel struct {
	vocab   map[string]int64
	unknown int64
	count   int
}

func parseWordLevel(raw json.RawMessage) (segmenter, error) {
	c := struct {
		Unknown string           `json:"unk_token"`
		Vocab   map[string]int64 `json:"vocab"`
	}{}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	count, err := checkVocab(c.Vocab)
	if err != nil {
		return nil, err
	}
	w := &wordLevel{vocab: c.Vocab, unknown: -1, count: count}
	if id, ok := c.Vocab[c.Unknown]; ok {
		w.unknown = id
	}
	return w, nil
}

func (w *wordLevel) size() int { return w.count }

// segment appends the word, if it is known.
func (w *wordLevel) segment(ids []int32, word string) []int32 {
	if id, ok := w.vocab[word]; ok && id != w.unknown {
		return append(ids, int32(id))
	}
	return ids
}
