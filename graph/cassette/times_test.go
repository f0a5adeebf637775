package cassette_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/cassette"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// Turns recorded at one clock are played at another, days later and at another pace: they are found, and what is answered, called and stored has the days
// of the player.
func TestTurnsOfAnotherDay(t *testing.T) {
	t.Parallel()
	file, recorded := filepath.Join(t.TempDir(), "tape.jsonl"), time.Date(2026, 2, 27, 21, 0, 0, 0, time.UTC)
	texts := []string{
		"I ordered brake pads, order number 07-14244-53150. They come on 2026-03-20.", "Remind me tomorrow to pay for the brake pads.",
		"What did I order on 2026-01-10?", "What did I order on 2026-01-11?", "Thanks!",
	}
	turns := func(chat, small model.ToolCallingChatModel, now time.Time, pace time.Duration) (said []string) {
		n := 0
		g, err := graph.New(t.Context(), graph.Config{
			Store: ram.New(), Model: chat, SmallModel: small, Settings: state.DefaultSettings(), Now: func() time.Time { return now },
			NewID: func() string { n++; return fmt.Sprintf("%024x", now.Unix()+int64(n)) },
		})
		must(t, err)
		defer g.Close()
		for _, text := range texts {
			reply, err := g.Invoke(t.Context(), graph.Request{Text: text, AskSmall: true})
			must(t, err)
			said = append(said, reply.Text)
			for _, tool := range reply.Tools {
				said = append(said, tool.Name+" "+tool.Arguments)
			}
			now = now.Add(pace)
		}
		return said
	}
	rec := func(m model.ToolCallingChatModel) *cassette.Model {
		return open(t, cassette.Config{File: file, Model: m})
	}
	want := turns(rec(scripted.New([]scripted.Step{
		scripted.Say("Noted on 2026-02-27, they come on 2026-03-20."),
		scripted.Call("schedule_task", `{"title":"Pay for the brake pads","due":"2026-02-28T09:00:00Z"}`),
		scripted.Say("I will, on 2026-02-28. They come on 2026-03-20; the first car drove on 1886-07-03."),
		scripted.Say("On 2026-01-10 nothing."), scripted.Say("On 2026-01-11 nothing."), scripted.Say("You are welcome."),
	}, nil)), rec(offline.New()), recorded, time.Minute)

	for _, tc := range []struct {
		name string
		now  time.Time
		pace time.Duration
		days *strings.Replacer
	}{
		{"the same day", recorded, time.Minute, strings.NewReplacer()},
		{"later that day, slower", recorded.Add(time.Hour), 20 * time.Minute, strings.NewReplacer()},
		{"days later", recorded.Add(96 * time.Hour), time.Second, strings.NewReplacer("2026-02-27", "2026-03-03", "2026-02-28", "2026-03-04")},
		{"over midnight", recorded.Add(24*time.Hour + 179*time.Minute), time.Minute, strings.NewReplacer("2026-02-28", "2026-03-02", "2026-02-27", "2026-02-28")}, // the second turn is on the next day,
		{"another year", recorded.AddDate(1, 0, 0), time.Minute, strings.NewReplacer("2026-02-2", "2027-02-2")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			moved := make([]string, len(want))
			for i, line := range want {
				moved[i] = tc.days.Replace(line)
			}
			same(t, "played", moved, turns(open(t, cassette.Config{File: file}), open(t, cassette.Config{File: file}), tc.now, tc.pace))
		})
	}
}

// Of recordings that differ in their days alone the likest is played, and each as often as it was recorded.
func TestDays(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tape.jsonl")
	question := func(today, about string) []*schema.Message {
		return []*schema.Message{schema.SystemMessage("Today is " + today + "."), schema.UserMessage("What is due on " + about + "?")}
	}
	rec := open(t, cassette.Config{File: file, Model: scripted.New([]scripted.Step{
		scripted.Say("A on 2026-02-15 and 2026-03-01, since 2026-02-10, not in 1999-01-01."), scripted.Say("B"), scripted.Say("B again"),
	}, nil)})
	for _, about := range []string{"2026-03-01", "2026-03-02", "2026-03-02"} {
		if _, err := rec.Generate(t.Context(), question("2026-02-15", about)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name, today, about string
		want               []string
	}{
		{"as recorded", "2026-02-15", "2026-03-01", []string{"A on 2026-02-15 and 2026-03-01, since 2026-02-10, not in 1999-01-01."}},
		{"the second alone", "2026-02-15", "2026-03-02", []string{"B", "B again", "B again"}},
		{"later, a day that the user says", "2026-02-20", "2026-03-01", []string{"A on 2026-02-20 and 2026-03-01, since 2026-02-15, not in 1999-01-01."}},
		{"later, a day that moves along", "2026-02-20", "2026-03-07", []string{"B", "B again"}},
		{"a day that was never asked", "2026-02-15", "2026-07-07", []string{"A on 2026-02-15 and 2026-07-07, since 2026-02-10, not in 1999-01-01."}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			play := open(t, cassette.Config{File: file})
			for i, want := range tc.want {
				if got, err := play.Generate(t.Context(), question(tc.today, tc.about)); err != nil || got.Content != want {
					t.Errorf("time %d: got %v, %v, want %q", i+1, got, err, want)
				}
			}
		})
	}
}
