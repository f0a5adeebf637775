package ledger

import (
	"slices"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Edit is one entry of the feed that somebody asked for.
type Edit struct {
	At     time.Time `bson:"at" json:"at"`
	Affair string    `bson:"affair" json:"affair"`
	By     string    `bson:"by" json:"by"`
	What   []string  `bson:"what" json:"what"` // created, title, summary, facts, pending, topics, PARKED and so on, merged
}

// editsOf are the edits among effects that somebody asked for; those of one affair are one.
func editsOf(effects []state.Effect) []Edit {
	var out []Edit
	for _, effect := range effects {
		e := effect.Affair
		if e == nil || e.By == "" {
			continue
		}
		at := slices.IndexFunc(out, func(o Edit) bool { return o.Affair == e.ID })
		if at < 0 {
			out, at = append(out, Edit{At: e.At, Affair: e.ID, By: e.By}), len(out)
		}
		for _, w := range whatOf(*e) {
			if !slices.Contains(out[at].What, w) {
				out[at].What = append(out[at].What, w)
			}
		}
	}
	return out
}

// whatOf names what an edit changes.
func whatOf(e state.AffairEdit) []string {
	var out []string
	for _, part := range []struct {
		name string
		is   bool
	}{
		{"created", e.Create != nil}, {"title", e.Title != ""}, {"summary", e.Summary != ""}, {"facts", len(e.Facts)+len(e.Drop) > 0},
		{"pending", e.SetPending}, {"topics", len(e.Topics) > 0}, {string(e.Status), e.Status != ""}, {"merged", e.Absorb != nil || e.Into != ""},
	} {
		if part.is {
			out = append(out, part.name)
		}
	}
	return out
}
