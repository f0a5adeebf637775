package vectors

import (
	"container/heap"
	"time"
)

// pile is what waits of one owner. It is guarded by the queue.
type pile struct {
	names   map[string]due
	order   order
	since   time.Time
	compare int  // > 0: compare everything; grows when it is asked for again
	flooded bool // names were given up, because there were too many: comparing stands for them
	taken   bool // a worker has it

	done map[string]bool // while comparing is still to come: names that were worked off before it
}

// due is when a name's vector must be there, and since when it waits. Given counts how often it was given, so that a name
// that is given again while it is worked on stays.
type due struct {
	by, since time.Time
	given     int
}

// late reports whether the vector of a name may be missing or old: it waits, or nobody has looked yet.
func (p *pile) late(id string) bool {
	_, waits := p.names[id]
	return waits || p.flooded || p.compare > 0 && !p.done[id]
}

// bytes returns what the names take.
func (p *pile) bytes() int64 {
	n := int64(0)
	for id := range p.names {
		n += nameBytes + int64(len(id))
	}
	return n
}

// add puts a name on the pile and reports whether it is new there.
func (p *pile) add(id string, by, now time.Time) bool {
	d, ok := p.names[id]
	if !ok {
		d = due{by: by, since: now}
	}
	if !ok || by.Before(d.by) {
		d.by = by
		heap.Push(&p.order, place{by, id})
	}
	d.given++
	p.names[id] = d
	return !ok
}

// next returns the nearest deadline.
func (p *pile) next() (by time.Time, ok bool) {
	for len(p.order) > 0 {
		first := p.order[0]
		if d, ok := p.names[first.id]; ok && d.by.Equal(first.by) {
			return first.by, true
		}
		heap.Pop(&p.order) // done meanwhile, or moved up
	}
	return by, false
}

// take takes the names whose deadlines come first, limit at most. They stay on the pile until they are given back.
func (p *pile) take(limit int) map[string]due {
	var out map[string]due
	for len(out) < limit {
		if _, ok := p.next(); !ok {
			break
		}
		id := heap.Pop(&p.order).(place).id
		if out == nil {
			out = map[string]due{}
		}
		out[id] = p.names[id]
	}
	return out
}

// back gives a job back and returns the bytes of the names that are off the pile.
func (p *pile) back(j job, done bool) (freed int64) {
	if j.names == nil && done && p.compare == j.compare {
		p.compare, p.flooded, p.done = 0, false, nil
	}
	for id, was := range j.names {
		now, waits := p.names[id]
		switch {
		case !waits:
		case done && now.given == was.given:
			delete(p.names, id)
			if p.compare > 0 {
				if p.done == nil {
					p.done = map[string]bool{}
				}
				p.done[id] = true
			}
			freed += nameBytes + int64(len(id))
		default:
			heap.Push(&p.order, place{now.by, id})
		}
	}
	return freed
}

// place is a name's place in the order of deadlines.
type place struct {
	by time.Time
	id string
}

// order is a heap of places.
type order []place

// Len implements heap.Interface.
func (o order) Len() int { return len(o) }

// Less implements heap.Interface: the nearest deadline first, then by name.
func (o order) Less(i, j int) bool {
	if c := o[i].by.Compare(o[j].by); c != 0 {
		return c < 0
	}
	return o[i].id < o[j].id
}

// Swap implements heap.Interface.
func (o order) Swap(i, j int) { o[i], o[j] = o[j], o[i] }

// Push implements heap.Interface.
func (o *order) Push(x any) { *o = append(*o, x.(place)) }

// Pop implements heap.Interface.
func (o *order) Pop() any {
	last := len(*o) - 1
	x := (*o)[last]
	(*o)[last] = place{}
	*o = (*o)[:last]
	return x
}
