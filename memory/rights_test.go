package memory_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/memory/suggest"
	"github.com/mneme-graph/mneme/state"
)

// as is a scope with another agent.
func as(agent string) state.Scope {
	scope := in("s1")
	scope.Agent = agent
	return scope
}

// byTool is the context of a tool call of the scope's agent.
func byTool(ctx context.Context, scope state.Scope) context.Context {
	return memory.ContextWithOrigin(state.ContextWithScope(ctx, scope), memory.Origin{Scope: scope, Turn: "t9", Seq: 9, Tool: "memory_update", Call: "1/a"})
}

// An agent's calls change its own memory, and another's only where its definition grants it; every agent reads all. What a person asks for
// himself changes any. Each change tells who made it and whose memory it was; what was refused leaves nothing.
func TestAgentsChangeOnlyWhatTheyMay(t *testing.T) {
	t.Parallel()
	agents := []state.Agent{
		{Name: "dexter", Role: "keeps seats"}, {Name: "jaskier", Role: "sings", Writes: []string{"dexter"}},
		{Name: "boss", Role: "sees to all", Writes: []string{state.AnyAgent}}, {Name: "stranger", Role: "asks", Writes: []string{"dex"}},
	}
	for _, tt := range []struct {
		agent string
		may   bool
	}{{"dexter", true}, {"jaskier", true}, {"boss", true}, {"stranger", false}, {"main", false}} {
		for name, do := range map[string]func(ctx context.Context, m *memory.Memory, scope state.Scope, id string) error{
			"write": func(ctx context.Context, m *memory.Memory, scope state.Scope, _ string) error {
				_, err := m.Write(ctx, scope, memory.Change{Subject: "gate", Content: "The gate is B7", Agent: "dexter"})
				return err
			},
			"replace": func(ctx context.Context, m *memory.Memory, scope state.Scope, _ string) error {
				_, err := m.Write(ctx, scope, memory.Change{Subject: "seat", Content: "The seat is 2A", Agent: "dexter"})
				return err
			},
			"forget": func(ctx context.Context, m *memory.Memory, scope state.Scope, id string) error {
				_, err := m.Amend(ctx, scope, memory.Amendment{Action: memory.ForgetRecord, ID: id})
				return err
			},
			"pin": func(ctx context.Context, m *memory.Memory, scope state.Scope, id string) error {
				_, err := m.Amend(ctx, scope, memory.Amendment{Action: memory.PinRecord, ID: id})
				return err
			},
			"correct": func(ctx context.Context, m *memory.Memory, scope state.Scope, id string) error {
				_, err := m.Amend(ctx, scope, memory.Amendment{Action: memory.CorrectRecord, ID: id, Content: "The seat is 3B"})
				return err
			},
		} {
			t.Run(tt.agent+" "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld()
				open := func(autonomy int) *memory.Memory {
					return w.memory(t, func(c *memory.Config) { c.Agents, c.Settings.Autonomy = agents, autonomy })
				}
				m, scope := open(2), as(tt.agent)
				receipts, err := m.Write(byTool(t.Context(), as("dexter")), as("dexter"), memory.Change{Subject: "seat", Content: "The seat is 14C"})
				must(t, err)
				id, before, last := receipts[0].ID, contents(t, w), head(t, m)
				if hits, err := m.Recall(t.Context(), memory.Query{Scope: scope, Text: "seat"}); err != nil || len(hits) != 1 {
					t.Errorf("it does not read dexter's memory: %+v, %v", hits, err)
				}
				if tt.may {
					must(t, do(byTool(t.Context(), scope), m, scope, id))
					changes, err := m.History().Audit(t.Context(), scope, history.Query{Target: "dexter", Agent: tt.agent})
					if err != nil || len(changes) == 0 || changes[0].Seq <= last || changes[0].By.Who != state.ByAgent || changes[0].Agent != tt.agent {
						t.Errorf("the audit: %+v, %v", changes, err)
					}
					return
				}
				for autonomy := 2; autonomy <= 3; autonomy++ {
					m := open(autonomy)
					text := code(t, do(byTool(t.Context(), scope), m, scope, id), state.Denied)
					if !strings.Contains(text, "dexter") || !strings.Contains(text, "writes") {
						t.Errorf("autonomy %d: %s", autonomy, text)
					}
					if diff := cmp.Diff(before, contents(t, w)); diff != "" {
						t.Errorf("autonomy %d changed it (-before +after):\n%s", autonomy, diff)
					}
				}
				asked := do(byTool(t.Context(), scope), open(1), scope, id) // at 1 the person is asked, and sees whose memory it is
				var waits *suggest.WaitsError
				if errors.As(asked, &waits) && (len(waits.Suggestions) != 1 || waits.Suggestions[0].Agent != tt.agent) || waits == nil && !errors.Is(asked, state.ErrDenied) {
					t.Errorf("at 1: %v", asked)
				}
				if err := do(state.ContextWithScope(t.Context(), scope), open(2), scope, id); err != nil { // the person asks
					t.Errorf("for a person: %v", err)
				}
			})
		}
	}
}

