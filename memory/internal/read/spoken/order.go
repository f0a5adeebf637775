package spoken

import "github.com/mneme-graph/mneme/memory/internal/read/text"

// unclear is an order to forget that no frame understands: "forget about the gluten". The whole message is the order, and what it is about stands
// behind the verb. What says more is talk: "forget the hotel, we take the train".
func unclear(message string, readers []*reader) Command {
	for _, r := range readers {
		from, to := r.orderToForget()
		if from >= to {
			continue
		}
		if object := message[r.words[from].start:r.words[to-1].end]; len(text.Terms(object)) > 0 {
			return Command{Action: Unclear, Object: object}
		}
	}
	return Command{Action: None}
}

// orderToForget are the words of what is to be forgotten, in a message that is nothing but an order to forget; none in any other.
func (r *reader) orderToForget() (from, to int) {
	i := r.verbOfForgetting()
	if i < 0 {
		return 0, 0
	}

	// What it is about, without small words before it and polite ones behind.
	from = i + r.longest(i, r.g.drop, r.g.erase)
	that := false
	for from < len(r.words) && (!r.words[from].clause || r.is(from, r.g.that)) && !r.is(from, r.g.where) {
		n := r.longest(from, r.g.about, r.g.small, r.g.this, r.g.that, r.g.polite, r.g.all)
		if n == 0 {
			break
		}
		that = that || r.is(from, r.g.that)
		from += n
	}
	to = r.dropTails(from, len(r.words))

	// A chore, or what nobody has said of himself, is no order to the memory; to erase is one only beside a word for it.
	switch {
	case from >= to || r.words[from].clause && !that && !r.is(from, r.g.where):
		return 0, 0
	case r.is(from, r.g.where):
		if !r.personal(from) {
			return 0, 0
		}
	case r.is(from, r.g.chore, r.g.not, r.g.your, r.g.what):
		return 0, 0
	}
	if !r.is(i, r.g.drop) && !that && !r.speaksOf(i+1, to, r.g.memory, r.g.info, r.g.know, r.g.recall) {
		return 0, 0
	}

	// Nothing else is said.
	for j := from + 1; j < to; j++ {
		if r.words[j].clause && !r.is(j, r.g.that) {
			return 0, 0
		}
	}
	return from, to
}

// verbOfForgetting is the word with the verb that begins a message, or stands behind leads; -1 for none. What is worked on or kept elsewhere is not the
// memory's to forget.
func (r *reader) verbOfForgetting() int {
	r.asked = false
	i := 0
	for i < len(r.words) && !r.is(i, r.g.drop, r.g.erase) {
		n := r.longest(i, r.g.lead, r.g.could, r.g.polite)
		if n == 0 {
			return -1
		}
		r.asked = r.asked || r.is(i, r.g.could)
		i += n
	}
	if i == len(r.words) || i > 0 && !r.words[i].clause && r.is(i-1, r.g.not) || r.words[i].quoted || r.words[i].after == "-" || r.reported(i) || r.asks(i) && !r.asked {
		return -1
	}
	r.v.tagForms(r.words, r.found)
	if r.speaksOf(i, len(r.words), r.g.work, r.g.device, r.g.booked) {
		return -1
	}
	return i
}

// speaksOf reports whether some of the words are of a group.
func (r *reader) speaksOf(from, to int, of ...groups) bool {
	for i := from; i < to; i++ {
		if r.is(i, of...) {
			return true
		}
	}
	return false
}
