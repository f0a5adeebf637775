package same

import (
	"math"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Kind is what a new record is to an old one.
type Kind string

// The kinds. With Unsure somebody who understands the texts has to say, and until then both stay.
const (
	Same     Kind = "same"     // says nothing that the old one does not say
	Refines  Kind = "refines"  // says all that the old one says, and more or better
	Replaces Kind = "replaces" // gives a new value to what the old one gave a value to
	Other    Kind = "other"    // speaks of something else
	Unsure   Kind = "unsure"
)

// Comparison is what is known of two records besides their texts.
type Comparison struct {
	Cosine    float64                   // of their vectors
	HasCosine bool                      // false = there is no embedder
	Weight    func(stem string) float64 // how rare a word is in the user's memory (idf); nil = all alike
	Refine    float64                   // similarity from which on the new record may refine the old; 0 = 0.85
	Same      float64                   // above which it may be the same; 0 = 0.95
	Language  string                    // of the records, BCP-47; "" = guessed
}

// Verdict is the answer. Similarity is in [-1,1]: the cosine, or without one the share of words and values in common; it is the same
// in both directions in one Language. Reason is one phrase in English, without the records' text.
type Verdict struct {
	Kind       Kind
	Similarity float64
	Reason     string
}

// Default thresholds.
const (
	refineFrom = 0.85
	sameAbove  = 0.95
	unsureFrom = 0.5 // what has less in common is another thing
)

// Judge says what the new record is to the old one. Of texts longer than 4,000 bytes only equal ones are the same. It reads no
// clock and no store, takes any text, and is safe for concurrent use if Weight is. A closed record, one of another user, project or kind that does not fit, and a message are always Other.
func Judge(old, next state.Record, c Comparison) Verdict { return Read(next, c.Language).Judge(old, c) }

// Reading is a new record, read once to be compared with many old ones. It is safe for concurrent use.
type Reading struct {
	record state.Record
	lang   string
	face   *face
}

// Read reads a new record; language as in Comparison, which is guessed if it is "".
func Read(r state.Record, language string) *Reading {
	if language == "" {
		language = text.Language(r.Content, "en")
	}
	return &Reading{r, language, read(r, language)}
}

// Topic returns the words of the record that tell what it is about, without its values and without what says that one is new.
func (r *Reading) Topic() string {
	var out []string
	for _, t := range r.face.terms {
		if !t.silent() {
			out = append(out, r.face.body[t.start:t.end])
		}
	}
	for _, m := range r.face.marks {
		if m.sort == identifier {
			out = append(out, r.face.body[m.start:m.end])
		}
	}
	return strings.Join(out, " ")
}

// Judge says what the record that was read is to an old one.
func (r *Reading) Judge(old state.Record, c Comparison) Verdict {
	// What is closed, of another user or of another kind is not compared.
	next := r.record
	if reason := apart(old, next); reason != "" {
		return Verdict{Kind: Other, Reason: reason}
	}

	// What both say, and how near they are.
	j := judge{c: c.settled(), old: read(old, r.lang), new: r.face}
	j.kinds = old.Kind == next.Kind
	j.event = old.Kind == state.EventRecord || next.Kind == state.EventRecord
	v := Verdict{Similarity: overlap(j.old, j.new, weigher(c.Weight))}
	if j.c.HasCosine {
		v.Similarity = min(max(c.Cosine, -1), 1)
	}
	j.similarity = v.Similarity

	// The same words are the same; long texts are not compared word by word.
	if plainText(old.Subject) == plainText(next.Subject) && plainText(old.Content) == plainText(next.Content) {
		if !j.c.HasCosine {
			v.Similarity = 1
		}
		v.Kind, v.Reason = Same, "the same words"
		return v
	}
	if j.old.long || j.new.long {
		v.Kind, v.Reason = j.near("too long to compare word by word")
		return v
	}

	j.d = compare(j.old, j.new)
	v.Kind, v.Reason = j.verdict()
	return v
}

// settled fills in the defaults; a cosine that is no number is none.
func (c Comparison) settled() Comparison {
	if c.Refine <= 0 {
		c.Refine = refineFrom
	}
	if c.Same <= 0 {
		c.Same = sameAbove
	}
	c.HasCosine = c.HasCosine && !math.IsNaN(c.Cosine)
	return c
}

// apart gives the reason why two records are not compared by their text, "" if they are.
func apart(old, next state.Record) string {
	switch {
	case old.ValidTo != nil || next.ValidTo != nil:
		return "a record is closed"
	case old.Client != next.Client || old.User != next.User || old.Project != next.Project:
		return "another user's or project's"
	case old.Kind == state.MessageRecord || next.Kind == state.MessageRecord:
		return "messages are never joined"
	case old.Kind != next.Kind && (!follows(old.Kind) || !follows(next.Kind)):
		return "another kind of record"
	}
	return ""
}

// follows reports whether a record of this kind may follow one of another such kind.
func follows(k state.RecordKind) bool {
	switch k {
	case state.FactRecord, state.DecisionRecord, state.DeadlineRecord, state.OrderRecord:
		return true
	}
	return false
}

// plainText returns a text without what never matters: case, white space, and points at the ends of sentences. Diacritics stay.
func plainText(s string) string {
	return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(s), " ")), ".!… ")
}

// judge is one comparison.
type judge struct {
	c          Comparison
	old, new   *face
	d          difference
	similarity float64
	kinds      bool // both records are of one kind
	event      bool
}