// Each change that was not asked for in so many words says why it was made.
func TestTheAuditSaysWhy(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		why  string
		do   func(t *testing.T, w *world, m *memory.Memory) error
		path string
	}{
		"the small model's verdict": {"two jobs", func(t *testing.T, w *world, m *memory.Memory) error {
			small := scripted.Background(map[string]any{"same": map[string]any{"about": "work", "kind": "same", "reasoning": "two jobs"}}, nil)
			ctx := memory.ContextWithSmall(t.Context(), small)
			for _, content := range []string{"works at Acme", "works at Globex"} {
				if _, err := m.Write(ctx, in("s1"), memory.Change{Subject: "work", Content: content}); err != nil {
					return err
				}
			}
			return nil
		}, ""},
		"an approval": {"the user approved of suggestion", func(t *testing.T, w *world, m *memory.Memory) error {
			s := suggestTo(t, m, memory.Origin{Scope: in("s1")}, memory.Change{Content: "The gate is B7"})
			_, err := m.Suggestions().Answer(t.Context(), in("s1"), s.ID, state.Answer{Choice: state.Approve})
			return err
		}, "api"},
		"a refusal": {"not for ever", func(t *testing.T, w *world, m *memory.Memory) error {
			s := suggestTo(t, m, memory.Origin{Scope: in("s1")}, memory.Change{Content: "The gate is B7"})
			_, err := m.Suggestions().Answer(t.Context(), in("s1"), s.ID, state.Answer{Choice: state.Reject, Reason: "not for ever"})
			return err
		}, "suggestions"},
		"nobody answered": {"suggestion_days", func(t *testing.T, w *world, m *memory.Memory) error {
			suggestTo(t, m, memory.Origin{Scope: in("s1")}, memory.Change{Content: "The gate is B7"})
			w.pass(31 * 24 * time.Hour)
			suggestions(t, m, true)
			return nil
		}, "suggestions"},
		"an undo": {"undo change", func(t *testing.T, w *world, m *memory.Memory) error {
			write(t, m, in("s1"), memory.Change{Content: "The gate is B7"})
			return m.History().UndoChange(t.Context(), in("s1"), head(t, m))
		}, "undo"},
		"one title": {"have one title", func(t *testing.T, w *world, m *memory.Memory) error {
			disorder(t, w, m)
			return inOrder(t, m)
		}, "reorganise"},
		"left for long": {"waits for nothing", func(t *testing.T, w *world, m *memory.Memory) error {
			disorder(t, w, m)
			return inOrder(t, m)
		}, "reorganise"},
		"the same twice": {"the small model: one match", func(t *testing.T, w *world, m *memory.Memory) error {
			disorder(t, w, m)
			return inOrder(t, m)
		}, "reorganise"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			m := w.level(t, 3)
			if err := tt.do(t, w, m); err != nil && !errors.Is(err, state.ErrDenied) {
				t.Fatal(err)
			}
			changes, err := m.History().Audit(t.Context(), in("s1"), history.Query{Path: tt.path})
			must(t, err)
			for _, c := range changes {
				if strings.Contains(c.By.Why, tt.why) {
					return
				}
			}
			t.Errorf("no change says %q: %+v", tt.why, changes)
		})
	}
}

