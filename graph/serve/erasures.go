package serve

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
)

// HoldRequest says why a record is held.
type HoldRequest struct {
	Why string `json:"why,omitempty" maxLength:"1000" doc:"It is kept with the record, for administrators to read"`
}

// Hold says who keeps a record from being erased, and why.
type Hold struct {
	By  string    `json:"by" doc:"Who wanted it"`
	Why string    `json:"why,omitempty"`
	At  time.Time `json:"at"`
}

// Released says what has waited for a record.
type Released struct {
	Order string `json:"order,omitempty" doc:"The erasure that waited for it and goes on; empty = none did"`
}

// addErasures adds what tells of erasures, and what they wait for.
func (s *Server) addErasures() {
	add(s, operation(http.MethodGet, "/api/v1/erasures", "erasing", "What was ordered to be erased of the user's memory, the last first"), access.Read,
		func(ctx context.Context, in *struct {
			Whose
			Paging
		},
		) (*body[page[state.Order]], error) {
			all, err := onScope(ctx, s, in.Whose, "", s.memory.Forget().Orders)
			return paged(all, err, in.Paging, func(o state.Order) string { return o.ID })
		})
	add(s, operation(http.MethodGet, "/api/v1/erasures/{order}", "erasing", "An erasure: who asked for it, when it was done and, with probe, what is found of it now"), access.Read,
		func(ctx context.Context, in *struct {
			Whose
			ID    string `path:"order" maxLength:"128"`
			Probe bool   `query:"probe" doc:"Look again in every layer: left is 0 when nothing is found"`
		},
		) (*body[forget.Proof], error) {
			return answer(onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) (forget.Proof, error) {
				return s.memory.Forget().Prove(ctx, scope, in.ID, in.Probe)
			}))
		})
	add(s, operation(http.MethodGet, "/api/v1/records/{record}/hold", "erasing", "Who keeps a record from being erased, and why"), access.Admin,
		func(ctx context.Context, in *RecordInput) (*body[Hold], error) {
			r, err := onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) (state.Record, error) { return s.record(ctx, scope, in.ID) })
			if err == nil && r.Held == nil {
				err = state.Errorf(state.NotFound, "record "+in.ID, "is not held")
			}
			if err != nil {
				return nil, err
			}
			return &body[Hold]{Hold{cmp.Or(r.Held.User, string(r.Held.Who)), r.Held.Why, r.HeldAt}}, nil
		})
	add(s, operation(http.MethodPut, "/api/v1/records/{record}/hold", "erasing", "Keep a record from being erased until it is released"), access.Admin,
		func(ctx context.Context, in *struct {
			RecordInput
			Body HoldRequest
		},
		) (*body[state.Record], error) {
			return answer(onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) (state.Record, error) {
				return s.memory.Forget().Hold(ctx, scope, in.ID, "key "+keyFrom(ctx).ID, in.Body.Why)
			}))
		})
	add(s, operation(http.MethodDelete, "/api/v1/records/{record}/hold", "erasing", "Release a record: an erasure that waited for it goes on"), access.Admin,
		func(ctx context.Context, in *RecordInput) (*body[Released], error) {
			o, err := onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) (state.Order, error) {
				return s.memory.Forget().Release(ctx, scope, in.ID)
			})
			return &body[Released]{Released{o.ID}}, err
		})
}
