package same

import (
	"math"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/text"
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
// in both directions. Reason is one phrase in English, without the records' text.
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

// Judge says what the record that was read is to an old one.
func (r *Reading) Judge(old state.Record, c Comparison) Verdict {
	next := r.record
	if reason := apart(old, next); reason != "" {
		return Verdict{Kind: Other, Reason: reason}
	}
	j := judge{c: c.settled(), old: read(old, r.lang), new: r.face}
	j.kinds = old.Kind == next.Kind
	j.event = old.Kind == state.EventRecord || next.Kind == state.EventRecord
	v := Verdict{Similarity: overlap(j.old, j.new, weigher(c.Weight))}
	if j.c.HasCosine {
		v.Similarity = min(max(c.Cosine, -1), 1)
	}
	j.similarity = v.Similarity
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
func apart(old, new state.Record) string {
	switch {
	case old.ValidTo != nil || new.ValidTo != nil:
		return "a record is closed"
	case old.Client != new.Client || old.User != new.User || old.Project != new.Project:
		return "another user's or project's"
	case old.Kind == state.MessageRecord || new.Kind == state.MessageRecord:
		return "messages are never joined"
	case old.Kind != new.Kind && (!follows(old.Kind) || !follows(new.Kind)):
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

// plainText is a text without what never matters: case, white space, and points at the ends of sentences. Diacritics stay.
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

// verdict asks the rules in turn: first what makes two things of it, then what makes two values, and only what is left can be
// the same.
func (j *judge) verdict() (Kind, string) {
	for _, rule := range []func() (Kind, string){j.things, j.opposed, j.values, j.rivals} {
		if kind, reason := rule(); kind != "" {
			return kind, reason
		}
	}
	return j.alike()
}

// things settles what differs in an identifier or in whom it speaks of.
func (j *judge) things() (Kind, string) {
	ids := j.d.values[identifier]
	switch {
	case ids.conflict && !ids.shared:
		return Other, "a differing identifier"
	case ids.conflict:
		return Unsure, "one identifier is shared, another differs"
	case j.clash(func(t term) bool { return t.subject }):
		return j.unlessValue(Other, "another subject")
	case j.clash(func(t term) bool { return t.name || t.is(kin) }):
		if j.ending() {
			return j.unlessValue(Unsure, "the same is said of somebody or something else")
		}
		return j.unlessValue(Other, "somebody or something else is spoken of")
	case j.old.signs != j.new.signs:
		return Unsure, "a sign differs"
	case j.contrasts():
		return Unsure, "small words are opposed"
	case j.numbered():
		return Unsure, "one of several numbers differs"
	case j.d.doubtful:
		return Unsure, "a name may be that of two people"
	}
	return "", ""
}

// clash reports whether both records have a word of a sort that the other lacks.
func (j *judge) clash(of func(term) bool) bool {
	return slices.ContainsFunc(j.d.gone, of) && slices.ContainsFunc(j.d.come, of)
}

// numbered reports whether both records have the same several bare numbers to tell, and not with the same values in the
// same places: "note 1 of writer 2", "note 1 of writer 1".
func (j *judge) numbered() bool {
	numbers := func(f *face) (out []string) { // with those that are told twice
		for _, m := range f.marks {
			if m.sort == count {
				out = append(out, m.canon)
			}
		}
		return out
	}
	old, new := numbers(j.old), numbers(j.new)
	return len(old) > 1 && len(old) == len(new) && !slices.Equal(old, new)
}

// contrasts reports whether the records stand for different ends of one contrast: before and after, my and her.
func (j *judge) contrasts() bool {
	for axis, side := range j.old.sides {
		if other := j.new.sides[axis]; side != "" && other != "" && side != other {
			return true
		}
	}
	return false
}

// unlessValue is the verdict, but for words that stand where an attribute has its value.
func (j *judge) unlessValue(kind Kind, reason string) (Kind, string) {
	if j.newValue() {
		return "", ""
	}
	return kind, reason
}

// opposed settles what one record says and the other denies, likes and dislikes, or ends.
func (j *judge) opposed() (Kind, string) {
	var reason string
	ends := func(t term) bool { return t.is(end) }
	switch {
	case j.d.negation:
		reason = "one denies what the other says"
	case j.d.feeling:
		reason = "liked in one, disliked in the other"
	case slices.ContainsFunc(j.d.come, ends):
		reason = "it holds no more"
	case slices.ContainsFunc(j.d.gone, ends):
		return Unsure, "it holds again"
	case j.d.states && len(j.d.gone) == 1 && len(j.d.come) == 1:
		reason = "another state"
	default:
		return "", ""
	}
	if !j.sameSubject() || j.clash(func(t term) bool { return !t.is(status) && !t.is(end) }) || j.old.doubt != j.new.doubt {
		return j.near(reason)
	}
	if v := j.conflicts(); len(v) > 0 || j.d.shared == 0 {
		return j.near(reason)
	}
	return j.replaced(reason)
}

// values settles what differs in an amount, a moment, a number, a contact.
func (j *judge) values() (Kind, string) {
	differ := j.conflicts()
	if len(differ) == 0 {
		for s := range sorts {
			if j.d.values[s].unclear {
				return Unsure, "moments that cannot be compared"
			}
		}
		return "", ""
	}
	reason := "a value differs"
	switch {
	case len(j.d.gone) > 0 && len(j.d.come) > 0 && j.newValue():
		if slices.Contains(differ, moment) || slices.Contains(differ, amount) {
			return Unsure, reason
		}
		return j.replaced("another value of one attribute")
	case j.event || j.old.once || j.new.once:
		return j.near("two occasions")
	case j.old.doubt != j.new.doubt || !j.sameSubject() || j.extended() || len(j.d.gone) > 0 && len(j.d.come) > 0 || j.d.shared == 0:
		return j.near(reason)
	case len(differ) > 1 && !j.d.values[identifier].shared:
		return Unsure, "several values differ"
	case slices.Contains(differ, moment) && j.months():
		return Unsure, "another month may be another thing"
	case j.led(differ):
		return Unsure, "the value is what is spoken of"
	case slices.Contains(differ, mail) || slices.Contains(differ, phone):
		if !j.person() {
			return Unsure, "nobody is named whose it is"
		}
	}
	return j.replaced(reason)
}

// conflicts lists the sorts of value, but for identifiers, of which each record has one that contradicts the other's.
func (j *judge) conflicts() []sort {
	var out []sort
	for s := range sorts {
		if s != identifier && j.d.values[s].conflict {
			out = append(out, s)
		}
	}
	return out
}

// led reports whether a record begins with a contact or moment that differs, or with one word and a number, and goes on:
// "eva@firm.com gets the invoices", "File 77 is closed".
func (j *judge) led(differ []sort) bool {
	return slices.ContainsFunc(differ, func(s sort) bool {
		return s != amount && slices.ContainsFunc(j.d.values[s].gone, func(m mark) bool {
			return !m.subject && j.old.goesOn(m.end) && j.old.wordsBefore(m.start) <= leading(s)
		})
	})
}

// leading is how many words may stand before a value that is spoken of.
func leading(s sort) int {
	if s == count {
		return 1
	}
	return 0
}

// months reports whether what differs is a month without a day.
func (j *judge) months() bool {
	r := j.d.values[moment]
	bare := func(m mark) bool { return m.when.month > 0 && m.when.day == 0 }
	return slices.ContainsFunc(r.gone, bare) || slices.ContainsFunc(r.come, bare)
}

// person reports whether both records speak of somebody, or something, that is more than the word for the contact.
func (j *judge) person() bool {
	return slices.ContainsFunc(j.old.terms, func(t term) bool {
		contact := slices.ContainsFunc(contactWords(), func(w string) bool { return strings.HasPrefix(t.folded, w) })
		return !t.silent() && !contact && j.new.has(t)
	})
}

// contactWords are beginnings of words for telephones and addresses.
func contactWords() []string {
	return []string{"telefon", "phone", "mobil", "телефон", "мобил", "mail", "email", "e", "adres", "address", "адрес", "почт", "kontakt", "contact", "контакт", "komork", "tel"}
}

// rivals settles words of each record that the other lacks.
func (j *judge) rivals() (Kind, string) {
	reason := "words differ on both sides"
	switch {
	case len(j.d.gone) == 0 || len(j.d.come) == 0:
		return "", ""
	case j.newValue():
		if j.old.doubt != j.new.doubt || j.old.once || j.new.once {
			return Unsure, reason
		}
		return j.replaced("another value of one attribute")
	case j.clash(func(t term) bool { return t.capital || t.is(kin) || t.is(status) }) || j.lost() || j.old.doubt != j.new.doubt:
		return j.near(reason)
	case j.c.HasCosine && j.similarity > j.c.Same && j.sameSubject() && j.kinds && !j.substituted():
		return Same, "said in other words"
	}
	return j.near(reason)
}

// substituted reports whether words stand in the place of others that are not known to mean the same. All else being equal
// their vectors are near whatever the words are: allergic to peanuts, allergic to penicillin.
func (j *judge) substituted() bool {
	old, shared := gaps(j.old, j.new, j.d.gone)
	new, _ := gaps(j.new, j.old, j.d.come)
	for gap, gone := range old {
		come := new[gap]
		if shared > 0 && len(come) > 0 && slices.ContainsFunc(gone, func(t term) bool { return !related(t, come) }) {
			return true
		}
	}
	return false
}

// related reports whether the thesaurus knows one of the words as another for t.
func related(t term, words []term) bool {
	return slices.ContainsFunc(text.Related(t.stem), func(k text.Kin) bool {
		return slices.ContainsFunc(words, func(u term) bool { return u.stem == k.Stem })
	})
}

// alike settles what nothing speaks against: one record has all words and values of the other.
func (j *judge) alike() (Kind, string) {
	added := len(j.d.come) > 0 || j.gains(func(r relation) bool { return len(r.come) > 0 || r.finer })
	lost := len(j.d.gone) > 0 || j.lost()
	switch {
	case j.old.doubt != j.new.doubt:
		return Unsure, "one is not certain"
	case !j.kinds:
		return Unsure, "another kind of record"
	case j.d.shared == 0 && !j.gains(func(r relation) bool { return r.shared }):
		return j.near("no word in common")
	case added && lost:
		return j.near("each says something that the other does not")
	case j.widened(j.d.come, j.new) || j.widened(j.d.gone, j.old):
		return Unsure, "it may be somebody else"
	case len(j.d.values[identifier].gone) > 0:
		return Unsure, "an identifier is not named any more"
	case j.swapped():
		return Unsure, "names or numbers stand in another order"
	case added:
		return Refines, "says more"
	}
	return Same, "says nothing more"
}

// gains reports whether the values of some sort compare in a way.
func (j *judge) gains(way func(relation) bool) bool { return slices.ContainsFunc(j.d.values[:], way) }

// lost reports whether the old record has a value that the new one lacks.
func (j *judge) lost() bool {
	return j.gains(func(r relation) bool { return len(r.gone) > 0 || r.rougher })
}

// replaced is Replaces, but for events, which happen again and do not change.
func (j *judge) replaced(reason string) (Kind, string) {
	if j.event {
		return Unsure, reason
	}
	return Replaces, reason
}

// near is Unsure for what has much in common, else Other.
func (j *judge) near(reason string) (Kind, string) {
	if j.similarity >= unsureFrom && (!j.c.HasCosine || j.similarity >= j.c.Refine) {
		return Unsure, reason
	}
	return Other, reason
}