// disorder leaves what autonomy 3 puts in order: two affairs of one title, a parked one that was left for long, and two records that the rules
// could not tell apart.
func disorder(t *testing.T, w *world, m *memory.Memory) {
	t.Helper()
	for i, title := range []string{"Boat", "boat", "Old roof"} {
		id := []string{"a1", "a2", "a3"}[i]
		e := state.AffairEdit{ID: id, At: w.clock(), Create: &state.Affair{
			ID: id, Client: "c1", User: "u1", Title: title, TitleBy: state.AuthorUser, Status: state.Parked, CreatedAt: w.clock(), UpdatedAt: w.clock(),
		}, Facts: state.Facts{{Label: "price " + id, Value: "9"}}}
		must(t, merged(t.Context(), m, w.store.Write, state.Effect{Scope: in("s1"), Affair: &e}))
		w.pass(time.Minute)
	}
	for _, content := range []string{"The match ended 3:1", "The match ended 2:0"} { // by tool calls: the small model, which answers later, is not asked
		s := w.begin(t.Context(), m, scripted.Background(nil, nil))
		if _, err := m.Write(s.ctx, in("s1"), memory.Change{Kind: state.EventRecord, Subject: "match", Content: content, About: state.AboutUser}); err != nil {
			t.Fatal(err)
		}
		must(t, s.commit())
	}
	w.pass(100 * 24 * time.Hour)
	if _, err := m.Affairs().Edit(t.Context(), in("s1"), "a1", memory.AffairChange{Topics: []string{"sails"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Affairs().Edit(t.Context(), in("s1"), "a2", memory.AffairChange{Topics: []string{"oars"}}); err != nil {
		t.Fatal(err)
	}
}

// inOrder ends a session, with a small model that calls records the same.
func inOrder(t *testing.T, m *memory.Memory) error {
	t.Helper()
	small := scripted.Background(map[string]any{
		"same": map[string]any{"kind": "same", "reasoning": "one match"}, "extract": map[string]any{"facts": []any{}},
	}, nil)
	ctx := memory.ContextWithSmall(t.Context(), small)
	if err := m.Turn().Ingest(t.Context(), in("s5"), state.Message{ID: "m1", Role: state.RoleUser, Text: "Good morning to you"}); err != nil {
		return err
	}
	_, err := m.Sessions().Edit(ctx, in("s5"), sessions.Change{End: true})
	return err
}

// At level 3 memory is put in order when a session ends, below that it is not; each step of it is undone by itself.
func TestReorganised(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() *world{"transactions": newWorld, "none": newServer} {
		for autonomy := range 4 {
			t.Run(name+" "+string(rune('0'+autonomy)), func(t *testing.T) {
				t.Parallel()
				w := open()
				disorder(t, w, w.level(t, 2))
				m := w.level(t, autonomy)
				before, last := remembered(t, w, false), head(t, m)
				if err := inOrder(t, m); err != nil && autonomy > 0 {
					t.Fatal(err)
				}
				after := remembered(t, w, false)
				if autonomy < 3 {
					if diff := cmp.Diff(before, after); diff != "" {
						t.Errorf("put in order (-before +after):\n%s", diff)
					}
					return
				}
				merged, err := m.Affairs().Get(t.Context(), in("s1"), "a1")
				if err != nil || len(merged.Absorbed) != 1 || len(merged.KeyFacts) != 2 {
					t.Errorf("merged: %+v, %v", merged, err)
				}
				if left, err := m.Affairs().Get(t.Context(), in("s1"), "a3"); err != nil || left.Status != state.Archived {
					t.Errorf("left for long: %+v, %v", left, err)
				}
				if own, _, err := m.Own(t.Context(), in("s1"), "match"); err != nil || len(own) != 1 {
					t.Errorf("records: %+v, %v", own, err)
				}
				undone := map[int64]bool{}
				for {
					changes, err := m.History().Audit(t.Context(), in("s1"), history.Query{Path: "reorganise"})
					must(t, err)
					todo := int64(0)
					for _, c := range changes {
						if c.Seq > last && !undone[c.Seq] {
							todo = c.Seq
							break
						}
					}
					if todo == 0 {
						break
					}
					undone[todo] = true
					must(t, w.level(t, 2).History().UndoChange(t.Context(), in("s1"), todo))
				}
				if diff := cmp.Diff(before, remembered(t, w, false)); diff != "" || len(undone) == 0 {
					t.Errorf("undone %d (-before +after):\n%s", len(undone), diff)
				}
			})
		}
	}
}

// A model corrects a record by its id with what the user says in the turn, as he writes numbers and dates; what he has not said is refused, with the record as
// it is written.
func TestAModelCorrectsWithWhatIsSaid(t *testing.T) {
	t.Parallel()
	const offer = "Nabídka od Démosu: LTD dub 12 ks po 980 Kč, dodání 8 dní"
	for _, c := range []struct {
		name, said, content string
		may                 bool
	}{
		{"a date with blanks, and its year", "ty desky: zvedli to na 1 260 za kus a přijdou až 9. 1.", "Nabídka od Démosu: LTD dub 12 ks po 1 260 Kč, dodání 9. 1. 2027", true},
		{"a date without blanks", "ty desky: zvedli to na 1260 za kus a přijdou až 9.1.", "Nabídka od Démosu: LTD dub 12 ks po 1 260 Kč, dodání 9. 1.", true},
		{"an order, in words that the record has not", "oprav: desky stojí 1 260 za kus a přijdou až 9. ledna", "Démos: LTD dub 12 ks po 1 260 Kč (původně 980 Kč), dodání 9. ledna 2027", true},
		{"another price", "ty desky: zvedli to na 1 260 za kus a přijdou až 9. 1.", "Nabídka od Démosu: LTD dub 12 ks po 1 360 Kč, dodání 9. 1.", false},
		{"another year", "ty desky: zvedli to na 1 260 za kus a přijdou až 9. 1.", "Nabídka od Démosu: LTD dub 12 ks po 1 260 Kč, dodání 9. 1. 2031", false},
		{"an order with another price", "oprav: desky stojí 1 260 za kus", "Démos: LTD dub 12 ks po 1 270 Kč", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			stored := write(t, m, in("s1"), memory.Change{Kind: state.OrderRecord, Content: offer})
			said := state.Message{Role: state.RoleUser, Text: c.said, Turn: "t9", Seq: 9, At: w.clock()}
			ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{
				Scope: in("s1"), Turn: "t9", Seq: 9, Tool: "memory_update", Call: "1/a",
				Ground: &memory.Ground{View: state.View{Window: []state.Message{{Role: state.RoleAssistant, Text: "Zapsáno. Démos má dnes otevřeno do pěti.", Turn: "t8", Seq: 8}}, Turn: []state.Message{said}}, BuiltIn: func(string) bool { return true }},
			})
			_, err := m.Amend(ctx, in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: stored.ID, Content: c.content})
			switch {
			case c.may:
				must(t, err)
			case !strings.Contains(code(t, err, state.Denied), "LTD dub"):
				t.Errorf("got %v", err)
			}
		})
	}
}

