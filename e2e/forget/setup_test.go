package forget_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/embed/hashed"
	"github.com/mneme-graph/mneme/memory/forget/erasures"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/memory/suggest"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

func long() bool { return os.Getenv("MNEME_LONG") != "" }

// tries is how many of something are tried: few, more with MNEME_LONG=1, most with MNEME_LONG=2.
func tries(few, more, most uint64) uint64 {
	switch os.Getenv("MNEME_LONG") {
	case "":
		return few
	case "2":
		return most
	}
	return more
}

// firstSeed is where seeds begin.
func firstSeed(t *testing.T) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(os.Getenv("MNEME_SEED"), 10, 64)
	if err != nil {
		return 1
	}
	return n
}

// opened is a store that its opener closes.
type opened interface {
	store.Store
	Close() error
}

// place is where a store is: a folder, or the address of a database.
type place struct{ dir, uri string }

func places(t *testing.T, kind string) place {
	t.Helper()
	if kind == "mongo" {
		return place{uri: mongotest.Shared(t)}
	}
	return place{dir: t.TempDir()}
}

func (p place) open(ctx context.Context) (opened, error) {
	if p.uri != "" {
		return mongo.Open(ctx, mongo.Config{URI: p.uri})
	}
	return sqlite.Open(ctx, sqlite.Config{Dir: p.dir})
}

// world is a graph in a place.
type world struct {
	*graph.Graph
	store  opened
	place  place
	now    time.Time
	ids    int
	prefix string // of ids: what another process gives is another
}

// openWorld opens a graph, with vectors if they are asked for.
func openWorld(ctx context.Context, p place, now time.Time, prefix string, vectors bool) (*world, error) {
	return openWith(ctx, p, now, prefix, vectors, "")
}

// openWith is openWorld with a ledger of erasures in a file, "" for none.
func openWith(ctx context.Context, p place, now time.Time, prefix string, vectors bool, book string) (*world, error) {
	s, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	w := &world{store: s, place: p, now: now, prefix: prefix}
	c := graph.Config{Store: s, Model: offline.New(), Now: func() time.Time { return w.now }, NewID: func() string {
		w.ids++
		return fmt.Sprintf("%s-%04d", prefix, w.ids)
	}}
	if vectors {
		leaf, err := hashed.New(hashed.Config{})
		if err != nil {
			return nil, err
		}
		if c.Embedder, err = embed.New(embed.Config{Name: "hashed", Model: leaf}); err != nil {
			return nil, err
		}
		c.Shelf = func(ctx context.Context) (index.Shelf, error) { return local.New(local.Config{Store: s}) }
	}
	if book != "" {
		if c.Erasures, err = erasures.Open(book); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	if w.Graph, err = graph.New(ctx, c); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return w, nil
}

func (w *world) close(t *testing.T) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := w.store.Close(); err != nil {
		t.Error(err)
	}
}

func in(user, session string) state.Scope {
	return state.Scope{User: user, Session: session}.Default()
}

// thing is what a user says: it has a word that nothing else has.
type thing struct {
	canary, subject, user, session string
	stored                         bool   // a tool stores it
	record                         string // its id, then
}

// subjects are what things are about, in the languages of the product.
var subjects = []string{
	"door code", "parcel number", "locker key", "objednávka dílu", "číslo pojistky", "kod do bramy", "numer rezerwacji", "номер заказа", "пароль ангара",
	"boat licence", "gym membership", "library card",
}

