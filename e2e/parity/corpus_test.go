package parity_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/e2e/retrieval"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// talk is a conversation as it goes into memory: what was said, session by session, what is noted of it, and what is asked.
type talk struct {
	name     string
	sessions []session
	notes    []memory.Change
	asked    []string
}

type session struct {
	name     string
	messages []state.Message
}

// talks reads the conversations of all languages.
func talks(t *testing.T) []talk {
	t.Helper()
	var out []talk
	for _, language := range []string{"cs", "pl", "ru", "en"} {
		file, err := os.Open(filepath.Join("..", "retrieval", "testdata", language+".jsonl"))
		must(t, err)
		conversations, err := retrieval.Read(file)
		must(t, err)
		must(t, file.Close())
		for _, c := range conversations {
			out = append(out, talkOf(c))
		}
	}
	return out
}

func talkOf(c retrieval.Conversation) talk {
	k := talk{name: c.Name}
	for i, turn := range c.Turns {
		if n := len(k.sessions); n == 0 || k.sessions[n-1].name != turn.Session {
			k.sessions = append(k.sessions, session{name: turn.Session})
		}
		s := &k.sessions[len(k.sessions)-1]
		s.messages = append(s.messages, state.Message{ID: c.Name + ":" + turn.ID, Role: turn.Role, Speaker: turn.Speaker, At: turn.At, Text: turn.Text})
		if i%8 == 0 && turn.Text != "" {
			k.notes = append(k.notes, note(i/8, turn.Text))
		}
	}
	queries := c.Queries
	if os.Getenv("MNEME_LONG") == "" {
		queries = queries[:min(10, len(queries))] // a search of milvus-lite takes a tenth of a second
	}
	for _, q := range queries {
		k.asked = append(k.asked, q.Text)
	}
	return k
}

// note is what somebody would write down of a message: its last words about its first.
func note(n int, text string) memory.Change {
	words := strings.Fields(text)
	return memory.Change{
		Kind:       state.Categories()[n%len(state.Categories())],
		Subject:    strings.Join(words[:min(3, len(words))], " "),
		Content:    strings.Join(words[max(0, len(words)-12):], " "),
		Importance: 1 + n%10,
	}
}

// totals counts messages, notes and questions.
func totals(all []talk) (messages, notes, asked int) {
	for _, k := range all {
		for _, s := range k.sessions {
			messages += len(s.messages)
		}
		notes += len(k.notes)
		asked += len(k.asked)
	}
	return messages, notes, asked
}

// tell puts a talk into the memory of a user, on both sides. The clock is then a day behind its last message.
func (p *pair) tell(t *testing.T, user string, k talk) {
	t.Helper()
	for _, part := range k.sessions {
		for _, s := range p.sides() {
			must(t, s.m.Turn().Ingest(t.Context(), of(user, k.name+"-"+part.name), part.messages...))
		}
		p.at(part.messages[len(part.messages)-1].At.AddDate(0, 0, 1))
	}
	for _, s := range p.sides() {
		s.indexed(t, of(user, "1"))
	}
}

// note writes a change on both sides, which must judge alike what it is to what they know.
func (p *pair) note(t *testing.T, scope state.Scope, c memory.Change) state.Receipt {
	t.Helper()
	want, got := p.local.write(t, scope, c), p.milvus.write(t, scope, c)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Fatalf("receipt of %+v (-local +milvus):\n%s", c, diff)
	}
	return want
}

func of(user, session string) state.Scope {
	return state.Scope{Client: "parity", User: user, Session: session}
}

// write waits for all vectors before it writes, because they say what the memory knows already.
func (s *side) write(t *testing.T, scope state.Scope, c memory.Change) state.Receipt {
	t.Helper()
	s.indexed(t, scope)
	ctx, check := spoken(t)
	receipts, err := s.m.Write(ctx, scope, c)
	if err != nil || len(receipts) != 1 {
		t.Fatalf("%s: %d receipts: %v", s.name, len(receipts), err)
	}
	check()
	return receipts[0]
}
