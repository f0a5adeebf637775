package memory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// mention is a message that means an affair without its title.
type mention struct{ text, affair string }

// story is what twenty times fifty affairs are made of: a title, what is said, and mentions, with blanks in them.
type story struct {
	title, said string
	mentions    []string
}

// readStories reads names, places and stories of a language.
func readStories(t *testing.T, lang string) (names, places []string, stories []story) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "mentions", lang+".txt"))
	must(t, err)
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		switch i {
		case 0:
			names = strings.Fields(line)[1:]
		case 1:
			places = strings.Fields(line)[1:]
		default:
			parts := strings.Split(line, " | ")
			stories = append(stories, story{parts[0], parts[1], parts[2:]})
		}
	}
	return names, places, stories
}

// thousand puts a thousand parked affairs of one user into the store, as if each had been talked of for a turn, and returns
// fifty mentions. Every name is in twenty affairs, every thing in fifty: only both together, or a number, tell which it is.
func thousand(t *testing.T, w *world, lang string) []mention {
	t.Helper()
	names, places, stories := readStories(t, lang)
	fill := func(text string, s, k int) string {
		return strings.NewReplacer("{name}", names[k], "{place}", places[(k+7*s)%len(places)], "{number}", fmt.Sprint(10007+(s*len(names)+k)*83)).Replace(text)
	}
	id := func(s, k int) string { return fmt.Sprintf("%s-%02d-%02d", lang, s, k) }
	put := func(c state.Collection, key string, value any) {
		body, err := bson.Marshal(value)
		if err == nil {
			err = w.store.Write(t.Context(), store.Doc{Collection: c, ID: key, Body: body})
		}
		must(t, err)
	}
	scope, seq := in("s1"), int64(0)
	var mentions []mention
	for s, story := range stories {
		for k := range names {
			said := fill(story.said, s, k)
			a := state.Affair{
				ID: id(s, k), Client: scope.Client, User: scope.User, Title: fill(story.title, s, k), TitleBy: state.AuthorModel,
				Status: state.Parked, Topics: facts.Topics(said, ""), Messages: 2, CreatedAt: w.clock(), UpdatedAt: w.clock(),
			}
			var spoken []state.Message
			for _, x := range []struct {
				role state.Role
				text string
			}{{state.RoleUser, said}, {state.RoleAssistant, "OK."}} {
				seq++
				msg := state.Message{ID: fmt.Sprint("m", seq), Seq: seq, Turn: id(s, k), Role: x.role, Text: x.text, Affair: a.ID, At: w.clock()}
				spoken = append(spoken, msg)
				put(state.Messages, scope.MessageKey(seq), msg)
			}
			count := func(s string) int { return len(strings.Fields(s)) }
			a = affair.Learn(a, spoken[0], lang)
			a.Summary = affair.Summarise("", spoken[:1], 500, count)
			put(state.Affairs, scope.Key(a.ID), a)
			w.pass(time.Minute)
		}
		for j, m := range story.mentions {
			k := (13*s + 17*j) % len(names)
			mentions = append(mentions, mention{fill(m, s, k), id(s, k)})
		}
	}
	put(state.Sessions, scope.SessionKey(), state.Session{Client: scope.Client, User: scope.User, ID: scope.Session, Part: 1, Messages: seq, Language: lang, StartedAt: w.clock(), LastAt: w.clock()})
	return mentions
}

// mentioned judges a message while another affair is active.
func mentioned(t *testing.T, m *memory.Memory, x mention, active string) state.Decision {
	t.Helper()
	s, err := m.Sessions().Get(t.Context(), in("s1"))
	must(t, err)
	v, err := m.Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: s.Messages + 1})
	must(t, err)
	v.Session.Active = active
	d, err := m.Turn().Detect(t.Context(), v, state.Message{Seq: s.Messages + 1, Role: state.RoleUser, Text: x.text}, false)
	must(t, err)
	return d
}

// Of two hundred mentions 184 take the right affair up, by the rules alone.
func TestOneOfAThousandIsTakenUpByAnIndirectMention(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes four thousand affairs")
	}
	var right, all atomic.Int64
	t.Run("in", func(t *testing.T) {
		for _, lang := range []string{"cs", "en", "pl", "ru"} {
			t.Run(lang, func(t *testing.T) {
				t.Parallel()
				w := newWorld()
				mentions := thousand(t, w, lang)
				m := w.memory(t, nil)
				all.Add(int64(len(mentions)))
				for i, x := range mentions {
					d := mentioned(t, m, x, mentions[(i+len(mentions)/2)%len(mentions)].affair)
					if d.AffairID == x.affair && d.Kind != state.Continue {
						right.Add(1)
						continue
					}
					t.Logf("%q: %s %q at %.2f, want %s", x.text, d.Kind, d.AffairID, d.Confidence, x.affair)
				}
			})
		}
	})
	if n := right.Load(); n*100 < 92*all.Load() {
		t.Errorf("%d of %d", n, all.Load())
	}
}