// history says things in sessions of two users, with small talk, questions from other sessions and ends of sessions in between.
func (w *world) history(ctx context.Context, r *rand.Rand) (things []*thing, err error) {
	letter, n := 'q'+rune(w.prefix[0]-'a')%10, 0 // a process that comes after has words of its own
	for i := range 6 + r.IntN(5) {
		th := &thing{
			canary: fmt.Sprintf("kx%d%c%03d", r.IntN(90)+10, letter, i*7+r.IntN(7)), subject: subjects[(i+r.IntN(3))%len(subjects)],
			user: []string{"anna", "boris"}[r.IntN(2)], session: fmt.Sprintf("s%d", r.IntN(3)), stored: r.IntN(3) > 0,
		}
		things = append(things, th)
		w.now = w.now.Add(time.Duration(1+r.IntN(50)) * time.Minute)
		if err := w.tell(ctx, th); err != nil {
			return nil, err
		}
		for range r.IntN(4) {
			n++
			w.now = w.now.Add(time.Minute)
			other := things[r.IntN(len(things))]
			switch r.IntN(5) {
			case 0: // another session of the user asks, and is answered
				_, err = w.say(ctx, in(other.user, fmt.Sprintf("s%d", r.IntN(3))), "what was my "+other.subject+"?", scripted.Call("memory_recall", `{"query":"`+other.subject+`"}`), scripted.Say("Your "+other.subject+" is "+other.canary+"."))
			case 1:
				_, err = w.say(ctx, in(other.user, other.session), fmt.Sprintf("the weather is nice today, number %d of nice days", n))
			case 2:
				_, err = w.Memory().Sessions().Edit(ctx, in(other.user, other.session), sessions.Change{End: true})
			case 3:
				_, err = w.Memory().Sessions().Edit(ctx, in(other.user, other.session), sessions.Change{Title: "about " + other.canary})
			case 4: // a host suggests what is to be remembered of it
				scope := in(other.user, other.session)
				suggests := memory.ContextWithOrigin(ctx, memory.Origin{Scope: scope, Suggests: true})
				_, err = w.Memory().Write(suggests, scope, memory.Change{Subject: other.subject, Content: "write down " + other.canary})
				if waits := (*suggest.WaitsError)(nil); errors.As(err, &waits) {
					err = nil
				}
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return things, nil
}

// tell has a user say a thing.
func (w *world) tell(ctx context.Context, th *thing) error {
	steps := []scripted.Step{scripted.Say("Noted: " + th.canary + ".")}
	if th.stored {
		args, err := json.Marshal(map[string]string{"subject": th.subject, "content": "the " + th.subject + " is " + th.canary, "category": "fact"})
		if err != nil {
			return err
		}
		steps = append([]scripted.Step{scripted.Call("memory_store", string(args))}, steps...)
	}
	reply, err := w.say(ctx, in(th.user, th.session), "Now about my "+th.subject+": it is "+th.canary+", I need it for the trip.", steps...)
	for _, receipt := range reply.Receipts {
		if receipt.Kind == string(state.FactRecord) {
			th.record = receipt.ID
		}
	}
	return err
}

func (w *world) say(ctx context.Context, scope state.Scope, text string, steps ...scripted.Step) (graph.Reply, error) {
	req := graph.Request{Scope: scope, Text: text}
	if len(steps) > 0 {
		req.Model = scripted.New(steps, nil)
	}
	return w.Invoke(ctx, req)
}

// everything is all that is left in a place: documents through the store, folded steps unpacked, files as they lie there. Names tell where.
func everything(t *testing.T, p place) map[string][]byte {
	t.Helper()
	s, err := p.open(t.Context())
	must(t, err)
	left := stored(t, s)
	must(t, s.Close())
	if p.dir == "" {
		return left
	}
	err = filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		left["file "+path], err = os.ReadFile(path)
		return err
	})
	must(t, err)
	return left
}

// stored is all that is in a store: documents, and folded steps unpacked.
func stored(t *testing.T, s store.Store) map[string][]byte {
	t.Helper()
	left := map[string][]byte{}
	for name, doc := range documents(t, s) {
		left[name] = doc.Body
	}
	log := checkpoint.New(checkpoint.Config{Store: s, Now: time.Now, NewID: func() string { return "look" }})
	threads, err := log.Threads(t.Context(), "")
	must(t, err)
	for _, thread := range threads {
		steps, err := log.Steps(t.Context(), thread, 1)
		if err != nil {
			t.Fatalf("thread %s: %v", thread.Key(), err)
		}
		for _, step := range steps {
			raw, err := bson.Marshal(step)
			must(t, err)
			left[fmt.Sprintf("step %s %d", thread.Key(), step.Seq)] = raw
		}
	}
	must(t, log.Close())
	return left
}

// documents are all of a store, by collection and id.
func documents(t *testing.T, s store.Store) map[string]store.Doc {
	t.Helper()
	all := map[string]store.Doc{}
	for _, c := range store.Collections() {
		for after := ""; ; {
			docs, err := s.Scan(t.Context(), store.Query{Collection: c, After: after, Limit: 500})
			must(t, err)
			if len(docs) == 0 {
				break
			}
			for _, d := range docs {
				all[string(c)+" "+d.ID], after = d, d.ID
			}
		}
	}
	return all
}

// holding names what holds a word.
func holding(left map[string][]byte, word string) (names []string) {
	for name, raw := range left {
		if bytes.Contains(raw, []byte(word)) {
			names = append(names, name)
		}
	}
	return names
}

// ofUser reports whether a document is of a user.
func ofUser(name, user string) bool { return strings.Contains(name, " default/"+user+"/") }

var must = statetest.Must
