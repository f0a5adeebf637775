package forget_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// stories is a file of histories: each topic is told among three of the affairs.
type stories struct {
	Affairs [][]string `yaml:"affairs"`
	Topics  []story    `yaml:"topics"`
}

// story is a topic, what is said of it and beside it, and the order to forget it.
type story struct {
	Topic string   `yaml:"topic"`
	Mark  string   `yaml:"mark"` // stands in what states it, and nowhere else
	Order string   `yaml:"order"`
	Lines []string `yaml:"lines"`
}

// The marks of a line: what states the thing, and what says something else of its topic.
var (
	statedForm  = regexp.MustCompile(`\{([^}]*)\}`)
	topicalForm = regexp.MustCompile(`<([^>]*)>`)
	anyForm     = regexp.MustCompile(`[{}<>]`)
)

// figures are what was counted over histories.
type figures struct{ gone, toGo, lost, toStay int }

func (f figures) String() string {
	return fmt.Sprintf("gone that should be gone: %d of %d; gone that should not be: %d of %d", f.gone, f.toGo, f.lost, f.toStay)
}

// TestOnlyWhatStatesItGoes erases one thing of each of sixty histories, in each way. What states it goes, what only stands near it stays.
func TestOnlyWhatStatesItGoes(t *testing.T) {
	t.Parallel()
	ways := []string{"topic", "record", "talk"}
	all := map[string]figures{}
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		raw, err := os.ReadFile("testdata/histories_" + lang + ".yaml")
		must(t, err)
		var file stories
		must(t, yaml.Unmarshal(raw, &file))
		for i, s := range file.Topics {
			lines := interleave(file.Affairs, s, i)
			told := tellStory(t, lines)
			for _, way := range ways {
				all[way] = all[way].add(tryStory(t, told, way, lang, s, lines))
			}
		}
	}
	for _, way := range ways {
		if t.Log(way, "over 60 histories:", all[way]); all[way].gone < all[way].toGo || all[way].lost > 0 {
			t.Errorf("%s: %v", way, all[way])
		}
	}
}

// interleave is what is said: the messages of three affairs, and behind each second one a line of the topic.
func interleave(affairs [][]string, s story, i int) (lines []string) {
	next := 0
	for k := range 3 {
		for n, said := range affairs[(i+k)%len(affairs)] {
			lines = append(lines, said)
			if n%2 == k%2 && next < len(s.Lines) {
				lines = append(lines, s.Lines[next])
				next++
			}
		}
	}
	return lines
}

