package scenario

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// Every language has all words, with the same places to fill, and every command in its help.
func TestWords(t *testing.T) {
	t.Parallel()
	en := reflect.ValueOf(*wordsOf("en"))
	for lang, w := range languages() {
		v := reflect.ValueOf(*w)
		for i := range v.NumField() {
			got, want := v.Field(i).Interface(), en.Field(i).Interface()
			if v.Field(i).IsZero() {
				t.Errorf("%s has no %s", lang, v.Type().Field(i).Name)
			}
			if text, is := got.(string); is {
				for _, name := range []string{"{title}", "{session}", "{n}", "{at}", "{asks}", "{text}"} {
					if strings.Contains(text, name) != strings.Contains(want.(string), name) {
						t.Errorf("%s: %q and %q differ in %s", lang, text, want, name)
					}
				}
			}
		}
		for _, c := range Commands() {
			if help := strings.Join(w.Help, "\n"); c != "/cler" && c != "/help" && !strings.Contains(help, c+" ") {
				t.Errorf("%s: the help has no %s", lang, c)
			}
		}
	}
}

// A suggestion is told in the language of the conversation, that to forget everything too.
func TestSuggested(t *testing.T) {
	t.Parallel()
	all := state.Suggestion{Asks: "forget", Text: state.Everything + " (2)"}
	for lang, want := range map[string]string{
		"en": "Would like to forget: everything that is remembered (2)", "cs": "Ke schválení – zapomenout: vše zapamatované (2)",
		"pl": "Do zatwierdzenia – zapomnieć: wszystko, co zapamiętane (2)", "ru": "На одобрение – забыть: всё, что запомнено (2)",
	} {
		if got := Suggested(lang, all); got != want {
			t.Errorf("%s: %q, want %q", lang, got, want)
		}
	}
	if got, want := Suggested("cs", state.Suggestion{Asks: "remember", Text: "jméno: Marta"}), "Ke schválení – zapamatovat: jméno: Marta"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A command answers in the language of the conversation.
func TestCommandsInTheLanguageOfTheTalk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ say, line, want string }{
		{"Potřebuju objednat nové brýle, optik má volno v úterý.", "/end", "skončila"},
		{"Muszę zamówić nowe okulary, optyk ma termin we wtorek.", "/clear", "ukryta"},
		{"Мне нужно заказать новые очки, оптик свободен во вторник.", "/clear", "скрыт"},
		{"I have to order new glasses, the optician is free on Tuesday.", "/new", "This is the session"},
		{"", "/affairs", "No affairs yet."},
	} {
		g, err := graph.New(t.Context(), graph.Config{Store: ram.New(), Model: offline.New()})
		must(t, err)
		var last graph.Reply
		if c.say != "" {
			if last, err = g.Invoke(t.Context(), graph.Request{Text: c.say}); err != nil {
				t.Fatal(err)
			}
		}
		scope := state.Scope{}.Default()
		if got, err := Command(t.Context(), g, &scope, c.line, last, time.UTC); err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s after %q = %q, %v; want %q", c.line, c.say, got, err, c.want)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The last turn is taken back, then the one before it; what cannot be read as a command says what is wrong with it.
func TestUndoAndWrongCommands(t *testing.T) {
	t.Parallel()
	g, err := graph.New(t.Context(), graph.Config{Store: ram.New(), Model: offline.New()})
	must(t, err)
	defer func() { _ = g.Close() }()
	var last graph.Reply
	for _, text := range []string{"The roof leaks, the roofer comes on Friday.", "Remember that my passport expires in 2027."} {
		if last, err = g.Invoke(t.Context(), graph.Request{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	scope := state.Scope{}.Default()
	for _, c := range []struct {
		line, says string
		records    int
	}{
		{"/HELP", "/undo ", 1},
		{"/clear now", "/clear: takes nothing after it", 1},
		{"/sessions 3", "/sessions: takes nothing after it", 1},
		{"/affair", "/affair: needs a title: /affair TITLE", 1},
		{"/forget", "say “forget that ...”", 1},
		{"/resolve", "mneme affairs resolve; /help lists the commands", 1},
		{"/approve 3", "none waits", 1},
		{"/sessions", "* default (4 messages, last ", 1},
		{"/undo", "Taken back: “Remember that my passport expires in 2027.”.", 0},
		{"/sessions", "* default (2 messages, last ", 0},
		{"/Undo", "Taken back: “The roof leaks, the roofer comes on Friday.”.", 0},
		{"/undo", "Nothing was said yet.", 0},
		{"/affairs", "No affairs yet.", 0},
		{"/new Third talk", "This is the session “Third talk” now.", 0},
		{"/sessions", " “Third talk” (0 messages)\n", 0},
	} {
		got, err := Command(t.Context(), g, &scope, c.line, last, time.UTC)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.says) || strings.Contains(got, "/quit") && c.line != "/HELP" {
			t.Errorf("%s says %q, want %q", c.line, got, c.says)
		}
		r, err := g.Memory().Records(t.Context(), scope)
		r = slices.DeleteFunc(r, func(r state.Record) bool { return r.Kind != state.FactRecord })
		if err != nil || len(r) != c.records {
			t.Errorf("%s leaves %d facts, %v; want %d", c.line, len(r), err, c.records)
		}
	}
}
