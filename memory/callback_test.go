package memory_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// TestCallback holds that a long message which calls back in passing to what was told long ago finds it at least as well as plain BM25 over all its words does,
// however far back it is, in four languages. The letters are kept like any message, and later ones meet them.
func TestCallback(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("measures what is found")
	}
	var all [callbackClasses]callbackShare
	for _, people := range []bool{false, true} {
		for _, language := range []string{"cs", "en", "pl", "ru"} {
			var own [callbackClasses]callbackShare
			for turn := range callbackClasses {
				measureCallbacks(t, language, people, turn, &own)
			}
			for class, s := range own {
				t.Logf("%s, people %v, %-12s %v", language, people, callbackClass(class), s)
				all[class].add(s)
			}
		}
	}
	for class, s := range all {
		t.Logf("%-12s %v", callbackClass(class), s)
		if s.recall < s.plain {
			t.Errorf("%s back: recall finds %d of %d, plain BM25 %d", callbackClass(class), s.recall, s.facts, s.plain)
		}
	}
}

const (
	callbackClasses = 3
	callbackLength  = 600 // messages of a conversation
	callbackSession = 25  // messages of a session
)

// callbackClass names a range of distances between what was told and the call.
func callbackClass(n int) string { return []string{"within 50", "50 to 200", "beyond 200"}[n] }

func callbackClassOf(distance int) int {
	switch {
	case distance <= 50:
		return 0
	case distance <= 200:
		return 1
	}
	return 2
}

// callbackShare counts facts that were called back to, and those found among the first ten.
type callbackShare struct{ facts, recall, plain int }

func (s *callbackShare) count(recalled, plain bool) {
	s.facts++
	if recalled {
		s.recall++
	}
	if plain {
		s.plain++
	}
}

func (s *callbackShare) add(o callbackShare) {
	s.facts, s.recall, s.plain = s.facts+o.facts, s.recall+o.recall, s.plain+o.plain
}

func (s callbackShare) String() string {
	return fmt.Sprintf("of %3d facts recall finds %.2f, plain BM25 %.2f", s.facts, float64(s.recall)/float64(s.facts), float64(s.plain)/float64(s.facts))
}

// callbackData is a file of e2e/retrieval/testdata/callback.
type callbackData struct {
	Facts, Filler, Calls []callbackMessage
}

type callbackMessage struct {
	ID, Speaker, Text string
	Role              state.Role
	Relevant          []string
	class             []int // of the distance of each relevant one
}

// measureCallbacks has one conversation. With each turn every fact is told at another distance from its call.
func measureCallbacks(t *testing.T, language string, people bool, turn int, shares *[callbackClasses]callbackShare) {
	t.Helper()
	w, m := setup(t)
	var said []callbackMessage
	for n, msg := range callbackTalk(t, language, turn) {
		// The message is kept, as in a turn, before it is looked up.
		msg.ID = cmp.Or(msg.ID, fmt.Sprint("n", n))
		w.pass(10 * time.Minute)
		scope := state.Scope{User: "anna", Session: fmt.Sprint("s", n/callbackSession)}
		kept := state.Message{ID: msg.ID, Role: msg.Role, Text: msg.Text, At: w.clock()}
		if people {
			kept.Role, kept.Speaker = "", map[state.Role]string{state.RoleUser: "Anna", state.RoleAssistant: "Eva"}[msg.Role]
		}
		must(t, m.Turn().Ingest(t.Context(), scope, kept))

		if len(msg.Relevant) > 0 {
			recalled := recallIDs(t, m, memory.Query{Scope: scope, Text: msg.Text, Before: int64(n%callbackSession + 1), Limit: 10})
			plain := plainBM25(said, msg.Text)[:10]
			for i, id := range msg.Relevant {
				shares[msg.class[i]].count(slices.Contains(recalled, id), slices.Contains(plain, id))
			}
		}
		said = append(said, msg)
	}
}

