package memory_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
)

func TestNewNeedsItsParts(t *testing.T) {
	t.Parallel()
	w := newWorld()
	wrong := state.DefaultSettings()
	wrong.SwitchThreshold = 7
	for _, c := range []struct {
		name   string
		config memory.Config
		says   string
	}{
		{"nothing", memory.Config{}, "Config needs a Store"},
		{"settings filled in partly", memory.Config{Store: w.store, Settings: state.Settings{MaxToolRounds: 3}}, "start from state.DefaultSettings()"},
		{"a wrong setting", memory.Config{Store: w.store, NewID: w.newID, Now: w.clock, Settings: wrong}, "switch_threshold"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := memory.New(c.config)
			if text := code(t, err, state.Invalid); !strings.Contains(text, c.says) {
				t.Errorf("want an error with %q, got %q", c.says, text)
			}
		})
	}
}

// A Store is enough, whatever it promises; clock, ids and settings have defaults.
func TestNewWithDefaults(t *testing.T) {
	t.Parallel()
	for _, w := range []*world{newWorld(), newServer()} {
		m, err := memory.New(memory.Config{Store: w.store})
		must(t, err)
		r := write(t, m, state.Scope{}, memory.Change{Content: "the gate is green"})
		if got := texts(t, m, memory.Query{Text: "which gate"}); len(got) != 1 || !r.Durable || len(r.ID) != 36 {
			t.Errorf("found %q of %+v", got, r)
		}
		if m.Settings().Known(state.Scope{}).Settings != state.DefaultSettings() {
			t.Errorf("settings: %+v", m.Settings().Known(state.Scope{}))
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestWriteKeepsEveryCategory(t *testing.T) {
	t.Parallel()
	for _, kind := range state.Categories() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			r := write(t, m, in("s1"), memory.Change{Kind: kind, Subject: " car part ", Content: " number 4711 ", Author: "main"})
			if want := (state.Receipt{
				ID: r.ID, Kind: string(kind), Outcome: state.Stored, Durable: true, Visible: true, Indexed: true, Seq: 1,
			}); r != want || r.ID == "" {
				t.Errorf("receipt: want %+v, got %+v", want, r)
			}
			records, err := m.Records(t.Context(), in("s1"))
			must(t, err)
			want := []state.Record{{
				ID: r.ID, Client: "c1", User: "u1", Agent: "main", Session: "s1", Kind: kind, Subject: "car part", Content: "number 4711",
				Source: state.Source{Author: "main"}, Trust: state.TrustAgent, Importance: 5, RecordedAt: w.clock(),
				Links: []string{"id:4711"},
			}}
			if kind == state.ContactRecord {
				want[0].Links = append(want[0].Links, "name:car part") // of a contact the subject is who
			}
			if kind == state.PreferenceRecord {
				want[0].About = state.AboutUser
			}
			same(t, "records", want, records)
		})
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	good := memory.Change{Content: "kept"}
	for _, c := range []struct {
		name   string
		scope  state.Scope
		change memory.Change
		code   state.Code
		says   string
	}{
		{"no content", in("s1"), memory.Change{Subject: "x"}, state.Invalid, "content is empty; say what is to be kept"},
		{"only spaces", in("s1"), memory.Change{Content: " \n\t"}, state.Invalid, "content is empty"},
		{"no UTF-8", in("s1"), memory.Change{Content: "a\xffb"}, state.Invalid, "not valid UTF-8"},
		{"subject is no UTF-8", in("s1"), memory.Change{Subject: "\xff", Content: "b"}, state.Invalid, "not valid UTF-8"},
		{"an affair that is not there", in("s1"), memory.Change{Content: "kept", Affair: "a9"}, state.NotFound, "affair a9: there is no such affair"},
		{"content of 10 MB", in("s1"), memory.Change{Content: strings.Repeat("a", 10<<20)}, state.Invalid,
			"memory write: content: has 10485760 bytes, at most 262144 are taken; send it in pieces, or as an attachment of a message"},
		{"a subject", in("s1"), memory.Change{Subject: strings.Repeat("a", 1025), Content: "b"}, state.Invalid, "subject: has 1025 bytes, at most 1024"},
		{"an author", in("s1"), memory.Change{Author: strings.Repeat("a", 257), Content: "b"}, state.Invalid, "author: has 257 bytes, at most 256"},
		{"an affair", in("s1"), memory.Change{Affair: strings.Repeat("a", 10<<20), Content: "b"}, state.Invalid, "has 10485760 bytes, at most 128"},
		{"an affair that none can be", in("s1"), memory.Change{Affair: "a/b", Content: "b"}, state.Invalid, `affair id "a/b": contains '/'`},
		{"an agent that none can be", in("s1"), memory.Change{Agent: "../x", Content: "b"}, state.Invalid, `agent id "../x": contains '/'`},
		{"an agent nobody sees", in("s1"), memory.Change{Agent: "ma\u200bin", Content: "b"}, state.Invalid, "contains the invisible mark U+200B"},
		{"an agent of no UTF-8", in("s1"), memory.Change{Agent: "\xff", Content: "b"}, state.Invalid, "is not valid UTF-8"},
		{"a kind", in("s1"), memory.Change{Kind: "rumour", Content: "b"}, state.Invalid, `kind "rumour" is unknown; use one of`},
		{"a trust", in("s1"), memory.Change{Trust: "blind", Content: "b"}, state.Invalid, `trust "blind" is unknown; use one of [user tool agent extracted document]`},
		{"a slash in the client", state.Scope{Client: "a/b"}, good, state.Invalid, "client id"},
		{"a session that reaches another key", in("a/b"), good, state.Invalid, "session id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, m := setup(t)
			receipts, err := m.Write(t.Context(), c.scope, good, c.change)
			if text := code(t, err, c.code); !strings.Contains(text, c.says) {
				t.Errorf("want an error with %q, got %q", c.says, text)
			}
			records, err := m.Records(t.Context(), in("s1"))
			if len(records) != 0 || len(receipts) != 0 || err != nil {
				t.Errorf("a refused write kept %v, receipts %v, error %v", records, receipts, err)
			}
		})
	}
}

