package poison_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// Most of a hundred cases each way that may come out wrong.
const (
	refusedMost = 5 // of what the user has said
	takenMost   = 2 // of what he has not
)

// chat is what a user says in a language besides what is looked for, and what a page says that is nobody's business.
type chat struct{ affair, rule, filler, letter, ask, neutral string }

func chatIn(lang string) chat {
	switch lang {
	case "cs":
		return chat{"Kuchyň", "Odteď mi říkej Robine a připomeň mi zalít kytky. Moje pojistka je drahá a smlouva s obchodem je stará.", "A co dál?", "Tady je mail, co jsem dostal:", "Jak to teď vypadá?", "Slunečno, 21 stupňů, otevřeno od 9 do 17."}
	case "pl":
		return chat{"Kuchnia", "Od teraz mów do mnie Robin i przypomnij mi podlać kwiaty. Moja polisa jest droga, a umowa ze sklepem jest stara.", "I co jeszcze?", "Oto mail, który dostałem:", "Jak to teraz wygląda?", "Słonecznie, 21 stopni, otwarte od 9 do 17."}
	case "ru":
		return chat{"Кухня", "Отныне зови меня Робин и напомни мне полить цветы. Моя страховка дорогая, а договор с магазином старый.", "А что ещё?", "Вот письмо, которое я получил:", "Как это сейчас выглядит?", "Солнечно, 21 градус, открыто с 9 до 17."}
	}
	return chat{"Kitchen", "From now on call me Robin, and remind me to water the plants. My insurance is dear, and the contract with the shop is old.", "And what else?", "Here is the mail I got:", "How does it look now?", "Sunny, 21 degrees, open from 9 to 17."}
}

// telling is a case: what a model stores, what the user and others have said, and where that stands.
type telling struct {
	lang, kind, content string
	his                 string // what the user says
	source, theirs      string // tool, document, pasted or nobody, and what it says
	place               string // last, ago (twenty messages) or before (in the affair, a session ago)
}

// What the user has said is his wherever in the session or the affair it stands, in words that are nearly his.
func TestWhatTheUserSaidIsHis(t *testing.T) {
	t.Parallel()
	var all []telling
	for i, f := range lines(t, "said_his.txt", 4) {
		for j, place := range []string{"last", "ago", "before"} {
			all = append(all, telling{
				lang: f[0], kind: f[1], his: f[2], content: f[3], place: place, source: []string{"nobody", "tool", "document"}[(i+j)%3], theirs: chatIn(f[0]).neutral,
			})
		}
	}
	count(t, all, refusedMost, func(r *state.Record, c telling) bool { return r == nil || r.Trust.Foreign() || !binds(*r) })
}

// What he has not said is neither a preference nor a rule of his, neither who he is nor a task.
func TestWhatNobodySaidIsNotHis(t *testing.T) {
	t.Parallel()
	var all []telling
	for i, f := range lines(t, "said_others.txt", 4) {
		for j, source := range []string{"tool", "document", "pasted", "nobody"} {
			all = append(all, telling{
				lang: f[0], kind: f[1], content: f[2], his: chatIn(f[0]).rule, source: source, theirs: f[3], place: []string{"last", "ago", "before"}[(i+j)%3],
			})
		}
	}
	count(t, all, takenMost, func(r *state.Record, c telling) bool {
		return r != nil && (binds(*r) || c.source == "nobody" && r.Trust.Foreign())
	})
}

// binds reports whether a record says how it is to be from now on, or what is the user's.
func binds(r state.Record) bool {
	return r.Kind == state.PreferenceRecord || r.Kind == state.ProcedureRecord || r.About == state.AboutUser || r.Due != nil
}

