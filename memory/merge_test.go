package memory_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// valid lists the contents of the user's records that are valid now, oldest first.
func valid(t *testing.T, w *world, m *memory.Memory) []string {
	t.Helper()
	all, err := m.Records(t.Context(), in("s1"))
	must(t, err)
	var out []string
	for _, r := range all {
		if r.ValidAt(w.clock()) {
			out = append(out, r.Content)
		}
	}
	return out
}

func TestWhatIsSaidFifteenTimesIsOne(t *testing.T) {
	t.Parallel()
	for name, world := range map[string]func() *world{"atomic": newWorld, "loose": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world()
			m := w.memory(t, nil)
			for i := range 15 {
				r := write(t, m, in(fmt.Sprintf("s%d", i)), memory.Change{Subject: "Dentist", Content: "The dentist is Dr. Novak in Brno" + strings.Repeat(".", i%3)})
				if want := state.Repeated; i > 0 && r.Outcome != want {
					t.Errorf("time %d: %+v, want %s", i+1, r, want)
				}
			}
			if got := valid(t, w, m); len(got) != 1 {
				t.Errorf("records: %q, want one", got)
			}
		})
	}
}

func TestTwoInvoicesStayTwo(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	for _, number := range []string{"4471", "4472"} {
		r := write(t, m, in("s1"), memory.Change{Subject: "invoice " + number, Content: "Invoice " + number + " is over 1,200 Kč and due on 3 March"})
		if r.Outcome != state.Stored {
			t.Errorf("invoice %s: %+v", number, r)
		}
	}
	if got := valid(t, w, m); len(got) != 2 {
		t.Errorf("records: %q, want both", got)
	}
}

func TestANewValueTakesThePlaceOfTheOld(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	old := write(t, m, in("s1"), memory.Change{Subject: "work", Content: "works at Acme", Importance: 9, Pinned: true})
	before := w.clock()
	w.pass(time.Hour)
	r := write(t, m, in("s1"), memory.Change{Subject: "work", Content: "works at Globex"})
	if r.Outcome != state.Replaced || r.Of != old.ID || r.ID == old.ID {
		t.Errorf("receipt %+v, want one that replaces %s", r, old.ID)
	}
	if got := valid(t, w, m); !slices.Equal(got, []string{"works at Globex"}) {
		t.Errorf("valid now: %q", got)
	}
	hits, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: "where does he work", In: memory.InKB})
	if err != nil || len(hits) != 1 || hits[0].Record.Content != "works at Globex" || hits[0].Record.Replaces != old.ID {
		t.Errorf("found %+v, %v", hits, err)
	}
	if r := hits[0].Record; !r.Pinned || r.Importance != 9 {
		t.Errorf("what was pinned and important is so no more: %+v", r)
	}
	hits, err = m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: "where does he work", In: memory.InKB, AsOf: before})
	if err != nil || len(hits) != 1 || hits[0].Record.Content != "works at Acme" {
		t.Errorf("as of then: %+v, %v", hits, err)
	}
	w.pass(time.Hour)
	if r := write(t, m, in("s1"), memory.Change{Subject: "work", Content: "works at Acme"}); r.Outcome == state.Repeated || r.ID == old.ID {
		t.Errorf("a closed record swallowed a new one: %+v", r)
	}
}

// TestHistoryDoesNotHideWhatIsValid replaces a value many times: each time it is the one valid record that is closed, not one
// of the many that were.
func TestHistoryDoesNotHideWhatIsValid(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	for i := range 100 {
		w.pass(time.Minute)
		write(t, m, in("s1"), memory.Change{Subject: "status of the order", Content: fmt.Sprintf("The order waits at depot %d", i)})
		if got := valid(t, w, m); len(got) != 1 || got[0] != fmt.Sprintf("The order waits at depot %d", i) {
			t.Fatalf("after %d values valid are %q", i+1, got)
		}
	}
}

func TestTheSmallModelHasTheLastWord(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, nil)
	small := scripted.Background(map[string]any{"same": map[string]any{"about": "work", "kind": "other", "reasoning": "two jobs"}}, nil)
	ctx := memory.ContextWithSmall(t.Context(), small)
	for _, content := range []string{"works at Acme", "works at Globex"} {
		if _, err := m.Write(ctx, in("s1"), memory.Change{Subject: "work", Content: content}); err != nil {
			t.Fatal(err)
		}
	}
	if got := valid(t, w, m); len(got) != 2 {
		t.Errorf("valid now: %q, want both: the small model said so", got)
	}
}

