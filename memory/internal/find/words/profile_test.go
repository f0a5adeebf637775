package words

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
)

func TestProfile(t *testing.T) {
	t.Parallel()
	scope := func(replies int, reply string) *tables {
		x := New()
		for i := range 40 {
			d := Doc{ID: fmt.Sprint(i), Group: "s", Order: int64(i), Text: "kettle sofa"}
			if replies > 0 {
				d.Role = state.RoleUser
			}
			if i < replies {
				d.Role, d.Text = state.RoleAssistant, reply
			}
			x.Put(d)
		}
		return x.t
	}
	people := scope(0, "")
	for _, c := range []struct {
		name string
		t    *tables
		want profile
	}{
		{"nobody yet", New().t, New().t.people()},
		{"people", people, people.people()},
		{"an assistant that answers briefly", scope(20, "sofa lamp"), dialogue()},
		{"an assistant that answers at length", scope(20, strings.Repeat("sofa ", longReply)), essays()},
		{"between the two", scope(20, strings.Repeat("sofa ", (shortReply+longReply)/2)), blend(dialogue(), essays(), float64((shortReply+longReply)/2-shortReply)/(longReply-shortReply))},
	} {
		same(t, c.name, c.want, c.t.profile(), cmp.AllowUnexported(profile{}), cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }))
	}
}

// TestFactors checks each factor by two documents that differ in nothing else.
func TestFactors(t *testing.T) {
	t.Parallel()
	may := time.Date(2025, 5, 8, 9, 0, 0, 0, time.UTC)
	d := func(change func(*Doc)) Doc {
		x := Doc{Text: "kettle on the stove in the kitchen.", Group: "s1", At: may.AddDate(0, -2, 0)}
		change(&x)
		return x
	}
	plain := d(func(*Doc) {})
	for _, c := range []struct {
		name   string
		q      Query
		better Doc
		worse  Doc
	}{
		{"the speaker named", Query{Text: "what did Ann say of the kettle"}, d(func(x *Doc) { x.Speaker = "Ann" }), d(func(x *Doc) { x.Speaker = "Ben" })},
		{"telling, not asking", Query{Text: "kettle"}, plain, d(func(x *Doc) { x.Text = "kettle on the stove in the kitchen?" })},
		{"a time, asked for one", Query{Text: "when was the kettle on"}, d(func(x *Doc) { x.Text = "kettle on the stove yesterday." }), d(func(x *Doc) { x.Text = "kettle on the stove burning." })},
		{"a number, asked for one", Query{Text: "how much was the kettle"}, d(func(x *Doc) { x.Text = "kettle on the stove 40." }), d(func(x *Doc) { x.Text = "kettle on the stove burning." })},
		{"the month named", Query{Text: "kettle in May"}, d(func(x *Doc) { x.At = may }), plain},
		{"the day named", Query{Text: "kettle on 8 May 2025"}, d(func(x *Doc) { x.At = may }), d(func(x *Doc) { x.At = may.AddDate(0, 0, 9) })},
		{"new", Query{Text: "kettle", Now: may}, d(func(x *Doc) { x.At = may.Add(-time.Hour) }), plain},
		{"weight", Query{Text: "kettle"}, d(func(x *Doc) { x.Weight = 1.2 }), plain},
		{"a record before a message", Query{Text: "kettle", Around: true}, d(func(x *Doc) { x.Group = "" }), plain},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.better.ID, c.worse.ID = "z", "a"
			c.worse.Order, c.better.Order = 2, 1 // a tie would go the other way
			if c.worse.Group == c.better.Group {
				c.worse.Group = "s2"
			}
			x := fill(c.better, c.worse, Doc{ID: "another", Text: "something else"})
			hits := x.Search(c.q)
			if got := ids(hits); len(got) < 2 || got[0] != "z" || got[1] != "a" {
				t.Errorf("found %v; factors %+v and %+v", got, hits[0].Factors, hits[min(1, len(hits)-1)].Factors)
			}
		})
	}
}

