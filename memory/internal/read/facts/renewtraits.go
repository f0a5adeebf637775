package facts

import "slices"

// own lists what is seen of a stated quantity, whatever it stands beside.
func (r *Renewal) own(m int) []trait {
	a := r.fresh.marks[m]
	out := append(make([]trait, 0, 24), [...]trait{"amount", "clock", "day"}[a.Sort], count("fresh", len(r.fresh.words)))
	add := func(on bool, name trait) {
		if on && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}

	add(m > 0, "not first mark")

	said := r.w.read(r.fresh.value, r.lang)
	for _, l := range said.lex {
		kind := trait("")
		if l.shape == word {
			kind = trait(said.called(l, cueWord))
		}
		add(kind != "", "in "+kind)
		add(kind != "" && l.end <= a.Start && a.Start-l.end < 14, "before "+kind)
		add(kind != "" && l.start >= a.End && l.start-a.End < 8, "after "+kind)
	}
	return append(out, r.seen...)
}

// count names a small number of something.
func count(what trait, n int) trait { return what + " " + trait(rune('0'+min(n, 4))) }

// traits lists what is seen of a pair; later is how many known facts of the sort were learnt after this one.
func (r *Renewal) traits(k *held, p pair, later int) []trait {
	fresh := &r.fresh
	// The names stand ready: this runs for every pair, and must not make strings.
	a, b := fresh.marks[p.m], k.marks[p.o]
	out := make([]trait, 0, 24)
	shared := [...][4]trait{{"shared 0 amount", "shared 1 amount", "shared 2 amount", "shared 3 amount"}, {"shared 0 clock", "shared 1 clock", "shared 2 clock", "shared 3 clock"}, {"shared 0 day", "shared 1 day", "shared 2 day", "shared 3 day"}}
	heard := [...][4]trait{{"heard 0 amount", "heard 1 amount", "heard 2 amount", "heard 3 amount"}, {"heard 0 clock", "heard 1 clock", "heard 2 clock", "heard 3 clock"}, {"heard 0 day", "heard 1 day", "heard 2 day", "heard 3 day"}}
	lasts := [...][5]trait{{"later 0 amount", "later 1 amount", "later 2 amount", "later 3 amount", "later 4 amount"}, {"later 0 clock", "later 1 clock", "later 2 clock", "later 3 clock", "later 4 clock"}, {"later 0 day", "later 1 day", "later 2 day", "later 3 day", "later 4 day"}}
	old := [...]trait{"old 0", "old 1", "old 2", "old 3", "old 4"}
	add := func(on bool, name trait) {
		if on {
			out = append(out, name)
		}
	}

	// What the two facts have in common, and how recent the known one is.
	add(true, shared[a.Sort][min(p.shared, 3)])
	add(true, heard[a.Sort][min(k.heard, 3)])
	add(true, lasts[a.Sort][min(later, 4)])
	if r.cued {
		add(true, [...]trait{"cued amount", "cued clock", "cued day"}[a.Sort])
		add(p.shared > 0, "cued shared")
		add(later == 0, "cued last")
	}

	// How the known fact is built, beside the stated one.
	add(true, old[min(len(k.words), 4)])
	add(p.shared >= len(fresh.words), "nothing new")
	add(p.o == len(k.marks)-1, "last old mark")
	add(p.o > 0, "not first old mark")
	add(len(fresh.marks) == len(k.marks), "as many marks")
	add(a.Unit != "" && a.Unit == b.Unit, "unit")
	add((a.Unit == "") != (b.Unit == ""), "unit of one")
	for o := range k.marks {
		add(o != p.o && repeats(fresh, k, o), "repeats another")
	}

	// The quantities themselves; only amounts have a ratio.
	add(deniesKnown(fresh, k, p.o), "old denied")
	add(a.letters == b.letters, "same form")
	add(a.digits == b.digits, "as many digits")
	if a.Sort == Amount {
		low, high := min(a.Size, b.Size), max(a.Size, b.Size)
		ratio := high / max(low, 0.01)
		near := slices.IndexFunc([]float64{1.1, 1.3, 1.6, 2.5, 5, 1e99}, func(x float64) bool { return ratio < x })
		out = append(out, [...]trait{"ratio 1.1", "ratio 1.3", "ratio 1.6", "ratio 2.5", "ratio 5", "ratio more"}[max(near, 0)])
		add(low < 13, "small")
		add(low >= 100, "hundreds")
		add(low >= 1000, "thousands")
		add(ratio < 2 && later == 0, "near and last")
		add(ratio < 2 && r.cued, "near and cued")
	}
	return out
}

// equal reports whether two facts hold the same quantity.
func equal(a *held, m int, b *held, o int) bool {
	x, y := a.marks[m], b.marks[o]
	if x.Sort != y.Sort {
		return false
	}
	if x.Sort == Amount {
		return x.Size == y.Size
	}
	return x.plain == y.plain
}

// deniesKnown reports whether a stated fact says that a known quantity does not hold.
func deniesKnown(fresh, k *held, o int) bool {
	for m, a := range fresh.marks {
		if a.Denied && equal(fresh, m, k, o) {
			return true
		}
	}
	return false
}

func common(a, b []string) (n int) {
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return n
}
