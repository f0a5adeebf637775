package facts

import (
	"slices"

	"github.com/mneme-graph/mneme/state"
)

// class is what a word is or does. The lists words_LANG.txt say which words are of which class: "class: words", or "class label: words" where
// the class gives its words a label.
type class uint8

const (
	acronym     class = iota // the name of a number, with it as a label
	weakAcronym              // the same where it is in capitals or before a colon; it is also another word
	addressWord              // speaks of where something is
	announces                // "that": opens what is to be said
	appointed                // what has to be done up to a day
	article
	asks           // asks for kinds of facts
	asksAlone      // asks where no comma stands in its sentence
	asksBehind     // stands behind the first word of a question
	asksByVerb     // asks where an auxiliary follows
	asksPlainly    // asks wherever a sentence begins with it
	atHour         // "o'clock" in front of the hour
	auxiliary      // begins a question before its subject
	beforeCalled   // stands between a person and the words for being called
	beforeGenitive // a preposition with the genitive alone
	beforeNoun     // a preposition: what follows is not the subject
	beforeObject   // a preposition with the form that an object has
	beforeVerb     // what stands behind it is a verb
	binds          // ties a noun to the one before it
	booking        // labels of what has codes in capitals
	bought         // says that something was bought; the label is what that makes
	butWord
	clauseWord   // opens another clause
	clockWord    // stands before a time of day
	clockStretch // the same, also of days
	conjoins     // "and"
	connects     // stands between the words of duty and the action
	copula       // "is"
	counted      // a number in words
	cueWord      // something takes another's place; the label is how
	currencyWord
	currencyShort // a currency with a point
	dateWord      // what happens on a day
	dayOf         // between a day and its month
	dayThe        // between a weekday and its day
	deadlineWord  // a last day
	decides
	denies      // what follows does not hold
	done        // says by itself that something is finished
	dutyWord    // says what is to be done
	edgeWord    // says nothing at the edge of a clause
	endOf       // the end of a stretch, which is a day by itself
	endWord     // the end of a stretch
	filler      // says only that somebody wants or has something; what follows is the matter
	finishes    // stands with what is finished
	haveWord    // "I have" between a measure and its number
	honorific   // stands before a person's name
	hourWord    // makes a time of day of the number before it
	isCalled    // what follows is a name
	joinsHere   // "is" in this language alone
	light       // an adverb between subject and verb
	matter      // stems of what affairs are called by
	measureWord // what is measured or counted
	monthToo    // a month that is also another word
	monthWord
	motion        // going somewhere; the label is what the affair is called
	nameless      // written like a name, and none
	myFirst       // "my" where a sentence begins with it
	needsVerb     // says "need" of things too
	negates       // the duty behind it does not hold
	nextWord      // "next", "this" of the calendar
	noCurrency    // is no currency in this language
	noFigure      // a single capital that is a word
	noInfinitive  // ends as infinitives do
	numberItself  // a noun that holds the word for "number"
	numberKept    // a word for "number" that stays in the label behind its noun
	numberPointed // a word for "number" only with a point behind it
	numberShort   // a word for "number" that is no label
	numberWord
	objectPronoun
	obligation // something has to be done
	opening    // greets, thanks, agrees or announces another matter
	orWord     // another may hold as well
	orderWord  // what is bought and delivered
	ordinal    // the ending of a day's number
	ownWord    // says only whose or which
	personWord // what a person can be to somebody
	phoneWord
	piece   // a unit that makes a fact by itself
	plate   // a car's number plate
	pointer // only points at what follows
	possessive
	prefers
	preposition
	priceWord // what is paid
	property  // what is stated without "my"
	questionWord
	reason        // what follows is no part of an action
	referenceWord // what people give numbers to
	reminder      // asks to be reminded
	renews        // says that something holds from now on
	request       // what is asked of the assistant
	secretWord
	selfWord     // "I" before a duty
	sinceWord    // opens a stretch of days
	span         // a stretch of the calendar
	speech       // announces talk, not a value
	streetBehind // ends the name of a street
	streetWord   // stands before the name of a street
	subjectWord  // what an auxiliary asks about
	subordinate  // opens a clause inside a sentence
	thousands    // stands between a number and its currency
	timeUnit     // counts time
	timeWord     // tells when; no title is made of it
	tomorrow     // a day by itself
	towards      // the preposition of where one goes
	town         // a short word before the name of a town
	unitGlued    // a unit that is no part of the number it is written to
	unitWord     // of measure and of counting
	untilWord    // makes a deadline of the day that follows
	unsure       // what its sentence says is supposed, told on hearsay, or held once
	untitled     // what no title holds
	upTo         // stands between the two ends of a stretch of time
	vague        // begins what is no value
	wants        // what a question with it asks for
	weakWord     // stands in a title only where there is nothing else
	weekday
	yearWord
	knownAdjective // what a noun follows
	knownNoun      // ends like a verb and is none
	classCount
)

