package static

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// unigram cuts a piece into the tokens whose scores, which are logarithms of probabilities, have the greatest sum: the
// segmentation of SentencePiece (Kudo, Subword Regularization, 2018), by Viterbi's algorithm.
type unigram struct {
	text    string          // all tokens, sorted, one behind the other
	ends    []uint32        // where each ends in text
	ids     []int32         // number of each
	scores  []float64       // score of each
	first   [257]int32      // where those begin whose first byte is so much or more
	ranges  map[prefix]rows // where many rows narrow to, see remember
	unknown int32           // left out; -1 = there is none
	penalty float64         // score of an unknown character
	bytes   []int32         // tokens of single bytes, for what is unknown; nil = none
	count   int
}

// scored is a token and its score, written as a list of two.
type scored struct {
	token string
	score float64
}

// UnmarshalJSON reads ["token", score].
func (s *scored) UnmarshalJSON(raw []byte) error {
	pair := [2]any{&s.token, &s.score}
	var rest []json.RawMessage
	if err := json.Unmarshal(raw, &rest); err != nil {
		return err
	}
	if len(rest) != 2 {
		return fmt.Errorf("token %s is not a pair of text and score", raw)
	}
	for i := range pair {
		if err := json.Unmarshal(rest[i], pair[i]); err != nil {
			return err
		}
	}
	return nil
}

func parseUnigram(raw json.RawMessage) (segmenter, error) {
	c := struct {
		Unknown  *int64   `json:"unk_id"`
		Vocab    []scored `json:"vocab"`
		Fallback bool     `json:"byte_fallback"`
	}{}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	switch {
	case len(c.Vocab) == 0:
		return nil, errors.New("has no vocabulary")
	case len(c.Vocab) >= math.MaxInt32:
		return nil, fmt.Errorf("has %d tokens", len(c.Vocab))
	case c.Unknown != nil && (*c.Unknown < 0 || *c.Unknown >= int64(len(c.Vocab))):
		return nil, fmt.Errorf("says that token %d of %d stands for what is unknown", *c.Unknown, len(c.Vocab))
	}
	u := &unigram{unknown: -1, count: len(c.Vocab)}
	if c.Unknown != nil {
		u.unknown = int32(*c.Unknown)
	}
	if c.Fallback {
		u.bytes = byteTokens(c.Vocab)
	}
	return u, u.index(c.Vocab)
}

// byteTokens finds the tokens <0x00> to <0xFF>, -1 for one that is missing.
func byteTokens(vocab []scored) []int32 {
	ids := make(map[string]int32, 256)
	for id, s := range vocab {
		if len(s.token) == 6 && s.token[:3] == "<0x" {
			ids[s.token] = int32(id)
		}
	}
	out := make([]int32, 256)
	for b := range out {
		id, ok := ids[fmt.Sprintf("<0x%02X>", b)]
		if !ok {
			id = -1
		}
		out[b] = id
	}
	return out
}

