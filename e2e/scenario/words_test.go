package scenario

import (
	"reflect"
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
				for _, name := range []string{"{title}", "{id}", "{n}", "{at}"} {
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

// A command answers in the language of the conversation.
func TestCommandsInTheLanguageOfTheTalk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ say, line, want string }{
		{"Potřebuju objednat nové brýle, optik má volno v úterý.", "/end", "skončila"},
		{"Muszę zamówić nowe okulary, optyk ma termin we wtorek.", "/clear", "ukryta"},
		{"Мне нужно заказать новые очки, оптик свободен во вторник.", "/clear", "скрыт"},
		{"I have to order new glasses, the optician is free on Tuesday.", "/new", "This is session"},
		{"", "/affairs", "No affairs yet."},
	} {
		g, err := graph.New(t.Context(), graph.Config{Store: ram.New(), Model: offline.New()})
		if err != nil {
			t.Fatal(err)
		}
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
