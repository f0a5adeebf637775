package flow

import "slices"

// rounds says which nodes of a graph with cycles run next. All nodes of a round have ended before the next one begins, so
// what runs depends on the graph and on the decisions of its branches alone: a resumed turn takes the same rounds.
type rounds struct {
	shape *shape
	n     int             // the round
	now   []string        // its nodes; none = the turn has come to its end, or waits
	left  int             // how many of them have not ended
	ended []ended         // those that have
	due   map[string]bool // led to, but held: see ready
	asked map[string]bool // ended with a question; what they lead to waits for the answer
	count map[string]int  // visits so far
	rank  map[visit]int   // place of a visit in the graph's order
}

func newRounds(sh *shape) *rounds {
	o := &rounds{shape: sh, due: map[string]bool{}, asked: map[string]bool{}, count: map[string]int{}, rank: map[visit]int{}}
	o.ended = []ended{{node: Start}}
	o.beginNext()
	return o
}

// end takes note of a node that has ended, or asks; the last one of a round begins the next.
func (o *rounds) end(e ended, asks bool) {
	if asks {
		o.asked[e.node] = true
	} else {
		o.ended = append(o.ended, e)
	}
	if o.left--; o.left == 0 {
		o.beginNext()
	}
}

func (o *rounds) beginNext() {
	for _, e := range o.ended {
		for _, to := range slices.Concat(o.shape.next[e.node], e.next) {
			if to != End {
				o.due[to] = true
			}
		}
	}
	o.n++
	o.now, o.ended = o.shape.listReady(o.due, o.asked), nil
	o.left = len(o.now)
	for i, n := range o.now {
		delete(o.due, n)
		o.count[n]++
		o.rank[visit{node: n, n: o.count[n]}] = o.n*len(o.shape.nodes) + i
	}
}

// listReady lists which of the nodes that are due may run, in the graph's order. A node that several lead to is held while
// another one is due, or asks, from which a way leads to it. Where all that are due hold one another, which takes a loop
// that can be entered at several nodes, the first of them goes.
func (sh *shape) listReady(due, asked map[string]bool) (now []string) {
	first := ""
	for _, n := range sh.nodes {
		if !due[n] || asked[n] {
			continue
		}
		if first == "" {
			first = n
		}
		if !sh.isHeld(n, due) && !sh.isHeld(n, asked) {
			now = append(now, n)
		}
	}
	if len(now)+len(asked) == 0 && first != "" {
		return []string{first}
	}
	return now
}

// isHeld reports whether a node waits for one of these.
func (sh *shape) isHeld(node string, others map[string]bool) bool {
	for o := range others {
		if sh.holds[node][o] {
			return true
		}
	}
	return false
}
