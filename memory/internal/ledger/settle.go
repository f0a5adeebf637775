package ledger

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// settleSession keeps a session and the affairs in it of one mind, however writers crossed: at most one affair is active
// in it, and the session points at that one. The affair decided on wins if it is active there, and the one
// that another writer made active meanwhile is parked; else that one stays.
func (b *batch) settleSession(ctx context.Context, p pointer, at time.Time) error {
	switch {
	case p.skipped:
		return b.parkOthers(ctx, p, at)
	case p.session.Active != p.had:
		return b.settlePointer(ctx, p, at)
	}
	return nil
}

// settlePointer settles a session that points at another affair than before.
func (b *batch) settlePointer(ctx context.Context, p pointer, at time.Time) error {
	want, _, err := b.findActive(ctx, p, p.session.Active)
	if err != nil {
		return err
	}

	had, s, err := b.findActive(ctx, p, p.had)
	stays := want != nil || b.beyond(p, p.session.Active)

	switch {
	case err != nil:
		return err
	case stays && had != nil:
		b.park(p, had, s, at)
	case had != nil:
		p.session.Active = p.had
	case !stays:
		p.session.Active = ""
	}
	return nil
}

// parkOthers settles a session that an earlier attempt has written, while the affairs may be still as they were.
func (b *batch) parkOthers(ctx context.Context, p pointer, at time.Time) error {
	active, err := b.listActive(ctx, p)
	if err != nil || !b.beyond(p, p.want) && !slices.ContainsFunc(active, func(a *state.Affair) bool { return a.ID == p.want }) {
		return err
	}
	for _, a := range active {
		if a.ID != p.want {
			b.park(p, a, b.slots[Ref{state.Affairs, p.scope.Key(a.ID)}], at)
		}
	}
	return nil
}

// park sets an affair aside that was active before the step. One that an earlier attempt has brought up to the step or
// beyond is left as it is.
func (b *batch) park(p pointer, a *state.Affair, s *slot, at time.Time) {
	if !b.beyond(p, a.ID) {
		EditAffair(a, state.AffairEdit{Status: state.Parked, At: at}, p.scope)
		s.markMade(p.from)
	}
}

// beyond reports whether an earlier attempt has brought an affair up to the step that edits the session, or further.
func (b *batch) beyond(p pointer, id string) bool {
	s, ok := b.slots[Ref{state.Affairs, p.scope.Key(id)}]
	return ok && p.from.Thread != "" && reaches(s.had, p.from)
}

// findActive returns an affair if it is active in the pointer's session, else nil.
func (b *batch) findActive(ctx context.Context, p pointer, id string) (*state.Affair, *slot, error) {
	if id == "" {
		return nil, nil, nil
	}
	a, s, err := find[state.Affair](ctx, b, Ref{state.Affairs, p.scope.Key(id)})
	if err != nil || a == nil || a.Status != state.Active || a.Session != p.scope.Session {
		return nil, nil, err
	}
	return a, s, nil
}

// keepOneActive settles a session whose documents an earlier attempt may have written in part: of all affairs that are
// active in it the one it points at stays, or the one last touched when it points at none of them.
func (b *batch) keepOneActive(ctx context.Context, p pointer, at time.Time) error {
	active, err := b.listActive(ctx, p)
	if err != nil || len(active) == 0 {
		return err
	}

	stays := slices.MaxFunc(active, func(x, y *state.Affair) int {
		return cmp.Or(pointed(p, x)-pointed(p, y), x.UpdatedAt.Compare(y.UpdatedAt), strings.Compare(x.ID, y.ID))
	})
	for _, a := range active {
		if a != stays {
			EditAffair(a, state.AffairEdit{Status: state.Parked, At: at}, p.scope)
			b.slots[Ref{state.Affairs, p.scope.Key(a.ID)}].markMade(p.from)
		}
	}

	if p.session.Active != stays.ID {
		p.session.Active, p.slot.changed = stays.ID, true
	}
	return nil
}

func pointed(p pointer, a *state.Affair) int {
	if a.ID == p.session.Active {
		return 1
	}
	return 0
}

// listActive lists the affairs that are active in the pointer's session, stored ones and new ones.
func (b *batch) listActive(ctx context.Context, p pointer) ([]*state.Affair, error) {
	user := p.scope.UserPrefix()
	refs := slices.Clone(b.order)
	for _, doc := range b.affairs {
		refs = append(refs, Ref{state.Affairs, doc.ID})
	}

	var active []*state.Affair
	for _, ref := range refs {
		id, own := strings.CutPrefix(ref.ID, user)
		if ref.Collection != state.Affairs || !own {
			continue
		}
		a, _, err := b.findActive(ctx, p, id)
		if err != nil {
			return nil, err
		}
		if a != nil && !slices.Contains(active, a) {
			active = append(active, a)
		}
	}
	return active, nil
}