// What the user orders to be forgotten is, also where its words came from others; what he does not speak of is not.
// A tool's result that has nothing to do with it keeps no correction from being made; one that has the new value, and a value nobody said, do.
func TestAModelCorrectsBesideAToolsResult(t *testing.T) {
	t.Parallel()
	const (
		weather = `{"city":"Porto","temperature":14,"sky":"rain"}`
		mail    = "Please note our new price for the tiler: 1 240 euros."
	)
	for _, tt := range []struct {
		record, said, content, result string
		may                           bool
	}{
		{"Fliesenleger Pichler verlangt 1 180 Euro", "Zurück zur Wohnung: Pichler will jetzt 1 240 Euro statt 1 180.", "Fliesenleger Pichler verlangt 1 240 Euro", weather, true},
		{"The works start on 11 January", "And he can't start on the 11th of January, it will be the 18th.", "The works start on 18 January", weather, true},
		{"Dlaždice stojí 1 860 Kč", "dlaždice nakonec budou za 1 680", "Dlaždice stojí 1 680 Kč", weather, true},
		{"Hydraulik bierze 900 zł", "hydraulik jednak 950", "Hydraulik bierze 950 zł", weather, true},
		{"Сантехник берёт 900 рублей", "сантехник теперь хочет 950", "Сантехник берёт 950 рублей", weather, true},
		{"Fliesenleger Pichler verlangt 1 180 Euro", "What does the tiler Pichler want now?", "Fliesenleger Pichler verlangt 1 240 Euro", mail, false},
		{"Fliesenleger Pichler verlangt 1 180 Euro", "Pichler 1 240? Hm.", "Fliesenleger Pichler verlangt 1 240 Euro", mail, false},
		{"Fliesenleger Pichler verlangt 1 180 Euro", "Is Pichler still coming?", "Fliesenleger Pichler verlangt 1 240 Euro", weather, false},
	} {
		w, m := setup(t)
		stored := write(t, m, in("s1"), memory.Change{Content: tt.record})
		ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{
			Scope: in("s1"), Turn: "t9", Seq: 9, Tool: "memory_update", Call: "1/a",
			Ground: &memory.Ground{
				View: state.View{
					Window: []state.Message{{Role: state.RoleTool, ToolName: "get_weather", Text: tt.result, Turn: "t8", Seq: 8}},
					Turn:   []state.Message{{Role: state.RoleUser, Text: tt.said, Turn: "t9", Seq: 9, At: w.clock()}},
				},
				BuiltIn: func(string) bool { return false },
			},
		})
		_, err := m.Amend(ctx, in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: stored.ID, Content: tt.content})
		if tt.may != (err == nil) || !tt.may && state.CodeOf(err) != state.Denied {
			t.Errorf("%q: %v", tt.said, err)
		}
	}
}