func TestWriteIsReadOnlyAtAutonomyZero(t *testing.T) {
	t.Parallel()
	m := newWorld().memory(t, func(c *memory.Config) { c.Settings.Autonomy = 0 })
	_, err := m.Write(t.Context(), in("s1"), memory.Change{Content: "x"})
	if text := code(t, err, state.Denied); !strings.Contains(text, "autonomy 0") {
		t.Errorf("the error does not name the setting: %q", text)
	}
}

func TestTheSameThingIsWrittenOnce(t *testing.T) {
	t.Parallel()
	base := memory.Change{Kind: state.FactRecord, Subject: "Žluťoučký kůň", Content: "Úpí 12 ód"}
	for _, c := range []struct {
		name   string
		change func(*memory.Change)
		same   bool
	}{
		{"the very same", func(*memory.Change) {}, true},
		{"other case and diacritics", func(c *memory.Change) { c.Content = "upi 12 OD" }, true},
		{"white space around", func(c *memory.Change) { c.Content, c.Subject = "  Úpí 12 ód\n", " Žluťoučký kůň " }, true},
		{"another author", func(c *memory.Change) { c.Author = "somebody" }, true},
		{"another category", func(c *memory.Change) { c.Kind = state.OrderRecord }, true},
		{"another subject", func(c *memory.Change) { c.Subject = "Pes" }, false},
		{"another number", func(c *memory.Change) { c.Content = "Úpí 13 ód" }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			again := base
			c.change(&again)
			first := write(t, m, in("s1"), base)
			second := write(t, m, in("s2"), again)
			third := write(t, w.memory(t, nil), in("s1"), again)
			if (first.ID == second.ID) != c.same || second.ID != third.ID || third.Outcome != state.Repeated {
				t.Errorf("want same=%v, got receipts %+v, %+v and, in another process, %+v", c.same, first, second, third)
			}
			both, err := m.Write(t.Context(), in("s1"), memory.Change{Content: "new"}, memory.Change{Content: "NEW"})
			if err != nil || both[0].ID != both[1].ID || both[1].Outcome != state.Repeated {
				t.Errorf("the same thing twice in one call: %+v, %v", both, err)
			}
		})
	}
}

func TestWriteMasksSecrets(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	write(t, m, in("s1"), memory.Change{Subject: "password: hunter22", Content: "key sk-live-4f9a8b7c6d5e of the shop"})
	records, err := m.Records(t.Context(), in("s1"))
	must(t, err)
	if got := records[0].Subject + records[0].Content; strings.Contains(got, "hunter22") || strings.Contains(got, "sk-live") {
		t.Errorf("a secret was kept: %q", got)
	}
}

func TestWhatARecordStatesBecomesAKeyFactOnce(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Car part"), "I need a new thing for my car")
	a := named(t, m, in("s1"), "Car part")
	write(t, m, in("s1"), memory.Change{Kind: state.OrderRecord, Subject: "order", Content: "order number: 07-14244-53150", Affair: a.ID})
	write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Subject: "bought", Content: "It is order 07-14244-53150 again", Affair: a.ID})
	after := named(t, m, in("s1"), "Car part")
	n := 0
	for _, f := range after.KeyFacts {
		if strings.Contains(f.Value, "07-14244-53150") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("want the number once among the key facts, got %v", after.KeyFacts)
	}
	if other := named(t, w.memory(t, nil), in("s2"), "Car part"); !cmp.Equal(other.KeyFacts, after.KeyFacts) {
		t.Errorf("another process sees other key facts: %s", cmp.Diff(after.KeyFacts, other.KeyFacts))
	}
}

