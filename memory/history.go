package memory

import (
	"context"
	"strings"

	"github.com/mneme-graph/mneme/memory/detect"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// history is what detection knows of one session, and up to which message.
type history struct {
	*detect.History
	seq       int64
	described map[string]state.Affair
}

// historyFor brings the session's history up to the message before number seq.
func (m *Memory) historyFor(ctx context.Context, d *mind, scope state.Scope, seq int64) (*history, error) {
	h := d.histories[scope.Session]
	if h == nil {
		h = &history{History: detect.NewHistory(), described: map[string]state.Affair{}}
		if err := elsewhere(ctx, d.reads(m), scope, h); err != nil {
			return nil, err
		}
		d.histories[scope.Session] = h
	}
	msgs, err := messagesAfter(ctx, d.reads(m), scope, h.seq)
	if err != nil {
		return nil, err
	}
	for _, msg := range msgs {
		if msg.Seq >= seq {
			break
		}
		h.seq = msg.Seq
		if msg.Role != state.RoleTool && msg.Text != "" {
			h.Add(detect.Message{Role: msg.Role, Text: msg.Text, Affair: msg.Affair})
		}
	}
	return h, nil
}

// elsewhere adds what other sessions filed under affairs.
func elsewhere(ctx context.Context, from reader, scope state.Scope, h *history) error {
	docs, err := from.Scan(ctx, store.Query{Collection: state.Messages, Prefix: scope.UserPrefix()})
	if err != nil {
		return err
	}
	for _, doc := range docs {
		if strings.HasPrefix(doc.ID, scope.SessionKey()+"/") {
			continue
		}
		msg, err := decode[state.Message](doc)
		if err != nil {
			return err
		}
		if msg.Affair != "" && !msg.Undone && msg.Role != state.RoleTool && msg.Text != "" {
			h.Add(detect.Message{Role: msg.Role, Text: msg.Text, Affair: msg.Affair})
		}
	}
	return nil
}

// describe tells the history about affairs that are new or changed, and which is the current one.
func (h *history) describe(affairs []state.Affair, current string) {
	seen := map[string]bool{}
	for _, a := range affairs {
		seen[a.ID] = true
		old, ok := h.described[a.ID]
		if !ok || old.Status != a.Status || !old.UpdatedAt.Equal(a.UpdatedAt) {
			h.Describe(a)
			h.described[a.ID] = a
		}
	}
	for id := range h.described {
		if !seen[id] {
			h.Forget(id)
			delete(h.described, id)
		}
	}
	h.SetCurrent(current)
}