// tellStory tells a history in two sessions, and returns the store.
func tellStory(t *testing.T, lines []string) *ram.Store {
	t.Helper()
	told := ram.New()
	w := openStory(t, told, begins(), "a")
	for n, line := range lines {
		scope := in("anna", []string{"s1", "s2"}[n/8])
		w.now = w.now.Add(3 * time.Minute)
		if _, err := w.say(t.Context(), scope, anyForm.ReplaceAllString(line, "")); err != nil {
			t.Fatal(err)
		}
		if n%8 == 7 {
			if _, err := w.Memory().Sessions().Edit(t.Context(), scope, sessions.Change{End: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.close(t)
	return told
}

// copyStory is a store with the same documents.
func copyStory(t *testing.T, told *ram.Store) *ram.Store {
	t.Helper()
	to := ram.New()
	for _, doc := range documents(t, told) {
		for rev := range doc.Rev {
			doc.Rev = rev
			must(t, to.Write(t.Context(), doc))
		}
	}
	return to
}

// tryStory has the thing of a history forgotten, and counts what is gone and what is left.
func tryStory(t *testing.T, told *ram.Store, way, lang string, s story, lines []string) (f figures) {
	ctx, name := t.Context(), lang+" "+s.Topic
	w := openStory(t, copyStory(t, told), begins().Add(24*time.Hour), "b")
	defer w.close(t)
	before := w.held(ctx, t)
	w.forget(ctx, t, way, s)
	if way == "talk" {
		return w.compareRecords(ctx, t, name, way, s, before)
	}

	// Each sentence that states it is nowhere; each other one stands where it was said.
	said, left := w.userTexts(ctx, t), stored(t, w.store)
	for _, line := range lines {
		gone := statedForm.FindAllStringSubmatch(line, -1)
		rest := statedForm.ReplaceAllString(line, "")
		if way == "topic" {
			gone = append(gone, topicalForm.FindAllStringSubmatch(rest, -1)...)
			rest = topicalForm.ReplaceAllString(rest, "")
		}
		for _, g := range gone {
			f.toGo++
			if at := holding(left, strings.TrimSuffix(g[1], ".")); len(at) > 0 {
				t.Errorf("%s, %s: %q is left in %q", name, way, g[1], at)
			} else {
				f.gone++
			}
		}
		if rest = strings.Join(strings.Fields(anyForm.ReplaceAllString(rest, "")), " "); rest == "" {
			continue
		}
		if f.toStay++; !slices.Contains(said, rest) {
			t.Errorf("%s, %s: %q is gone", name, way, rest)
			f.lost++
		}
	}
	if at := holding(left, s.Mark); len(at) > 0 {
		t.Errorf("%s, %s: %q is left in %q", name, way, s.Mark, at)
	}
	return f.add(w.compareRecords(ctx, t, name, way, s, before))
}

func (f figures) add(g figures) figures {
	return figures{f.gone + g.gone, f.toGo + g.toGo, f.lost + g.lost, f.toStay + g.toStay}
}

// openStory is a world in memory.
func openStory(t *testing.T, in *ram.Store, now time.Time, prefix string) *world {
	t.Helper()
	w := &world{store: ramStore{in}, now: now, prefix: prefix}
	var err error
	w.Graph, err = graph.New(t.Context(), graph.Config{Store: w.store, Model: offline.New(), Now: func() time.Time { return w.now }, NewID: func() string {
		w.ids++
		return fmt.Sprintf("%s-%04d", w.prefix, w.ids)
	}})
	must(t, err)
	return w
}

type ramStore struct{ *ram.Store }

func (ramStore) Close() error { return nil }

// held are what records say that hold, and the titles of affairs.
func (w *world) held(ctx context.Context, t *testing.T) (says []string) {
	t.Helper()
	records, err := w.Memory().Records(ctx, in("anna", "s1"))
	must(t, err)
	for _, r := range records {
		if r.Span == nil && r.Holds(w.now) {
			says = append(says, r.Subject+": "+r.Content)
		}
	}
	return says
}

// forget has the thing of a story forgotten.
func (w *world) forget(ctx context.Context, t *testing.T, way string, s story) {
	t.Helper()
	var err error
	scope := in("anna", "s3")
	switch way {
	case "topic":
		_, err = w.Memory().Forget().Erase(ctx, scope, forget.What{Topic: s.Topic})
	case "record":
		var records []state.Record
		if records, err = w.Memory().Records(ctx, scope); err != nil {
			break
		}
		at := slices.IndexFunc(records, func(r state.Record) bool {
			return r.Span == nil && strings.Contains(r.Content, s.Mark) && r.Holds(w.now)
		})
		if at < 0 {
			t.Fatalf("%s: no record says it: %+v", s.Topic, records)
		}
		_, err = w.Memory().Forget().Erase(ctx, scope, forget.What{Record: records[at].ID})
	case "talk":
		_, object, _ := strings.Cut(s.Order, " that ")
		if object == "" {
			_, object, _ = strings.Cut(s.Order, ", ")
			_, object, _ = strings.Cut(object, " ")
		}
		args := fmt.Sprintf(`{"action":"forget","text":%q}`, strings.TrimSuffix(object, "."))
		_, err = w.say(ctx, scope, s.Order, scripted.Call("memory_update", args), scripted.Say("Done."))
	}
	if err != nil {
		t.Fatalf("%s, %s: %v", s.Topic, way, err)
	}
}

// compareRecords counts what records hold no more that state a thing, and those that do not.
func (w *world) compareRecords(ctx context.Context, t *testing.T, name, way string, s story, before []string) (f figures) {
	t.Helper()
	after, topical := w.held(ctx, t), topicalForm.FindAllStringSubmatch(strings.Join(s.Lines, "\n"), -1)
	for _, said := range before {
		is := slices.Contains(after, said)
		ofTopic := func(sentence []string) bool { return strings.Contains(said, sentence[1]) }
		switch {
		case strings.Contains(said, s.Mark), way == "topic" && slices.ContainsFunc(topical, ofTopic):
			f.toGo++
			if !is {
				f.gone++
			} else {
				t.Errorf("%s, %s: the record %q holds still", name, way, said)
			}
		default:
			f.toStay++
			if !is {
				f.lost++
				t.Errorf("%s, %s: the record %q is gone", name, way, said)
			}
		}
	}
	return f
}

// userTexts is what the user has said that is kept.
func (w *world) userTexts(ctx context.Context, t *testing.T) (texts []string) {
	t.Helper()
	for _, session := range []string{"s1", "s2"} {
		messages, err := w.Memory().Messages(ctx, in("anna", session))
		must(t, err)
		for _, msg := range messages {
			if msg.Role == state.RoleUser {
				texts = append(texts, strings.Join(strings.Fields(msg.Text), " "))
			}
		}
	}
	return texts
}
