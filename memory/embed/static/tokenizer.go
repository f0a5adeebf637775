package static

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// tokenizer turns a text into the numbers of its tokens.
type tokenizer struct {
	normalise normaliser // nil = none
	split     splitter   // nil = the text is one piece
	model     segmenter
}

// segmenter cuts pieces into tokens of a vocabulary.
type segmenter interface {
	// segment appends the numbers of a piece's tokens; what is not known is left out.
	segment(ids []int32, piece string) []int32
	// size is one more than the greatest number it may append.
	size() int
}

// part is the common beginning of the parts of tokenizer.json.
type part struct {
	Type string `json:"type"`
}

// parseTokenizer reads a tokenizer.json.
func parseTokenizer(raw []byte) (*tokenizer, error) {
	var file struct {
		Normalizer   json.RawMessage `json:"normalizer"`
		PreTokenizer json.RawMessage `json:"pre_tokenizer"`
		Model        json.RawMessage `json:"model"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	t := &tokenizer{}
	var err error
	if t.normalise, err = parseNormaliser(file.Normalizer, 0); err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	if t.split, err = parseSplitter(file.PreTokenizer, 0); err != nil {
		return nil, fmt.Errorf("pre-tokenizer: %w", err)
	}
	if t.model, err = parseSegmenter(file.Model); err != nil {
		return nil, fmt.Errorf("tokenizer model: %w", err)
	}
	return t, nil
}

// tokens returns one more than the greatest token.
func (t *tokenizer) tokens() int { return t.model.size() }

// encode appends the tokens of a text.
func (t *tokenizer) encode(ids []int32, s string) []int32 {
	if t.normalise != nil {
		s = t.normalise(s)
	}
	if s == "" {
		return ids
	}
	if t.split == nil {
		return t.model.segment(ids, s)
	}
	t.split(s, true, func(piece string) { ids = t.model.segment(ids, piece) })
	return ids
}

// parseSegmenter reads the "model" of a tokenizer.
func parseSegmenter(raw json.RawMessage) (segmenter, error) {
	if absent(raw) {
		return nil, errors.New("is missing")
	}
	var p struct {
		part
		Merges json.RawMessage `json:"merges"`
		Prefix *string         `json:"continuing_subword_prefix"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	if p.Type == "" { // older files do not say
		switch {
		case p.Merges != nil:
			p.Type = "BPE"
		case p.Prefix != nil:
			p.Type = "WordPiece"
		}
	}
	parse := map[string]func(json.RawMessage) (segmenter, error){
		"WordPiece": parseWordPiece, "WordLevel": parseWordLevel, "Unigram": parseUnigram,
	}[p.Type]
	switch {
	case parse != nil:
		model, err := parse(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Type, err)
		}
		return model, nil
	case p.Type == "BPE":
		return nil, errors.New("is BPE (byte pairs), which is not supported; WordPiece, WordLevel and Unigram are: convert the model, or run it behind " +
			"an OpenAI-compatible server")
	}
	return nil, fmt.Errorf("is %q, which is not known; WordPiece, WordLevel and Unigram are", p.Type)
}

// absent reports whether an optional part is not there.
func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// checkVocab refuses an empty vocabulary and numbers that are none, and returns one more than the greatest.
func checkVocab(vocab map[string]int64) (int, error) {
	size := 0
	for token, id := range vocab {
		if id < 0 || id >= math.MaxInt32 {
			return 0, fmt.Errorf("gives %q the number %d", token, id)
		}
		size = max(size, int(id)+1)
	}
	if size == 0 {
		return 0, errors.New("has no vocabulary")
	}
	return size, nil
}