func TestManyChangesAreJudgedAgainstEachOther(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	receipts, err := m.Write(t.Context(), in("s1"),
		memory.Change{Subject: "work", Content: "works at Acme"},
		memory.Change{Subject: "work", Content: "works at Acme."},
		memory.Change{Subject: "work", Content: "works at Globex"},
		memory.Change{Subject: "car", Content: "drives a blue Jeep"})
	must(t, err)
	var outcomes []state.Outcome
	for _, r := range receipts {
		outcomes = append(outcomes, r.Outcome)
	}
	if want := []state.Outcome{state.Stored, state.Repeated, state.Replaced, state.Stored}; !slices.Equal(outcomes, want) {
		t.Errorf("outcomes %v, want %v", outcomes, want)
	}
	if got := valid(t, w, m); !slices.Equal(got, []string{"works at Globex", "drives a blue Jeep"}) {
		t.Errorf("valid now: %q", got)
	}
}

func TestAMessageThatWasOutlivedIsNotRecalled(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	must(t, m.Turn().Ingest(t.Context(), in("s1"), state.Message{ID: "m1", Role: state.RoleUser, Text: "I work at Acme now"}))
	from := func(message string) context.Context {
		return memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Turn: "t-" + message, Message: message, Call: "c"})
	}
	change := memory.Change{Subject: "work", Content: "I work at Acme"}
	if _, err := m.Write(from("m1"), in("s1"), change); err != nil {
		t.Fatal(err)
	}
	recalled := func() string {
		hits, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: "where do I work?"})
		must(t, err)
		var all []string
		for _, h := range hits {
			all = append(all, h.Text)
		}
		return strings.Join(all, "|")
	}
	if got := recalled(); !strings.Contains(got, "work at Acme now") {
		t.Errorf("recalled %q, want the message", got)
	}
	w.pass(time.Hour)
	change.Content = "I work at Globex"
	if _, err := m.Write(from("m2"), in("s1"), change); err != nil {
		t.Fatal(err)
	}
	if got := recalled(); strings.Contains(got, "Acme") || !strings.Contains(got, "Globex") {
		t.Errorf("recalled %q, want the new value alone", got)
	}
}

func TestRecallKnowsWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	r := write(t, m, in("s1"), memory.Change{Content: "a fact", Priority: state.Critical})
	if !r.Durable || !r.Visible || !r.Indexed || r.Seq == 0 {
		t.Errorf("receipt %+v", r)
	}
	if _, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: "fact", MinSeq: r.Seq}); err != nil {
		t.Errorf("what was acknowledged is there: %v", err)
	}
	_, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: "fact", MinSeq: r.Seq + 1})
	if text := code(t, err, state.Unavailable); !strings.Contains(text, "was asked for") {
		t.Errorf("the future is not there: %q", text)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	write(t, m, in("s1"), memory.Change{Kind: state.DeadlineRecord, Subject: "Jeep", Content: "Jeep inspection until 3 March"})
	w.pass(24 * time.Hour)
	write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Subject: "colour", Content: "The Jeep is blue"})
	must(t, m.Turn().Ingest(t.Context(), in("s1"), state.Message{Role: state.RoleUser, Text: "the Jeep again"}))
	day := w.clock().Add(-time.Hour)
	for _, c := range []struct {
		name  string
		query memory.Query
		want  int
	}{
		{"everything", memory.Query{}, 3},
		{"a kind", memory.Query{Kinds: []state.RecordKind{state.DeadlineRecord}}, 1},
		{"messages", memory.Query{Kinds: []state.RecordKind{state.MessageRecord}}, 1},
		{"records", memory.Query{In: memory.InKB}, 2},
		{"since", memory.Query{From: day}, 2},
		{"until", memory.Query{To: day}, 1},
		{"few tokens", memory.Query{Tokens: 6}, 1},
		{"no tokens to speak of", memory.Query{Tokens: 1}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.query.Scope, c.query.Text = in("s1"), "Jeep"
			hits, err := m.Recall(t.Context(), c.query)
			if err != nil || len(hits) != c.want {
				t.Errorf("%d hits, want %d: %+v, %v", len(hits), c.want, hits, err)
			}
		})
	}
	_, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: "Jeep", Kinds: []state.RecordKind{"dance"}})
	code(t, err, state.Invalid)
}

