package bench

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/embed/hashed"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// embedDim is that of the small models people run beside a program.
const embedDim = 384

// open opens a memory over a folder; meant gives it an embedder. What it returns is closed in the order of closers.
func (r *run) open(ctx context.Context, dir string, meant bool) (m *memory.Memory, s *sqlite.Store, err error) {
	if s, err = sqlite.Open(ctx, sqlite.Config{Dir: dir}); err != nil {
		return nil, nil, err
	}
	c := memory.Config{Store: s, Now: r.c.Now, NewID: numbered(), Settings: state.DefaultSettings()}
	if meant {
		if c.Embedder, err = embedder(); err != nil {
			return nil, nil, closing(s, err)
		}
		c.Shelf = func(context.Context) (index.Shelf, error) { return local.New(local.Config{Store: s}) }
	}
	if m, err = memory.New(c); err != nil {
		return nil, nil, closing(s, err)
	}
	return m, s, nil
}

// embedder needs no model: it costs a few microseconds a text, as a static model does.
func embedder() (*embed.Embedder, error) {
	model, err := hashed.New(hashed.Config{Dim: embedDim})
	if err != nil {
		return nil, err
	}
	return embed.New(embed.Config{Model: model, Name: model.Name(), Dim: model.Dim()})
}

// bulk are documents to be written without asking of each whether it is there already.
type bulk struct {
	docs []store.Doc
	err  error // of the first value that is no document
}

func (b *bulk) put(c state.Collection, id string, value any) {
	body, err := bson.Marshal(value)
	if err != nil && b.err == nil {
		b.err = state.Errorf(state.Internal, string(c)+" "+id, "%w", err)
	}
	b.docs = append(b.docs, store.Doc{Collection: c, ID: id, Body: body})
}

func (b *bulk) write(ctx context.Context, s store.Store) error {
	const batch = 1000
	for docs := range slices.Chunk(b.docs, batch) {
		if b.err == nil {
			b.err = s.Write(ctx, docs...)
		}
	}
	return b.err
}

// fill writes records in bulk: as Memory.Write would, but without asking of each whether it is there already.
func fill(ctx context.Context, s store.Store, scope state.Scope, size int) error {
	const batch = 1000
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for from := 0; from < size; from += batch {
		docs := make([]store.Doc, 0, batch)
		for i := from; i < min(size, from+batch); i++ {
			c := note(i)
			record := state.Record{
				ID: "r" + strconv.Itoa(i), Client: scope.Client, User: scope.User, Agent: scope.Agent, Session: scope.Session, Kind: c.Kind,
				Subject: c.Subject, Content: c.Content, Trust: state.TrustUser, Importance: 5, RecordedAt: at.Add(time.Duration(i) * time.Minute),
			}
			record.ValidFrom = record.RecordedAt
			body, err := bson.Marshal(record)
			if err != nil {
				return state.Errorf(state.Internal, "record", "%w", err)
			}
			docs = append(docs, store.Doc{Collection: state.Records, ID: scope.Key(record.ID), Body: body})
		}

		if err := s.Write(ctx, docs...); err != nil {
			return err
		}
	}
	return nil
}

// note is record number i. Of its words some are in every record, some in one of a dozen, and the name is in few.
func note(i int) memory.Change {
	return memory.Change{
		Subject: fmt.Sprintf("parcel %d", i),
		Content: fmt.Sprintf("Parcel %d with %s goes to %s in %s on day %d.", i, topic(i), name(i), place(i/7), i%365),
		Kind:    state.FactRecord,
	}
}

// question returns the i-th question for one of size records; no two of the first four thousand are the same, so that no answer
// was kept from before.
func question(i, size int) string {
	n := i * 7919 % size
	return fmt.Sprintf("%s for %s in %s", topic(n), name(i), place(n/7))
}

// said is message number i of a conversation.
func said(i int) state.Message {
	role := state.RoleUser
	if i%2 == 1 {
		role = state.RoleAssistant
	}
	return state.Message{Role: role, Text: fmt.Sprintf("I asked %s about the %s, and the answer was that the van to %s leaves on day %d with %d of them.",
		name(i), topic(i), place(i/3), i%365, i%90)}
}

func topic(i int) string {
	words := []string{"bearings", "brake pads", "cables", "filters", "gaskets", "hoses", "lamps", "pumps", "sensors", "valves", "wipers"}
	return words[i%len(words)]
}

func place(i int) string {
	words := []string{"Antwerp", "Brno", "Cork", "Dresden", "Elche", "Faro", "Gdansk", "Hull", "Izmir", "Jena", "Kaunas", "Lyon", "Malmo"}
	return words[i%len(words)]
}

// name returns one of 4096 names.
func name(i int) string {
	first := []string{"Ba", "Ce", "Di", "Fo", "Gu", "Ha", "Je", "Ki", "Lo", "Mu", "Na", "Pe", "Ri", "So", "Tu", "Va"}
	middle := []string{"bra", "cle", "dri", "fro", "gru", "hla", "jne", "kli", "lmo", "mru", "nta", "pre", "rdi", "sto", "tru", "vla"}
	last := []string{"ban", "cek", "dil", "fom", "gun", "har", "jes", "kit", "lov", "muz", "nak", "pel", "rim", "son", "tun", "var"}
	return first[i%16] + middle[i/16%16] + last[i/256%16]
}
