package hooks

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// round tells one address what is to be told, and remembers between passes how far it has come.
type round struct {
	h      *Hooks
	target target
	client *http.Client

	stand   Standing
	next    time.Time         // when there is more to tell
	known   map[string]known  // users of whom all is told, by prefix
	reached map[string]string // where clients stood at last: their users, by client
	last    string            // the client whose turn it was
}

// known is how a user stood when all was told of him that was due.
type known struct {
	waiting           // without its things
	next    time.Time // when there is more to tell of him, though nothing changes; zero = not known of
}

// untold is a thing that is to be told now.
type untold struct {
	thing
	id   string // of its message
	kept message
}

// queue is what is left to do for a client in a pass.
type queue struct {
	client string
	users  []state.Scope
	untold []untold // of the first of them, some
	more   bool     // there is more of him
	known  known    // how he stands when they are told
}

// How much is done for a client before it is another's turn (a user looked at, or a message sent), and of how many things a user's are in RAM with their messages.
const (
	share      = 20
	untoldPage = 1000
)

// tell sends what is due, client by client in turns, as long as the address answers. An address that fails is asked for one message when its time has come.
func (r *round) tell(ctx context.Context, users []state.Scope, stand Standing) error {
	r.stand, r.next = stand, time.Time{}
	queues := r.queues(users)
	for len(queues) > 0 && !r.stops(ctx) {
		for _, q := range queues {
			if r.stops(ctx) {
				break
			}
			r.last = q.client
			if err := r.tellSome(ctx, q); err != nil {
				return err
			}
		}
		queues = slices.DeleteFunc(queues, func(q *queue) bool { return len(q.users) == 0 })
	}
	switch now := r.h.c.Now(); {
	case r.stand.Gone:
		r.next = time.Time{}
	case r.stand.Next.After(now):
		r.next = r.stand.Next
	case len(queues) > 0:
		r.next = now
	}
	return nil
}

// stops reports whether nothing more is to be sent for now.
func (r *round) stops(ctx context.Context) bool {
	return ctx.Err() != nil || r.stand.Gone || r.stand.Next.After(r.h.c.Now())
}

// queues returns what is to be looked at, by client, each from where the last pass has come to.
func (r *round) queues(users []state.Scope) (out []*queue) {
	there := map[string]bool{}
	for _, user := range users {
		if r.target.client != "" && r.target.client != user.Client {
			continue
		}
		there[user.UserPrefix()] = true
		if len(out) == 0 || out[len(out)-1].client != user.Client {
			out = append(out, &queue{client: user.Client})
		}
		q := out[len(out)-1]
		q.users = append(q.users, user)
	}
	maps.DeleteFunc(r.known, func(user string, _ known) bool { return !there[user] })
	for _, q := range out {
		at, _ := slices.BinarySearchFunc(q.users, r.reached[q.client], func(u state.Scope, name string) int { return strings.Compare(u.User, name) })
		q.users = slices.Concat(q.users[at:], q.users[:at])
	}
	at, found := slices.BinarySearchFunc(out, r.last, func(q *queue, client string) int { return strings.Compare(q.client, client) })
	if found {
		at++
	}
	return slices.Concat(out[at:], out[:at])
}

// tellSome does a client's share of the work.
func (r *round) tellSome(ctx context.Context, q *queue) error {
	for done := 0; done < share && len(q.users) > 0 && !r.stops(ctx); done++ {
		user := q.users[0]
		r.reached[q.client] = user.User
		if len(q.untold) == 0 {
			if err := r.look(ctx, q, user); err != nil {
				return err
			}
		} else {
			x := q.untold[0]
			q.untold = q.untold[1:]
			again, err := r.tellOne(ctx, x)
			if err != nil {
				return err
			}
			q.known.next = sooner(q.known.next, again)
		}
		if len(q.untold) == 0 && !q.more {
			r.known[user.UserPrefix()] = q.known
			r.next = sooner(r.next, q.known.next)
			q.users = q.users[1:]
		}
	}
	return nil
}

// look finds what is to be told of a user now, as much of it as is in RAM at a time, and deletes messages about what waits no more.
func (r *round) look(ctx context.Context, q *queue, user state.Scope) error {
	now := r.h.c.Now()
	known, ok := r.known[user.UserPrefix()]
	q.known, q.more = known, false
	stands := &known.waiting
	if !ok || !known.next.IsZero() && !known.next.After(now) {
		stands = nil
	}
	w, changed, err := r.h.read(ctx, user, stands)
	if err != nil || !changed {
		return err
	}

	kept, err := r.keptOf(ctx, user, w)
	if err != nil {
		return err
	}

	// What is due and was not told.
	q.known.next = time.Time{}
	for _, x := range w.things {
		id := x.id(r.target)
		m := kept[x.about.key(id)]
		due := m.Next
		if x.at.After(due) {
			due = x.at
		}
		switch {
		case !m.Sent.IsZero():
			q.known.next = sooner(q.known.next, x.until)
		case due.After(now):
			q.known.next = sooner(q.known.next, sooner(due, x.until))
		case len(q.untold) == untoldPage:
			q.more = true
		default:
			q.untold = append(q.untold, untold{x, id, m})
		}
	}
	w.things = nil
	q.known.waiting = w
	return nil
}

// keptOf returns the messages about what waits of a user, by their keys, and deletes those about what waits no more.
func (r *round) keptOf(ctx context.Context, user state.Scope, w waiting) (map[string]message, error) {
	lives := map[string]bool{}
	for _, x := range w.things {
		lives[x.about.key(x.id(r.target))] = true
	}
	kept, over := map[string]message{}, map[string]message{}
	err := r.h.eachMessage(ctx, user.UserPrefix(), func(some map[string]message) error {
		for key, m := range some {
			switch {
			case lives[key]:
				kept[key] = m
			case m.Target == r.target.id && w.whole:
				over[key] = m
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return kept, r.h.drop(ctx, over)
}
