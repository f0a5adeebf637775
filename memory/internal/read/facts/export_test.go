package facts

// LookedBack is how many earlier sentences are compared.
const LookedBack = lookedBack

// PairOf is a quantity of a sentence beside an earlier one.
type PairOf struct {
	Known    int
	New, Old string
	Traits   []string
}

// Pairs returns the known quantities that those of a sentence may take the place of.
func (r *Renewal) Pairs() (out []PairOf) {
	for _, p := range r.pairs() {
		x := PairOf{Known: p.known, New: r.fresh.text(p.m), Old: r.known[p.known].text(p.o)}
		for _, name := range append(r.own(p.m), p.traits...) {
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
