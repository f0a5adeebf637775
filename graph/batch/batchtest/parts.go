package batchtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Tell writes sessions of a user that are over and wait to be read, one for each text, in which he says that text.
func Tell(ctx context.Context, s store.Store, user state.Scope, at time.Time, texts ...string) (err error) {
	m, err := memory.New(memory.Config{Store: s, Now: func() time.Time { return at }})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	for i, text := range texts {
		scope := user
		scope.Session = fmt.Sprintf("s%d", i+1)
		scope = scope.Default()
		session := state.Session{
			Client: scope.Client, User: scope.User, ID: scope.Session, Part: 2, PartFrom: 3, PartAt: at, Agent: scope.Agent, Language: "en", Messages: 2,
			StartedAt: at, LastAt: at,
		}

		// The session has two messages and a part that waits to be read.
		turn := "turn-" + scope.Session
		said := state.Message{ID: "m1", Seq: 1, Role: state.RoleUser, Text: text, Turn: turn, At: at}
		noted := state.Message{ID: "m2", Seq: 2, Role: state.RoleAssistant, Text: "Noted.", Turn: turn, At: at}
		part := state.Record{
			ID: "summary." + scope.Session + ".1", Client: scope.Client, User: scope.User, Agent: scope.Agent, Session: scope.Session, Kind: state.SummaryRecord,
			Trust: state.TrustExtracted, Importance: 5, RecordedAt: at,
			Span: &state.Span{Part: 1, First: 1, Last: 2, Covered: 2, Messages: 2, Version: 1, StartedAt: at, EndedAt: at, Digest: "By rules.", Waits: true},
		}

		effects := []state.Effect{{Scope: scope, Message: &said}, {Scope: scope, Message: &noted}, {Scope: scope, Session: &session}, {Scope: scope, Record: &part}}
		if err := checkpointtest.Append(ctx, s, m.Turn().Commits(), effects...); err != nil {
			return err
		}
	}
	return nil
}

// Echo answers the question about a part with what the user says in it, each message a fact.
func Echo(prompt string) string {
	_, talk, _ := strings.Cut(prompt, "## Conversation")
	facts := []map[string]any{}
	for line := range strings.Lines(talk) {
		quoted, ok := strings.CutPrefix(strings.TrimSpace(line), "- user: ")
		var text string
		if ok && json.Unmarshal([]byte(quoted), &text) == nil {
			facts = append(facts, map[string]any{"category": "CORE", "text": text, "subject": "user", "importance": 7})
		}
	}
	raw, err := json.Marshal(map[string]any{"facts": facts, "summary": "As the model read it."})
	if err != nil {
		return ""
	}
	return string(raw)
}
