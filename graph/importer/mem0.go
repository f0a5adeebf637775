package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// Memory is one memory of mem0.
type Memory struct {
	ID      string     `json:"id"`
	Text    string     `json:"memory"`
	Created *time.Time `json:"created_at"`
	Updated *time.Time `json:"updated_at"`
}

// ReadMem0 reads an export of mem0: a list of memories, or an object that has one as "results" or "memories". What cannot be read, and a
// memory without text, is state.ErrInvalid.
func ReadMem0(r io.Reader) ([]Memory, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, state.Errorf(state.Unavailable, "import", "%w", err)
	}

	var list []Memory
	whole := struct{ Results, Memories []Memory }{}
	if err := json.Unmarshal(raw, &list); err != nil {
		if other := json.Unmarshal(raw, &whole); other != nil {
			return nil, state.Errorf(state.Invalid, "import", "is no export of mem0, a list of memories or an object with results: %w", err)
		}
		list = append(whole.Results, whole.Memories...)
	}

	if len(list) == 0 {
		return nil, state.Errorf(state.Invalid, "import", "holds no memories; an export of mem0 is a list, or an object with results")
	}

	for i, m := range list {
		if m.Text == "" {
			return nil, state.Errorf(state.Invalid, "import", "memory %d, %s, has no text", i+1, m.ID)
		}
	}
	return list, nil
}

// at is when a memory was last told, zero = the file does not say.
func (m Memory) at() time.Time {
	switch {
	case m.Updated != nil:
		return *m.Updated
	case m.Created != nil:
		return *m.Created
	}
	return time.Time{}
}

// Memories takes memories in as records of the scope's user. What is known already is not written twice.
func Memories(ctx context.Context, c graph.Config, scope state.Scope, list []Memory) (report Report, err error) {
	g, at, err := open(ctx, c)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()

	for i, m := range list {
		if t := m.at(); !t.IsZero() {
			at.set(t)
		}
		receipts, err := g.Memory().Write(ctx, scope.Default(), memory.Change{Content: m.Text, Trust: state.TrustExtracted, Author: "mem0", ValidFrom: m.at()})
		switch code := state.CodeOf(err); {
		case err == nil:
			report.Records += len(receipts)
		case code == state.Invalid || code == state.Denied:
			report.Refused = append(report.Refused, fmt.Sprintf("memory %d, %s: %v", i+1, m.ID, err))
		default:
			return report, fmt.Errorf("memory %d: %w", i+1, err)
		}
	}
	return report, nil
}
