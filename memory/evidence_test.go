package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// gathered is the evidence of a turn in which the conversation goes on.
func (w *world) gathered(t *testing.T, m *memory.Memory, text string) []compose.Evidence {
	t.Helper()
	got := w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), text)
	input, err := m.Turn().Gather(t.Context(), got.view, got.decision, "")
	must(t, err)
	return input.Evidence
}

func find(in []compose.Evidence, text string) (compose.Evidence, bool) {
	i := slices.IndexFunc(in, func(e compose.Evidence) bool { return strings.Contains(e.Text, text) })
	if i < 0 {
		return compose.Evidence{}, false
	}
	return in[i], true
}

// What was said under another affair is shown when the message points back at it, and only then.
func TestBackReferencesAskTheWholeSession(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ first, other, plain, back string }{
		{"The roof tender came to 48,200 euros", "The choir rehearses on Monday", "How much time does the choir have for the roof song?",
			"As I said before, how much was the roof tender?"},
		{"Nabídka na střechu je 48200 korun", "Sbor zkouší v pondělí", "Kolik času má sbor na píseň o střeše?", "Vrátíme se k té střeše, kolik byla nabídka?"},
		{"Oferta na dach to 48200 złotych", "Chór ćwiczy w poniedziałek", "Ile czasu ma chór na pieśń o dachu?", "Jak mówiłem, ile wynosi oferta na dach?"},
		{"Смета на крышу 48200 рублей", "Хор репетирует в понедельник", "Сколько времени у хора на песню о крыше?", "Как я уже говорил, какая смета на крышу?"},
	} {
		t.Run(c.back, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Roof"), c.first)
			w.turn(t, m, in("s1"), opens("Choir"), c.other)
			if e, ok := find(w.gathered(t, m, c.plain), "200"); ok {
				t.Errorf("an ordinary turn shows the other affair: %+v", e)
			}
			e, ok := find(w.gathered(t, m, c.back), c.first)
			if !ok || !e.Here || e.Out != "" || e.Of != "message s1/1" || !strings.Contains(e.Why, "points back") {
				t.Errorf("evidence of the first message: %v %+v", ok, e)
			}
		})
	}
}

func TestBackReferencesAreFew(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Roof"), "The roof tender number 0 is here")
	for i := range 6 {
		w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), fmt.Sprint("The roof tender number ", i+1, " is here"))
	}
	w.turn(t, m, in("s1"), opens("Choir"), "The choir rehearses on Monday")
	n := 0
	for _, e := range w.gathered(t, m, "As I said before, which roof tender was it?") {
		if strings.Contains(e.Text, "roof tender number") {
			n++
		}
	}
	if n != state.DefaultSettings().SessionSearchTopK {
		t.Errorf("%d messages of the other affair, want session_search_top_k", n)
	}
}

// Who asks what stood at the beginning has no word in common with it.
func TestTheBeginningIsKnown(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Roof"), "Forty-eight slates are broken")
	w.turn(t, m, in("s1"), opens("Choir"), "The choir rehearses on Monday")
	const asked = "What was it about at the beginning of our conversation?"
	if e, ok := find(w.gathered(t, m, asked), "slates"); !ok || !e.Here || e.Why != "said at the beginning" {
		t.Errorf("the first message: %v %+v", ok, e)
	}
	if _, err := m.Sessions().Edit(t.Context(), in("s1"), sessions.Change{Clear: true}); err != nil {
		t.Fatal(err)
	}
	if e, ok := find(w.gathered(t, m, asked), "slates"); ok {
		t.Errorf("a cleared message: %+v", e)
	}
}