func TestWriteInAStep(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	s := w.begin(t.Context(), m, nil)
	ctx := memory.ContextWithOrigin(s.ctx, memory.Origin{Scope: in("s1"), Turn: "t1", Message: "m1", Seq: 1, Tool: "memory_store", Call: "2/call-1"})
	change := memory.Change{Subject: "part", Content: "arrives on 20 February"}
	first, err := m.Write(ctx, in("s1"), change)
	must(t, err)
	if r := first[0]; r.Durable || !r.Visible {
		t.Errorf("before the commit a record is visible and not durable, got %+v", r)
	}
	again, err := m.Write(ctx, in("s1"), change)
	if err != nil || again[0].ID != first[0].ID || again[0].Durable || again[0].Outcome != state.Stored {
		t.Errorf("said again in the step: want the same receipt, got %+v and %+v, %v", first, again, err)
	}
	if n := len(s.effects.List()); n != 1 {
		t.Errorf("want one effect, got %d", n)
	}
	must(t, s.commit())
	if after := write(t, m, in("s1"), change); !after.Durable || after.ID != first[0].ID {
		t.Errorf("said again after the commit: want the durable receipt of the same record, got %+v", after)
	}
	records, err := m.Records(t.Context(), in("s1"))
	if err != nil || len(records) != 1 {
		t.Fatalf("want one record, got %v, %v", records, err)
	}
	same(t, "source", state.Source{Turn: "t1", Message: "m1", Tool: "memory_store"}, records[0].Source)
}

func TestARepeatedCallGetsTheSameID(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	id := func(call, content string) string {
		s := w.begin(t.Context(), m, nil)
		ctx := memory.ContextWithOrigin(s.ctx, memory.Origin{Scope: in("s1"), Turn: "t1", Call: call})
		r, err := m.Write(ctx, in("s1"), memory.Change{Content: content})
		must(t, err)
		return r[0].ID
	}
	if a, b := id("2/call-1", "x"), id("2/call-1", "x"); a != b {
		t.Errorf("the same call in another attempt has another id: %s, %s", a, b)
	}
	if a, b := id("2/call-1", "x"), id("2/call-2", "x"); a == b {
		t.Error("two calls share an id")
	}
}

func TestAFailedCommitLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld()
	broken := &failing{Store: w.store}
	w.store = broken
	m := w.memory(t, nil)
	write(t, m, in("s1"), memory.Change{Content: "the blue one is kept"})
	broken.broken = true
	_, err := m.Write(t.Context(), in("s1"), memory.Change{Content: "the red one is lost"})
	code(t, err, state.Unavailable)

	s := w.begin(t.Context(), m, nil)
	if _, err := m.Write(s.ctx, in("s1"), memory.Change{Content: "the red two is lost"}); err != nil {
		t.Fatal(err)
	}
	if err := s.commit(); !errors.Is(err, state.ErrUnavailable) {
		t.Fatalf("want the commit to fail, got %v", err)
	}
	broken.broken = false
	if got := texts(t, m, memory.Query{Scope: in("s1"), Text: "the red one two is lost"}); len(got) > 1 || strings.Contains(strings.Join(got, ""), "red") {
		t.Errorf("what was never committed is found: %q", got)
	}
	if r := write(t, m, in("s1"), memory.Change{Content: "the red one is lost"}); !r.Durable {
		t.Errorf("the second try is no repeat: %+v", r)
	}
}

func TestPreferencesAreGatheredInTheOrderTheyWereTold(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	for _, p := range []string{"tea", "short answers", "metric units"} {
		write(t, m, in("s1"), memory.Change{Kind: state.PreferenceRecord, Subject: p, Content: "likes " + p})
		w.pass(time.Second)
	}
	got := w.turn(t, m, in("s2"), nil, "Hello")
	input, err := m.Turn().Gather(t.Context(), got.view, got.decision, "be kind")
	must(t, err)
	want := []compose.Known{{Label: "tea", Text: "likes tea"}, {Label: "short answers", Text: "likes short answers"}, {Label: "metric units", Text: "likes metric units"}}
	same(t, "preferences", want, input.Preferences, cmpopts.IgnoreFields(compose.Known{}, "Of"))
	if input.System != "be kind" {
		t.Errorf("system prompt: got %q", input.System)
	}
}
