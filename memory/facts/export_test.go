package facts

// Weighed is a clause as it would be told, whatever it weighs.
type Weighed struct {
	Traits []string
	Told   []Fact
}

// Clauses returns all clauses of a message that are not asked, for the fit of the weights.
func Clauses(message, lang string) (out []Weighed) {
	t := teller{reader: newReader(message, lang)}
	t.extract()
	t.found = t.facts
	t.each(func(c clause) {
		if c.asked || c.first == c.last {
			return
		}
		var w Weighed
		for _, x := range t.traits(c) {
			w.Traits = append(w.Traits, string(x))
		}
		t.told = nil
		t.tell(c)
		w.Told = t.told
		out = append(out, w)
	})
	return out
}

// Telling is the weight from which on a clause is told.
const Telling = telling
