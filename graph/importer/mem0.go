package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// Memory is one memory of mem0.
type Memory struct {
	ID      string
	Text    string
	Created time.Time
	Updated time.Time
}

// storedMemory is a memory as it stands in a file.
type storedMemory struct {
	ID      string `json:"id"`
	Text    string `json:"memory"`
	Created string `json:"created_at"`
	Updated string `json:"updated_at"`
}

// ReadMem0 reads an export of mem0: a list of memories, or an object that has one as "results" or "memories". What cannot be read, and a
// memory without text, is state.ErrInvalid. A time without a zone is one of the zone, nil = UTC.
func ReadMem0(r io.Reader, zone *time.Location) ([]Memory, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, state.Errorf(state.Unavailable, "import", "%w", err)
	}

	var list []storedMemory
	whole := struct{ Results, Memories []storedMemory }{}
	if err := json.Unmarshal(raw, &list); err != nil {
		if other := json.Unmarshal(raw, &whole); other != nil {
			return nil, state.Errorf(state.Invalid, "import", "is no export of mem0, a list of memories or an object with results: %w", err)
		}
		list = append(whole.Results, whole.Memories...)
	}

	if len(list) == 0 {
		return nil, state.Errorf(state.Invalid, "import", "holds no memories; an export of mem0 is a list, or an object with results")
	}

	out := make([]Memory, len(list))
	for i, m := range list {
		if m.Text == "" {
			return nil, state.Errorf(state.Invalid, "import", "memory %d, %s, has no text", i+1, m.ID)
		}
		out[i] = Memory{ID: m.ID, Text: m.Text}
		if out[i].Created, err = readTime(m.Created, zone); err == nil {
			out[i].Updated, err = readTime(m.Updated, zone)
		}
		if err != nil {
			return nil, state.Errorf(state.Invalid, "import", "memory %d, %s: %w", i+1, m.ID, err)
		}
	}
	return out, nil
}

// at returns when a memory was last told, zero = the file does not say.
func (m Memory) at() time.Time {
	if !m.Updated.IsZero() {
		return m.Updated
	}
	return m.Created
}

// Memories takes memories in as records of the scope's user, what they are about is the user. What is known already is not written twice.
func Memories(ctx context.Context, c graph.Config, scope state.Scope, list []Memory) (report Report, err error) {
	g, at, err := open(ctx, c)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()

	ids := make([]string, len(list))
	err = g.Memory().Many(ctx, len(list), func(ctx context.Context, i int) error {
		m := list[i]
		if t := m.at(); !t.IsZero() {
			at.set(t)
		}
		change := memory.Change{Content: m.Text, About: state.AboutUser, Trust: state.TrustExtracted, Author: "mem0", ValidFrom: m.at()}
		receipts, err := g.Memory().Write(ctx, scope.Default(), change)
		if err == nil {
			ids[i] = receipts[0].ID
		}
		return err
	}, func(i int, err error) error {
		switch code := state.CodeOf(err); {
		case err == nil:
			report.Records++
		case code == state.Invalid || code == state.Denied:
			report.Refused = append(report.Refused, fmt.Sprintf("memory %d, %s: %v", i+1, list[i].ID, err))
		default:
			return fmt.Errorf("memory %d: %w", i+1, err)
		}
		return nil
	})
	if err != nil {
		return report, err
	}
	report.Brain, err = inBrain(ctx, g.Memory(), scope.Default(), ids)
	return report, err
}

// inBrain counts the records that stand in the brain, which every prompt has; the others are found by recall.
func inBrain(ctx context.Context, m *memory.Memory, scope state.Scope, ids []string) (n int, err error) {
	b, err := m.Brain(ctx, scope)
	if err != nil {
		return 0, err
	}
	for _, p := range state.BrainParts() {
		for _, r := range b.In(p) {
			if slices.Contains(ids, r.ID) {
				n++
			}
		}
	}
	return n, nil
}
