package facts

// Weighed is a clause as it would be told, whatever it weighs.
type Weighed struct {
	Traits []string
	Told   []Fact
}

// Clauses returns all clauses of a message that are not asked, for the fit of the weights.
func Clauses(message, lang string) (out []Weighed) {
	t := Read(message, lang).teller()
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

// LookedBack is how many known facts are compared.
const LookedBack = lookedBack

// PairOf is a stated quantity beside a known one.
type PairOf struct {
	Known    int
	New, Old string
	Traits   []string
}

// Pairs returns the known quantities that those of a fact may take the place of.
func (r *Renewal) Pairs(f Fact) (out []PairOf) {
	fresh := r.hold(f.Label, f.Value)
	fresh.doubtful = f.Doubtful
	for _, p := range r.pairs(&fresh) {
		x := PairOf{Known: p.known, New: fresh.text(p.m), Old: r.known[p.known].text(p.o)}
		for _, name := range append(r.own(&fresh, p.m), p.traits...) {
			x.Traits = append(x.Traits, string(name))
		}
		out = append(out, x)
	}
	return out
}

// NamedOf is a phrase of a message as it would stand in a title.
type NamedOf struct {
	Text   string
	Traits []string
}

// Named returns the phrases of a message that may name its matter, for the fit of the weights.
func Named(message, lang string) (out []NamedOf) {
	t := Read(message, lang).titler()
	for _, p := range t.phrases(false) {
		c := t.candidate(p)
		if c.text == "" {
			continue
		}
		n := NamedOf{Text: c.text}
		for _, x := range t.naming(p) {
			n.Traits = append(n.Traits, string(x))
		}
		out = append(out, n)
	}
	return out
}