// index sorts the vocabulary for search.
func (u *unigram) index(vocab []scored) error {
	order := make([]int32, len(vocab))
	least, size := 0.0, 0
	for i, s := range vocab {
		if math.IsNaN(s.score) || math.IsInf(s.score, 0) {
			return fmt.Errorf("token %q has the score %g", s.token, s.score)
		}
		order[i] = int32(i)
		least = min(least, s.score)
		size += len(s.token)
	}
	if size > math.MaxInt32 {
		return fmt.Errorf("has %d bytes of tokens", size)
	}
	slices.SortStableFunc(order, func(a, b int32) int { // of equal tokens the last counts
		switch x, y := vocab[a].token, vocab[b].token; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	text := make([]byte, 0, size)
	for i, id := range order {
		s := vocab[id]
		if s.token == "" || i+1 < len(order) && vocab[order[i+1]].token == s.token {
			continue
		}
		text = append(text, s.token...)
		u.ends, u.ids, u.scores = append(u.ends, uint32(len(text))), append(u.ids, id), append(u.scores, s.score)
	}
	u.text = string(text)
	u.penalty = least - 10
	row := 0
	for b := range u.first {
		for row < len(u.ids) && int(u.token(row)[0]) < b {
			row++
		}
		u.first[b] = int32(row)
	}
	u.ranges = map[prefix]rows{}
	for b := range 256 {
		u.remember(int(u.first[b]), int(u.first[b+1]), 1)
	}
	return nil
}

// token returns a row of the sorted vocabulary.
func (u *unigram) token(row int) string {
	from := uint32(0)
	if row > 0 {
		from = u.ends[row-1]
	}
	return u.text[from:u.ends[row]]
}

func (u *unigram) size() int { return u.count }

// node is the best way to a place in a piece.
type node struct {
	score float64
	from  int32 // where its last token begins
	row   int32 // of its last token; -1 = an unknown character
	open  bool  // no way yet
}

// segment appends the tokens of the best way through a piece.
func (u *unigram) segment(ids []int32, piece string) []int32 {
	if piece == "" || len(piece) > math.MaxInt32 {
		return ids
	}
	var few [128]node
	best := few[:0]
	if len(piece) >= len(few) {
		best = make([]node, 0, len(piece)+1)
	}
	best = best[:len(piece)+1]
	for i := 1; i < len(best); i++ {
		best[i].open = true
	}
	for at := 0; at < len(piece); {
		_, width := utf8.DecodeRuneInString(piece[at:])
		u.extend(best, piece, at, width)
		at += width
	}
	before := len(ids)
	for end := int32(len(piece)); end > 0; end = best[end].from {
		ids = u.append(ids, piece[best[end].from:end], best[end].row)
	}
	slices.Reverse(ids[before:])
	return ids
}

// extend tries all tokens that begin at a place, of which the character there has so many bytes.
func (u *unigram) extend(best []node, piece string, at, width int) {
	till, single := best[at].score, false
	lo, hi := int(u.first[piece[at]]), int(u.first[int(piece[at])+1])
	for n := 1; lo < hi; n++ {
		if len(u.token(lo)) == n { // the first of those that begin so is the whole of it
			single = single || n == width
			if to := &best[at+n]; to.open || till+u.scores[lo] > to.score {
				*to = node{score: till + u.scores[lo], from: int32(at), row: int32(lo)}
			}
			lo++
		}
		if at+n >= len(piece) {
			break
		}
		lo, hi = u.narrow(lo, hi, n, piece[at+n])
	}
	if single {
		return
	}
	if to := &best[at+width]; to.open || till+u.penalty > to.score {
		*to = node{score: till + u.penalty, from: int32(at), row: -1}
	}
}

// narrow keeps the rows from lo to hi, which agree in n bytes and are longer, whose next byte is b.
func (u *unigram) narrow(lo, hi, n int, b byte) (int, int) {
	if hi-lo > wide {
		r := u.ranges[prefix{int32(lo), int32(n), b}]
		return int(r.lo), int(r.hi)
	}
	for lo < hi && u.token(lo)[n] < b {
		lo++
	}
	end := lo
	for end < hi && u.token(end)[n] == b {
		end++
	}
	return lo, end
}

// wide is how many rows are looked up instead of looked through.
const wide = 12

// prefix is the rows that begin at one and agree in n bytes, and the byte that comes next.
type prefix struct {
	row, n int32
	next   byte
}

// rows is a range of the sorted vocabulary.
type rows struct{ lo, hi int32 }

// remember notes the ranges within the rows from lo to hi, which agree in n bytes, where they are many.
func (u *unigram) remember(lo, hi, n int) {
	if lo < hi && len(u.token(lo)) == n {
		lo++
	}
	if hi-lo <= wide {
		return
	}
	for from := lo; from < hi; {
		b := u.token(from)[n]
		to := from + 1
		for to < hi && u.token(to)[n] == b {
			to++
		}
		u.ranges[prefix{int32(lo), int32(n), b}] = rows{int32(from), int32(to)}
		u.remember(from, to, n+1)
		from = to
	}
}

// append appends a token found, or, backwards, those of the bytes of an unknown character if all of them have one.
func (u *unigram) append(ids []int32, s string, row int32) []int32 {
	switch {
	case row >= 0 && u.ids[row] != u.unknown:
		return append(ids, u.ids[row])
	case row >= 0 || u.bytes == nil:
		return ids
	}
	for i := range len(s) {
		if u.bytes[s[i]] < 0 {
			return ids
		}
	}
	for i := len(s) - 1; i >= 0; i-- {
		ids = append(ids, u.bytes[s[i]])
	}
	return ids
}
