package component

import (
	"context"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// kind is the implementation's name for both components; eino shows "MnemeRetriever" and "MnemeIndexer".
const kind = "Mneme"

// place is whose memory one call is about.
type place struct {
	scope  state.Scope
	origin memory.Origin // what the turn is at; zero outside one and in another user's memory
}

// locate completes the Config's scope from the turn, and returns the context to work in: that of the turn in its own user's
// memory, one without the turn's step in another's.
func locate(ctx context.Context, op string, config state.Scope) (context.Context, place, error) {
	// The turn fills in what the Config leaves open, unless it is somebody else's.
	turn, inside := state.ScopeFrom(ctx)
	p := place{scope: config}
	foreign := inside && (config.Client != "" && config.Client != turn.Client || config.User != "" && config.User != turn.User)
	if inside && !foreign {
		p.scope = turn.Merge(config)
	}

	// What is still missing has to be named.
	for _, part := range []struct{ name, value string }{
		{"client", p.scope.Client}, {"user", p.scope.User}, {"session", p.scope.Session},
	} {
		switch {
		case part.value != "":
		case foreign:
			return ctx, p, state.Errorf(state.Denied, op, "a turn of another client or user does not fill in the %s; name it in the Config's Scope", part.name)
		default:
			return ctx, p, state.Errorf(state.Invalid, op, "has no %s; name it in the Config's Scope, or put a scope into the context", part.name)
		}
	}
	if err := p.scope.Validate(); err != nil {
		return ctx, p, err
	}

	// In its own turn's memory the work is part of the step; elsewhere it is written at once.
	origin, known := memory.OriginFrom(ctx)
	if inside && ours(p.scope, turn) && (!known || ours(p.scope, origin.Scope)) {
		p.origin = origin
		return ctx, p, nil
	}
	return memory.ContextWithOrigin(state.ContextWithEffects(ctx, nil), memory.Origin{Scope: p.scope}), p, nil
}

// ours reports whether two scopes are of one user's memory.
func ours(a, b state.Scope) bool { return a.UserPrefix() == b.UserPrefix() }

// checked refuses a Config's scope that could never be completed. Empty parts are left to the turn.
func checked(op string, s state.Scope) error {
	if s.User != "" && s.Client == "" {
		return state.Errorf(state.Invalid, op, "the Config's Scope names user %q and no client; a user is somebody only within a client", s.User)
	}
	for _, id := range []struct{ name, value string }{
		{"client", s.Client}, {"project", s.Project}, {"user", s.User}, {"agent", s.Agent}, {"session", s.Session},
	} {
		if id.value == "" {
			continue
		}
		if err := state.ValidateID(id.name, id.value); err != nil {
			return err
		}
	}
	return nil
}