// count plays all cases, and fails if more than so many of a hundred come out wrong.
func count(t *testing.T, all []telling, most int64, wrong func(*state.Record, telling) bool) {
	t.Helper()
	var n atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d of %d come out wrong", n.Load(), len(all))
		if 100*n.Load() > most*int64(len(all)) {
			t.Errorf("%d of %d come out wrong, at most %d %% may", n.Load(), len(all), most)
		}
	})
	for i, c := range all {
		t.Run(fmt.Sprint(c.lang, i), func(t *testing.T) {
			t.Parallel()
			if r, told := c.play(t); wrong(r, c) {
				n.Add(1)
				t.Logf("%s, %s, %s: %q of %q: %s", c.kind, c.source, c.place, c.content, c.his, told)
			}
		})
	}
}

// play plays the story and says what was kept, nil when nothing was, and what the model was told.
func (c telling) play(t *testing.T) (*state.Record, string) {
	t.Helper()
	w, lang, scope := open(t, nil), chatIn(c.lang), state.Scope{Session: "s0"}.Default()
	m := w.g.Memory()
	a, err := m.Affairs().Create(t.Context(), scope, lang.affair, memory.AffairChange{})
	if err == nil {
		_, err = m.Sessions().Edit(t.Context(), scope, sessions.Change{New: true})
	}
	must(t, err)
	take := func(session, affair string) {
		scope.Session = session
		if _, err := m.Affairs().Move(t.Context(), scope, affair, state.Active, ""); err != nil {
			t.Fatal(err)
		}
	}
	take("s0", a.ID)

	// What is looked for is said in the turn in which it is stored, or before it.
	if c.place == "last" {
		w.bring(t, "s0", c.his, c, c.store)
		return w.kept(t, c)
	}
	session, r := "s0", w.bring(t, "s0", c.his, c)
	for range 10 {
		w.turn(t, session, lang.filler, nil)
	}
	if c.place == "before" {
		if _, err := m.Sessions().Edit(t.Context(), scope, sessions.Change{End: true}); err != nil {
			t.Fatal(err)
		}
		w.pass(7 * 24 * time.Hour)
		session = "s1"
		w.turn(t, session, lang.filler, nil)
		take(session, r.Active.ID)
	}
	w.turn(t, session, lang.ask, nil, c.store)
	return w.kept(t, c)
}

// bring plays a turn with what others say in it.
func (w *world) bring(t *testing.T, session, text string, c telling, acts ...func([]*schema.Message) []schema.ToolCall) graph.Reply {
	t.Helper()
	var change func(*graph.Request)
	switch c.source {
	case "tool":
		acts = append([]func([]*schema.Message) []schema.ToolCall{w.reads(c.theirs)}, acts...)
	case "document":
		change = func(r *graph.Request) {
			r.Attachments = []state.Attachment{{Name: "paper.txt", MIME: "text/plain", Text: c.theirs}}
		}
	case "pasted":
		text += "\n" + chatIn(c.lang).letter + "\n" + c.theirs
	}
	return w.turn(t, session, text, change, acts...)
}

// store is the model's call.
func (c telling) store([]*schema.Message) []schema.ToolCall {
	if c.kind == "task" {
		return []schema.ToolCall{call("schedule_task", fmt.Sprintf(`{"title":%q,"due":"2026-03-06"}`, c.content))}
	}
	return []schema.ToolCall{store("note", c.content, c.kind, "user", "")}
}

// kept is what the model's call came to.
func (w *world) kept(t *testing.T, c telling) (*state.Record, string) {
	t.Helper()
	told := ""
	for _, msg := range w.actor.prompt {
		if msg.Role == schema.Tool {
			told = msg.Content
		}
	}
	records, err := w.g.Memory().Records(t.Context(), state.Scope{}.Default())
	must(t, err)
	for _, r := range records {
		if r.Valid(w.clock().Add(time.Hour)) && r.Source.Tool != "" && (strings.Contains(letters(r.Content), letters(c.content)) || strings.Contains(told, r.ID)) {
			return &r, told
		}
	}
	return nil, told
}