func TestLinks(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	order := write(t, m, in("s1"), memory.Change{Kind: state.OrderRecord, Subject: "wiper for the Jeep", Content: "ordered at eBay, number 07-14244-53150"})
	parcel := write(t, m, in("s2"), memory.Change{Kind: state.EventRecord, Subject: "parcel", Content: "07-14244-53150 lies at the post office in Brno"})
	write(t, m, in("s2"), memory.Change{Subject: "school", Content: "the enrolment ends in March"})
	related, err := m.Affairs().Related(t.Context(), in("s1"), order.ID, 1, 10)
	if err != nil || len(related) != 1 || related[0].ID != parcel.ID || related[0].Record == nil || len(related[0].Via) == 0 {
		t.Errorf("related: %+v, %v", related, err)
	}
	hits, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: "wiper at eBay"})
	if err != nil || len(hits) != 2 || hits[0].ID != order.ID || hits[1].ID != parcel.ID || len(hits[1].Why.Linked) == 0 {
		t.Errorf("recall does not walk: %+v, %v", hits, err)
	}
	_, err = m.Affairs().Related(t.Context(), in("s1"), "nobody", 1, 10)
	code(t, err, state.NotFound)
	other := in("s1")
	other.User = "somebody else"
	_, err = m.Affairs().Related(t.Context(), other, order.ID, 1, 10)
	code(t, err, state.NotFound)
}

func TestUndoMakesTheReplacedValidAgain(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	write(t, m, in("s1"), memory.Change{Subject: "work", Content: "works at Acme"})
	w.pass(time.Minute)
	ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Turn: "t9", Message: "m9", Call: "c"})
	for _, content := range []string{"works at Globex", "works at Initech"} {
		if _, err := m.Write(ctx, in("s1"), memory.Change{Subject: "work", Content: content}); err != nil {
			t.Fatal(err)
		}
		ctx = memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Turn: "t9", Message: "m9", Call: "d"})
	}
	if got := valid(t, w, m); !slices.Equal(got, []string{"works at Initech"}) {
		t.Fatalf("valid now: %q", got)
	}
	w.pass(time.Minute)
	must(t, m.History().UndoTurn(t.Context(), in("s1"), "t9"))
	if got := valid(t, w, m); !slices.Equal(got, []string{"works at Acme"}) {
		t.Errorf("valid after undoing: %q", got)
	}
}

func TestAStepKeepsUsersApart(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	s := w.begin(t.Context(), m, nil)
	other := in("s1")
	other.Client = "c2"
	change := memory.Change{Subject: "work", Content: "works at Acme"}
	if _, err := m.Write(s.ctx, in("s1"), change); err != nil {
		t.Fatal(err)
	}
	hits, err := m.Recall(s.ctx, memory.Query{Scope: other, Text: "works at Acme"})
	if err != nil || len(hits) != 0 {
		t.Errorf("another client sees what the step decided: %+v, %v", hits, err)
	}
	receipts, err := m.Write(s.ctx, other, change)
	if err != nil || receipts[0].Outcome != state.Stored {
		t.Errorf("another client's write is judged by it: %+v, %v", receipts, err)
	}
	if got := m.Turn().Written(s.ctx, other); len(got) != 1 || got[0].ID != receipts[0].ID {
		t.Errorf("written: %+v", got)
	}
}

func TestTwoWritesOfOneCallAreTwo(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Turn: "t1", Message: "m1", Call: "c"})
	for _, content := range []string{"drives a blue Jeep", "the dentist is Dr. Novak"} {
		if _, err := m.Write(ctx, in("s1"), memory.Change{Content: content}); err != nil {
			t.Fatal(err)
		}
	}
	if got := valid(t, w, m); len(got) != 2 {
		t.Errorf("records: %q, want both", got)
	}
}