func TestRoles(t *testing.T) {
	t.Parallel()
	x := fill(
		Doc{ID: "m1", Group: "s", Order: 1, Role: state.RoleUser, Text: "my kettle is red"},
		Doc{ID: "m2", Group: "s", Order: 2, Role: state.RoleAssistant, Text: "my kettle is red"},
	)
	if got := ids(x.Search(Query{Text: "red kettle"})); !cmp.Equal(got, []string{"m1", "m2"}) {
		t.Errorf("found %v, want the user's own words first", got)
	}
}

// TestNear checks what vectors add: documents without a word of the query, order, and a fair place for what they do not name.
func TestNear(t *testing.T) {
	t.Parallel()
	x := fill(
		Doc{ID: "word", Order: 1, Text: "kettle"}, Doc{ID: "word, far", Order: 2, Text: "kettle"}, Doc{ID: "near", Order: 3, Text: "sofa"},
		Doc{ID: "against", Order: 4, Text: "lamp"}, Doc{ID: "neither", Order: 5, Text: "curtain"},
	)
	near := map[string]float32{"word": .5, "word, far": .1, "near": .8, "against": -.4, "gone": 1, "neither": float32(math.NaN())}
	hits := x.Search(Query{Text: "kettle", Near: near})
	same(t, "hits", []string{"word", "word, far", "near", "neither", "against"}, ids(hits))
	if hits[2].Fields.Near != 1 || hits[3].Fields.Near != 0 {
		t.Errorf("the nearest has %v, what points the other way %v", hits[2].Fields.Near, hits[3].Fields.Near)
	}
	if got := ids(x.Search(Query{Text: "the", Near: near, Limit: 1})); !cmp.Equal(got, []string{"near"}) {
		t.Errorf("without words: %v", got)
	}
	delete(near, "word")
	delete(near, "neither")
	delete(near, "against") // .1 is below the mean: what was cut off counts as much
	if hits := x.Search(Query{Text: "kettle", Near: near}); hits[0].Fields.Near != hits[1].Fields.Near {
		t.Errorf("cut off: %+v", hits)
	}
	refuse := Query{Text: "kettle", Near: near, Keep: Filter{Doc: func(d *Doc) bool { return d.ID != "near" }}}
	if got := ids(x.Search(refuse)); !cmp.Equal(got, []string{"word, far", "word"}) {
		t.Errorf("refused: %v", got)
	}
}

// What was written a moment ago has no vector yet, and must not come behind its elders for that.
func TestALateVector(t *testing.T) {
	x := New()
	near := map[string]float32{}
	for n := range 8 {
		id := fmt.Sprint("locker", n)
		x.Put(Doc{ID: id, Order: int64(n), Text: fmt.Sprintf("Locker %d opens with a code.", n)})
		near[id] = .2
	}
	near["locker6"] = .9
	delete(near, "locker7")
	q := Query{Text: "what opens with a code", Near: near}
	if got := ids(x.Search(q))[0]; got == "locker7" {
		t.Fatal("this test proves nothing: it is first without being late")
	}
	q.Late = map[string]bool{"locker7": true}
	if got := ids(x.Search(q))[0]; got != "locker7" {
		t.Errorf("first is %s, want locker7", got)
	}
}

// A letter weighs as much as a question in all, so vectors and bonuses keep their part.
func TestALetterIsLookedUpByOwnWords(t *testing.T) {
	t.Parallel()
	sum := func(p profile) float64 { return p.fields.dot(Fields{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}) }
	for name, p := range map[string]profile{"dialogue": dialogue(), "essays": essays()} {
		if got := p.inPassing(shortQuery); got != p {
			t.Errorf("%s: a query of %d terms changes the profile to %+v", name, shortQuery, got)
		}
		got := p.inPassing(longQuery)
		if f := got.fields; f.Prev+f.Win+f.Session+f.Pair+got.user != 0 || math.Abs(sum(got)-sum(p)) > 1e-9 {
			t.Errorf("%s: a query of %d terms makes the profile %+v", name, longQuery, got)
		}
	}
}
