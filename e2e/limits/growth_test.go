package limits_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
)

// grownTime is how much longer what is done for a user may take when he has many times as much; the ceiling is twice that, for a machine
// with much else to do.
const grownTime = 1.3

// compare does something for a user who has little and one who has much by turns, so that what else the machine does slows both, and
// compares what it takes as a rule.
func compare(t *testing.T, what string, times int, do func(user string, i int)) {
	t.Helper()
	took := map[string][]time.Duration{}
	for i := range times {
		for _, user := range []string{"little", "much"} {
			began := time.Now()
			do(user, i)
			took[user] = append(took[user], time.Since(began))
		}
	}
	median := func(user string) time.Duration {
		slices.Sort(took[user])
		return took[user][times/2]
	}
	little, much := median("little"), median("much")
	ratio := float64(much) / float64(little)
	t.Logf("%s: %v with little, %v with much (x %.2f)", what, little, much, ratio)
	if ratio > 2*grownTime {
		t.Errorf("%s takes %v with little, %v with much: x %.2f, want x %.1f", what, little, much, ratio, grownTime)
	}
}

// TestATurnInANewSession compares a user of 50 sessions with one of many. It runs alone.
func TestATurnInANewSession(t *testing.T) {
	many := 300
	if long() {
		many = 1000
	}
	g := openWith(t, state.DefaultSettings())
	say := func(user string, i int) {
		text := fmt.Sprintf("The %s is %s near %s.", word(i), word(7*i), word(13*i))
		if _, err := g.Invoke(t.Context(), graph.Request{Scope: state.Scope{User: user, Session: fmt.Sprint("s", i)}, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range many {
		if i < 50 {
			say("little", i)
		}
		say("much", i)
	}
	compare(t, fmt.Sprintf("a turn in a new session, of 50 and %d", many), 40, func(user string, i int) { say(user, many+i) })
}

// TestAnAffairIsCreated compares a user of 50 affairs with one of many.
func TestAnAffairIsCreated(t *testing.T) {
	many := 600
	if long() {
		many = 3000
	}
	g := openWith(t, state.DefaultSettings())
	create := func(user string, i int) {
		title := fmt.Sprintf("%s %s of %s%s", word(i), word(7*i), word(i/1000+5), word(13*i))
		if _, err := g.Memory().Affairs().Create(t.Context(), state.Scope{User: user}, title, memory.AffairChange{}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range many {
		if i < 50 {
			create("little", i)
		}
		create("much", i)
	}
	compare(t, fmt.Sprintf("an affair, of 50 and %d", many), 60, func(user string, i int) { create(user, many+i) })
}

// TestManyRecords reopens a store with many records of a user, takes a turn, and forgets one of them.
func TestManyRecords(t *testing.T) {
	const ceiling = 5 // of a machine with much else to do, times what is wanted
	records, within := 5000, 500*time.Millisecond
	if long() {
		records, within = 50_000, time.Second
	}
	dir, scope := t.TempDir(), state.Scope{Session: "s"}
	open := func() *embedded.Graph {
		g, err := embedded.OpenConfig(t.Context(), dir, graph.Config{Settings: state.DefaultSettings()})
		must(t, err)
		return g
	}
	g := open()
	for i := 0; i < records; i += 100 {
		var changes []memory.Change
		for n := i; n < i+100; n++ {
			changes = append(changes, memory.Change{
				Subject: fmt.Sprintf("parcel %d", n), Content: fmt.Sprintf("Parcel %d with %s goes to person%d in %s on day %d.", n, word(7*n), n%97, word(n), n%365),
			})
		}
		if _, err := g.Memory().Write(t.Context(), scope, changes...); err != nil {
			t.Fatal(err)
		}
	}
	must(t, g.Close())

	g = open()
	defer g.Close()
	timed := func(what string, do func() error) {
		began := time.Now()
		err := do()
		took := time.Since(began)
		t.Logf("%s of %d records: %v", what, records, took)
		if err != nil || took > ceiling*within {
			t.Errorf("%s of %d records takes %v, want %v: %v", what, records, took, within, err)
		}
	}
	timed("the first turn", func() error {
		_, err := g.Invoke(t.Context(), graph.Request{Scope: scope, Text: "Where does parcel 4000 go?"})
		return err
	})
	timed("forgetting one", func() error {
		o, err := g.Memory().Forget().Erase(t.Context(), scope, forget.What{Topic: "parcel 3333"})
		if n := len(o.Erase); n != 1 {
			t.Errorf("%d documents are erased: %v", n, o.Erase)
		}
		return err
	})
	hits, err := g.Memory().Recall(t.Context(), memory.Query{Scope: scope, Text: "parcel 3333", Limit: 1})
	if err != nil || len(hits) == 1 && hits[0].Record != nil && hits[0].Record.Subject == "parcel 3333" {
		t.Errorf("what was forgotten is recalled: %v, %v", hits, err)
	}
}