func TestAValueReplacedTwiceAtOnceLeavesOne(t *testing.T) {
	t.Parallel()
	work := func(at string) memory.Change { return memory.Change{Subject: "work", Content: "works at " + at} }
	for name, write := range map[string]func(ctx context.Context, m *memory.Memory) error{
		"in one call": func(ctx context.Context, m *memory.Memory) error {
			_, err := m.Write(ctx, in("s1"), work("Globex"), work("Initech"))
			return err
		},
		"in one step": func(ctx context.Context, m *memory.Memory) error {
			if _, err := m.Write(ctx, in("s1"), work("Globex")); err != nil {
				return err
			}
			_, err := m.Write(ctx, in("s1"), work("Initech"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			first, err := m.Write(t.Context(), in("s1"), work("Acme"))
			must(t, err)
			s := w.begin(t.Context(), m, nil)
			must(t, write(s.ctx, m))
			must(t, s.commit())
			if got := valid(t, w, m); !slices.Equal(got, []string{"works at Initech"}) {
				t.Errorf("valid now: %q, want the last alone", got)
			}
			all, err := m.Records(t.Context(), in("s1"))
			if err != nil || len(all) != 3 {
				t.Fatalf("%d records, %v", len(all), err)
			}
			for _, r := range all {
				if r.Content == "works at Globex" && r.Replaces != first[0].ID {
					t.Errorf("the one in between has lost what it replaced: %+v", r)
				}
			}
		})
	}
}

// What is said again is one record, with the time and the number of turns that said it, as important as anybody called it.
func TestARepeatRefreshesWhatIsKnown(t *testing.T) {
	t.Parallel()
	bothStores(t, func(t *testing.T, w *world) {
		q := newQueueing(t)
		m := w.embeddingBy(t, q, "queueing")
		change := memory.Change{Subject: "Dentist", Content: "The dentist is Dr. Novak in Brno", Importance: 4}
		first := write(t, m, in("s1"), change)
		must(t, m.Vectors().Settle(t.Context(), in("s1")))
		record := func() state.Record {
			t.Helper()
			all, err := w.memory(t, nil).Records(t.Context(), in("s1"))
			if err != nil || len(all) != 1 || all[0].ID != first.ID {
				t.Fatalf("records: %+v, %v", all, err)
			}
			return all[0]
		}
		written := record().RecordedAt
		for _, c := range []struct {
			turn       string
			importance int
			want       state.Record
		}{
			{"", 9, state.Record{Times: 2, Importance: 9}},
			{"t1", 5, state.Record{Times: 3, Importance: 9}},
			{"t1", 10, state.Record{Times: 3, Importance: 10}}, // the turn says it twice, or is done again
			{"t2", 5, state.Record{Times: 4, Importance: 10}},
		} {
			w.pass(time.Hour)
			ctx := t.Context()
			if c.turn != "" {
				ctx = memory.ContextWithOrigin(ctx, memory.Origin{Scope: in("s1"), Turn: c.turn, Call: w.newID()})
			}
			change.Content, change.Importance = strings.ToUpper(change.Content), c.importance
			got, err := m.Write(ctx, in("s1"), change)
			if err != nil || got[0].Outcome != state.Repeated || got[0].ID != first.ID || !got[0].Indexed {
				t.Fatalf("turn %q: %+v, %v", c.turn, got, err)
			}
			r := record()
			if r.Times != c.want.Times || r.Importance != c.want.Importance || !r.SeenAt.Equal(w.clock()) || !r.RecordedAt.Equal(written) {
				t.Errorf("turn %q: %+v, want %d times, importance %d, seen now", c.turn, r, c.want.Times, c.want.Importance)
			}
		}
		if q.count("Dentist: The dentist") != 1 {
			t.Errorf("a vector was made again: %q", q.texts)
		}
	})
}

// A record that was replaced meanwhile is not brought back by somebody who says the old one again.
func TestARepeatOfWhatIsOver(t *testing.T) {
	t.Parallel()
	_, here, there, g := processes(t)
	old := write(t, there, in("s1"), memory.Change{Subject: "work", Content: "works at Acme"})
	g.set(func() { write(t, there, in("s2"), memory.Change{Subject: "work", Content: "works at Siemens"}) })
	write(t, here, in("s1"), memory.Change{Subject: "work", Content: "works at Acme"})
	all, err := there.Records(t.Context(), in("s1"))
	must(t, err)
	for _, r := range all {
		if r.ID == old.ID && (r.ValidTo == nil || r.Times != 0) {
			t.Errorf("%+v", r)
		}
	}
}