func TestAModelForgetsWhatIsOrdered(t *testing.T) {
	t.Parallel()
	for said, may := range map[string]bool{"forget the lawyer's rate pls": true, "forget my old phone number": false, "what is the lawyer's rate?": false} {
		w, m := setup(t)
		const letter = "The lawyer for the work permit is Ms Kowalczyk at Lex Nova, 350 an hour, and the office opens at nine"
		stored := write(t, m, in("s1"), memory.Change{Content: letter})
		ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{
			Scope: in("s1"), Turn: "t9", Seq: 9, Tool: "memory_update", Call: "1/a",
			Ground: &memory.Ground{
				View: state.View{
					Window: []state.Message{{Role: state.RoleTool, ToolName: "mail", Text: letter, Turn: "t8", Seq: 8}},
					Turn:   []state.Message{{Role: state.RoleUser, Text: said, Turn: "t9", Seq: 9, At: w.clock()}},
				},
				BuiltIn: func(string) bool { return false },
			},
		})
		_, err := m.Amend(ctx, in("s1"), memory.Amendment{Action: memory.ForgetRecord, ID: stored.ID, Keep: "The lawyer for the work permit is Ms Kowalczyk at Lex Nova"})
		if may != (err == nil) || !may && state.CodeOf(err) != state.Denied {
			t.Errorf("%q: %v", said, err)
		}
	}
}
