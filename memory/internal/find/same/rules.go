package same

import (
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// verdict asks the rules in turn: first whether the two have anything in common, then what makes two things of it, what makes two values, and only what is left can
// be the same.
func (j *judge) verdict() (Kind, string) {
	for _, rule := range []func() (Kind, string){j.unrelated, j.things, j.opposed, j.values, j.rivals} {
		if kind, reason := rule(); kind != "" {
			return kind, reason
		}
	}
	return j.alike()
}

// unrelated settles what has no word and no value in common.
func (j *judge) unrelated() (Kind, string) {
	if j.d.shared > 0 || j.gains(func(r relation) bool { return r.shared }) {
		return "", ""
	}
	return j.near("no word in common")
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
		if j.speaks() && j.opens() && len(j.conflicts()) > 0 { // its subject is chosen anew for each record
			return j.unlessValue(Unsure, "another subject")
		}
		return j.unlessValue(Other, "another subject")
	case j.clash(func(t term) bool { return t.name || t.is(kin) }):
		if j.ending() {
			return j.unlessValue(Unsure, "the same is said of somebody or something else")
		}
		if j.speaks() {
			return j.unlessValue(Unsure, "somebody or something else is spoken of")
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
	old, next := numbers(j.old), numbers(j.new)
	return len(old) > 1 && len(old) == len(next) && !slices.Equal(old, next)
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

// unlessValue returns the verdict, but for words that stand where an attribute has its value.
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
	// Without a difference there is nothing to settle, unless moments cannot be compared.
	differ := j.conflicts()
	if len(differ) == 0 {
		for s := range sorts {
			if j.d.values[s].unclear {
				return Unsure, "moments that cannot be compared"
			}
		}
		return "", ""
	}

	// Reasons against replacing come first, the surest first. What none of them fits has another value now.
	reason := "a value differs"
	switch {
	case len(j.d.gone) > 0 && len(j.d.come) > 0 && j.newValue():
		if slices.Contains(differ, moment) || slices.Contains(differ, amount) {
			return Unsure, reason
		}
		return j.replaced("another value of one attribute")
	case j.event || j.old.once || j.new.once:
		return j.nearOrOne(differ, "two occasions")
	case j.old.doubt != j.new.doubt || !j.sameSubject() || j.extended() || len(j.d.gone) > 0 && len(j.d.come) > 0 || j.d.shared == 0:
		return j.nearOrOne(differ, reason)
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

// leading returns how many words may stand before a value that is spoken of.
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
		return !t.silent() && !t.is(contact) && j.new.has(t)
	})
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
	next, _ := gaps(j.new, j.old, j.d.come)
	for gap, gone := range old {
		come := next[gap]
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
	case j.exchanged():
		return Unsure, "small words differ"
	}
	return Same, "says nothing more"
}

// exchanged reports whether each record has a small word that the other lacks.
func (j *judge) exchanged() bool {
	lacks := func(a, b *face) bool {
		return slices.ContainsFunc(a.small, func(w string) bool { return !b.words[w] && !slices.Contains(b.small, w) })
	}
	return lacks(j.old, j.new) && lacks(j.new, j.old)
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

// near is Unsure for what has much in common, and for what says something new in the words of the old record, else Other.
func (j *judge) near(reason string) (Kind, string) {
	if j.speaks() || j.similarity >= unsureFrom && (!j.c.HasCosine || j.similarity >= j.c.Refine) {
		return Unsure, reason
	}
	return Other, reason
}

// speaks reports whether most of what the new record speaks of is in the old one, which may tell more than what changes.
func (j *judge) speaks() bool { return j.d.shared > 0 && j.d.shared >= len(j.d.come) }
