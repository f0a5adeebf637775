package words

import "cmp"

// ranking keeps the best documents, in no order, dropping others only now and then.
type ranking struct {
	t     *tables
	limit int // 0 = all
	kept  []rough
	floor float64 // what falls below it is not among the best
}

func (r *ranking) add(x rough) {
	if x.total < r.floor {
		return
	}
	r.kept = append(r.kept, x)
	if r.limit > 0 && len(r.kept) >= 4*r.limit {
		r.cut()
	}
}

// cut drops what is not among the best.
func (r *ranking) cut() {
	if r.limit == 0 || len(r.kept) <= r.limit {
		return
	}
	r.part()
	r.kept = r.kept[:r.limit]
	r.floor = r.kept[0].total
	for _, x := range r.kept {
		r.floor = min(r.floor, x.total)
	}
}

// part moves the best, as many as the limit, to the front (Hoare's selection). There is a best for each number, because no
// two documents compare equal.
func (r *ranking) part() {
	for low, high := 0, len(r.kept)-1; low < high; {
		// Whatever is better than the pivot goes before it.
		pivot := r.kept[(low+high)/2]
		i, j := low, high
		for i <= j {
			for r.t.compare(r.kept[i], pivot) < 0 {
				i++
			}
			for r.t.compare(r.kept[j], pivot) > 0 {
				j--
			}
			if i <= j {
				r.kept[i], r.kept[j] = r.kept[j], r.kept[i]
				i++
				j--
			}
		}

		// The half in which the limit lies is parted further.
		switch {
		case r.limit <= j:
			high = j
		case r.limit > i:
			low = i
		default:
			return
		}
	}
}

// compare is negative if a comes before b.
func (t *tables) compare(a, b rough) int {
	switch {
	case a.total > b.total:
		return -1
	case a.total < b.total:
		return 1
	}
	x, y := &t.entries[a.slot].doc, &t.entries[b.slot].doc
	if c := cmp.Compare(y.Order, x.Order); c != 0 {
		return c
	}
	return cmp.Compare(x.ID, y.ID)
}