// className returns what a class is called in the lists.
func className(name string) (class, bool) {
	i := slices.Index([]string{
		"acronym", "acronym_weak", "address", "announces", "appointed", "article", "asks", "asks_alone", "asks_behind",
		"asks_by_verb", "asks_plainly", "at_hour", "auxiliary", "before_called", "before_genitive", "before_noun", "before_object", "before_verb",
		"binds", "booking", "bought", "but", "clause", "clock", "clock_stretch", "and", "connects", "copula", "count", "cue", "currency",
		"currency_short", "date", "day_of", "day_the", "deadline", "decides", "denies", "done", "due", "edge", "end_of", "end", "filler", "finishes", "have", "honorific",
		"hour", "is_called", "joins", "light", "matter", "measure", "month_too", "month", "motion", "nameless", "my_first", "needs_verb", "negates", "next",
		"no_currency", "no_figure", "no_infinitive", "number_itself", "number_kept", "number_pointed", "number_short", "number", "object",
		"obligation", "opening", "or", "order", "ordinal", "determiner", "person", "phone", "piece", "plate", "pointer", "possessive", "prefers",
		"preposition", "price", "property", "question", "reason", "reference", "reminder", "renews", "request", "secret", "self", "since", "span",
		"speech", "street_behind", "street", "subject", "subordinate", "thousands", "time_unit", "time", "tomorrow", "towards",
		"town", "glued", "unit", "until", "unsure", "no", "up_to", "vague", "wants", "weak", "weekday", "year", "adj", "noun",
	}, name)
	return class(max(i, 0)), i >= 0
}

// labelled returns the classes whose words have a label.
func labelled() set {
	return in(acronym, weakAcronym, asks, bought, counted, cueWord, dateWord, deadlineWord, measureWord, motion, orderWord, priceWord, referenceWord, wants)
}

// local returns the classes that hold in a message of their own language alone. Those of the others hold in any, for people mix languages.
func local() set {
	return in(untitled, timeWord, weakWord, knownNoun, knownAdjective, matter, binds, motion, joinsHere, noCurrency, unsure, orWord)
}

// set is a set of classes.
type set [2]uint64

func in(classes ...class) (s set) {
	for _, c := range classes {
		s[c>>6] |= 1 << (c & 63)
	}
	return s
}

func (s set) has(c class) bool { return s[c>>6]>>(c&63)&1 != 0 }

func (s set) meets(o set) bool { return s[0]&o[0] != 0 || s[1]&o[1] != 0 }

func (s set) with(o set) set { return set{s[0] | o[0], s[1] | o[1]} }

// Category says which kind of record one note of these facts should be. Of several that fit, the first
// of order, deadline, preference, decision, contact wins; everything else is a fact.
func Category(found []Fact, message, lang string) state.RecordKind {
	// What the words of the message say: an order, a preference, a decision, a duty.
	var said set
	r := Read(message, lang)
	for i, l := range r.lex {
		if l.shape == word {
			said = said.with(l.set)
		}
		if r.phrase(i, len(r.lex), in(prefers)) > 0 {
			said = said.with(in(prefers))
		}
	}

	// Words and facts together; the first kind that fits wins.
	has := func(kinds ...Kind) bool {
		return slices.ContainsFunc(found, func(f Fact) bool { return slices.Contains(kinds, f.Kind) })
	}
	ordered := said.has(bought) || said.has(orderWord) && has(Reference, Item, Price)
	switch {
	case ordered && !has(Deadline):
		return state.OrderRecord
	case has(Deadline) || has(Date) && (said.has(deadlineWord) || said.has(appointed) || len(r.Pending()) > 0):
		return state.DeadlineRecord
	case ordered:
		return state.OrderRecord
	case said.has(prefers):
		return state.PreferenceRecord
	case said.has(decides):
		return state.DecisionRecord
	case has(Phone, Email, Address, Name):
		return state.ContactRecord
	}
	return state.FactRecord
}
