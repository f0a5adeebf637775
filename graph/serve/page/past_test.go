package page_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// A past of years stays usable: 10,000 turns in one session and 5,000 records are read, scrolled and searched in the browser.
func TestALongPast(t *testing.T) {
	if os.Getenv("MNEME_LONG") == "" {
		t.Skip("takes minutes; MNEME_LONG=1 runs it")
	}
	st := ram.New()
	remember(t, st, 5000)
	g, at, key := serveWith(t, st, offline.New())
	began := time.Now()
	talk(t, g, 9800, 200)
	t.Logf("the past was made in %v", time.Since(began).Round(time.Millisecond))
	browse(t, "load", at, key)
}

// remember writes records in bulk: as Memory.Write would, but without asking of each whether it is there already.
func remember(t *testing.T, st store.Store, size int) {
	t.Helper()
	scope := state.Scope{Client: "default", User: "default", Session: "long"}.Default()
	at := time.Now().Add(-time.Duration(size) * time.Hour).UTC().Truncate(time.Millisecond)
	for from := 0; from < size; from += 1000 {
		var docs []store.Doc
		for i := from; i < min(size, from+1000); i++ {
			r := state.Record{
				ID: "r" + strconv.Itoa(i), Client: scope.Client, User: scope.User, Agent: scope.Agent, Session: scope.Session, Kind: state.FactRecord, Subject: fmt.Sprintf("parcel %d", i),
				Content: fmt.Sprintf("Parcel %d goes to %s on day %d.", i, places[i%len(places)], i%365), Trust: state.TrustUser, Importance: 5, RecordedAt: at.Add(time.Duration(i) * time.Hour),
			}
			r.ValidFrom = r.RecordedAt
			body, err := bson.Marshal(r)
			must(t, err)
			docs = append(docs, store.Doc{Collection: state.Records, ID: scope.Key(r.ID), Body: body})
		}
		must(t, st.Write(t.Context(), docs...))
	}
}

var places = []string{"Antwerp", "Brno", "Cork", "Dresden", "Elche", "Faro", "Gdansk", "Hull", "Izmir", "Jena", "Kaunas", "Lyon", "Malmo"}

// talk takes in what was said in many turns, and has some more of them now, which have a log.
func talk(t *testing.T, g *graph.Graph, before, now int) {
	t.Helper()
	scope := state.Scope{Client: "default", Session: "long"}
	const batch = 100
	for from := 0; from < before; from += batch {
		var said []state.Message
		for i := from; i < from+batch; i++ {
			id, place := fmt.Sprintf("turn-%d", i), places[i%len(places)]
			said = append(said,
				state.Message{ID: id, Turn: id, Role: state.RoleUser, Text: fmt.Sprintf("When does parcel %d leave for %s?", i, place)},
				state.Message{ID: id + "-a", Turn: id, Role: state.RoleAssistant, Text: fmt.Sprintf("Parcel %d leaves for **%s** on day %d.\n\n- by van\n- with %d others", i, place, i%365, i%90)})
		}
		must(t, g.Memory().Turn().Ingest(t.Context(), scope, said...))
	}
	for i := range now {
		_, err := g.Invoke(t.Context(), graph.Request{Scope: scope, Text: fmt.Sprintf("Parcel %d for %s has come.", before+i, places[i%len(places)])})
		must(t, err)
	}
}