// Evidence below a threshold stands in the account, with the setting's name; explicit recall finds it all the same.
func TestThresholds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		threshold float64
		out       bool
	}{{"all answers", 0, false}, {"what has the question's words", .6, false}, {"the question itself", 1, true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			m := w.memory(t, func(c2 *memory.Config) { c2.Settings.RetrieveThreshold = c.threshold })
			write(t, m, in("s0"), memory.Change{Subject: "boiler", Content: "The boiler was serviced in March by Hartmann"})
			w.turn(t, m, in("s1"), nil, "hello")
			e, ok := find(w.gathered(t, m, "Who serviced the boiler of the cottage in spring?"), "Hartmann")
			if out := strings.Contains(e.Out, "memory_retrieve_threshold"); !ok || out != c.out {
				t.Errorf("evidence %v %+v, want it out: %v", ok, e, c.out)
			}
			hits, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: "boiler", In: memory.InKB})
			if err != nil || len(hits) != 1 || hits[0].Why.Share <= .6 || hits[0].Why.Share > 1 {
				t.Errorf("asked for it: %+v, %v", hits, err)
			}
		})
	}
	w := newWorld()
	m := w.memory(t, func(c *memory.Config) { c.Settings.EnableRAG = false })
	write(t, m, in("s0"), memory.Change{Subject: "boiler", Content: "The boiler was serviced in March by Hartmann"})
	if got := w.gathered(t, m, "Who serviced the boiler?"); len(got) > 0 {
		t.Errorf("with enable_rag false: %+v", got)
	}
}

func TestRecallOfASessionAProjectAnAgent(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), nil, "hello, the lighthouse is white")
	w.turn(t, m, in("s2"), nil, "hello, the lighthouse is far")
	other := in("s1")
	other.Project, other.Agent = "p2", "clerk"
	write(t, m, other, memory.Change{Subject: "lighthouse", Content: "The lighthouse has 214 steps"})
	said := func(q memory.Query) []string {
		q.Scope, q.Text = in("s1"), "lighthouse"
		out := texts(t, m, q)
		slices.Sort(out)
		return slices.DeleteFunc(out, func(s string) bool { return s == "Noted." })
	}
	for name, c := range map[string]struct {
		q    memory.Query
		want []string
	}{
		"this session":    {memory.Query{In: memory.InSession}, []string{"hello, the lighthouse is white"}},
		"another session": {memory.Query{Session: "s2"}, []string{"hello, the lighthouse is far"}},
		"a project":       {memory.Query{Project: "p2"}, []string{"lighthouse: The lighthouse has 214 steps"}},
		"an agent":        {memory.Query{Agent: "clerk"}, []string{"lighthouse: The lighthouse has 214 steps"}},
		"none of both":    {memory.Query{Session: "s2", Project: "p2"}, []string{}},
		"a forged name":   {memory.Query{Session: "../u2/s2"}, []string{}},
	} {
		same(t, name, c.want, said(c.q))
	}
}

// Associations are off by default; when on they are named as such, and nothing of another affair is among them.
func TestAssociations(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{false, true} {
		w := newWorld()
		m := w.memory(t, func(c *memory.Config) { c.Settings.Associations = on; c.Settings.RetrieveLimit = 1 })
		write(t, m, in("s0"), memory.Change{Subject: "allotment", Content: "The allotment needs compost and seedlings and a hose"})
		write(t, m, in("s0"), memory.Change{Subject: "market", Content: "Compost and seedlings were sold out on Saturday"})
		w.turn(t, m, in("s1"), opens("Secret"), "Compost and seedlings, order 07-14244")
		w.turn(t, m, in("s1"), opens("Choir"), "The choir rehearses on Monday")
		got := w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "How is the allotment?")
		input, err := m.Turn().Gather(t.Context(), got.view, got.decision, "")
		must(t, err)
		e, ok := find(input.Associations, "sold out")
		if ok != on || on && (!strings.Contains(e.Why, "association") || e.Of == "") {
			t.Errorf("associations %v: %+v", on, input.Associations)
		}
		if e, ok := find(input.Associations, "07-14244"); ok {
			t.Errorf("of another affair: %+v", e)
		}
	}
}