// recallIDs are the ids of the messages found, best first.
func recallIDs(t *testing.T, m *memory.Memory, q memory.Query) (ids []string) {
	t.Helper()
	hits, err := m.Recall(t.Context(), q)
	must(t, err)
	for _, h := range hits {
		if h.Message == nil {
			t.Fatalf("found %s, which is no message", h.ID)
		}
		ids = append(ids, h.Message.ID)
	}
	return ids
}

// callbackTalk lays facts and calls among what else was said.
func callbackTalk(t *testing.T, language string, turn int) []callbackMessage {
	t.Helper()
	data := readCallbacks(t, language)

	// A call has its place, and what it calls back to stands so many messages before it. A second call to a fact finds it where it is.
	out := make([]callbackMessage, callbackLength)
	for i, call := range data.Calls {
		at := callbackLength/2 + 20*i
		call.Role = state.RoleUser
		for _, id := range call.Relevant {
			named := func(m callbackMessage) bool { return m.ID == id }
			told := slices.IndexFunc(out, named)
			if told < 0 {
				n := slices.IndexFunc(data.Facts, named)
				told = at - []int{10 + 7*n%36, 60 + 29*n%130, min(210+37*n%290, at)}[(n+turn)%callbackClasses]
				for out[told].Text != "" {
					told++
				}
				out[told] = data.Facts[n]
			}
			call.class = append(call.class, callbackClassOf(at-told))
		}
		out[at] = call
	}

	// The rest is everyday talk; every eighth message is small talk of the same two people.
	others := talkOf(t, language)
	for i := range out {
		switch {
		case out[i].Text != "":
		case i%8 == 0 && len(data.Filler) > 0:
			out[i], data.Filler = data.Filler[0], data.Filler[1:]
		default:
			out[i], others = others[0], others[1:]
		}
	}
	return out
}

// readCallbacks reads a file of data. Who is not the user speaks as the assistant.
func readCallbacks(t *testing.T, language string) (data callbackData) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "e2e", "retrieval", "testdata", "callback", language+".json"))
	if err == nil {
		err = json.Unmarshal(raw, &data)
	}
	must(t, err)
	for _, messages := range [][]callbackMessage{data.Facts, data.Filler} {
		for i := range messages {
			messages[i].Role = state.RoleAssistant
			if messages[i].Speaker == "user" {
				messages[i].Role = state.RoleUser
			}
		}
	}
	return data
}

// talkOf are messages of everyday conversations in a language.
func talkOf(t *testing.T, language string) (out []callbackMessage) {
	t.Helper()
	f, err := os.Open(filepath.Join("internal", "detect", "testdata", "dialogues", language+"-w9.jsonl"))
	must(t, err)
	defer f.Close()
	for d := json.NewDecoder(f); d.More(); {
		var l struct {
			Role state.Role
			Text string
		}
		must(t, d.Decode(&l))
		out = append(out, callbackMessage{Role: l.Role, Text: l.Text})
	}
	return out
}

// plainBM25 ranks messages by their own words alone, for all words of a query.
func plainBM25(said []callbackMessage, query string) []string {
	// How often each message has each word, and in how many messages it is.
	times, lengths, in, sum := make([]map[string]float64, len(said)), make([]float64, len(said)), map[string]float64{}, 0.0
	for i, msg := range said {
		times[i] = map[string]float64{}
		for _, term := range text.Terms(msg.Text) {
			times[i][term]++
			lengths[i]++
		}
		for term := range times[i] {
			in[term]++
		}
		sum += lengths[i]
	}

	asked := text.Terms(query)
	slices.Sort(asked)
	n, scores, order := float64(len(said)), make([]float64, len(said)), make([]int, len(said))
	for i := range said {
		order[i] = i
		for _, term := range slices.Compact(asked) {
			if tf := times[i][term]; tf > 0 {
				scores[i] += math.Log1p((n-in[term]+.5)/(in[term]+.5)) * tf * 2.2 / (tf + 1.2*(.25+.75*lengths[i]*n/sum))
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(b, a)) })
	var ids []string
	for _, i := range order {
		ids = append(ids, said[i].ID)
	}
	return ids
}
