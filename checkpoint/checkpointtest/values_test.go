package checkpointtest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// extra is a value of everything that is easily lost.
type extra struct {
	Text   string             `bson:"text"`
	Bytes  []byte             `bson:"bytes"`
	Int    int64              `bson:"int"`
	Ints   []int64            `bson:"ints"`
	Float  float64            `bson:"float"`
	At     time.Time          `bson:"at"`
	Maybe  *string            `bson:"maybe"`
	Names  map[string]string  `bson:"names"`
	Deep   map[string]extra   `bson:"deep"`
	Nested *nested            `bson:"nested"`
	Floats map[string]float64 `bson:"floats"`
}

// nested goes down.
type nested struct {
	Down *nested `bson:"down"`
	Leaf string  `bson:"leaf"`
}

func valueCases() []check {
	return []check{
		{"bytes of all kinds", valueBytes},
		{"absent is not empty", valueAbsent},
		{"NaN, both zeros, infinities and subnormals bit by bit", valueFloats},
		{"integers beyond 2^53", valueIntegers},
		{"instants of any time zone, to the millisecond", valueTimes},
		{"text of any script, with zero bytes", valueText},
		{"invalid UTF-8 is kept or refused", valueInvalidText},
		{"keys with dots, dollars and nothing in them", valueKeys},
		{"deep nesting is kept or refused", valueDeep},
		{"a value of 17 MB is kept or refused", valueHuge},
		{"many values that are 17 MB together are kept or refused", valueMany},
		{"what cannot be stored is refused and harms nothing", valueImpossible},
		{"what is changed after the commit is not changed in the store", valueAliasing},
	}
}

// survives stores a value as the only step of a turn, folded with others, and in a snapshot, and compares it each time.
func (b *bench) survives(name string, want extra) {
	b.Helper()
	if err := b.keeps(name, want); err != nil {
		b.Errorf("%s: %v", name, err)
	}
}

// keeps stores a value. It must come back as it was or be refused with a typed error.
func (b *bench) keeps(name string, want extra) error {
	b.Helper()
	g := b.graph(plan{nodes: "a b", flow: flow.Config[story]{SnapshotEvery: 2}})
	th := b.thread(name)
	if _, err := g.Invoke(b.Context(), th, "t1", story{Extra: field.Of(want)}); err != nil {
		return err
	}
	for _, turn := range []string{"t2", "t3"} {
		b.wantExtra(name, want, b.state(b.graph(plan{}), th, 0).State.Extra.Get())
		if _, err := g.Invoke(b.Context(), th, turn, story{}); err != nil {
			return err
		}
	}
	b.wantExtra(name+" in a snapshot", want, b.state(b.graph(plan{}), th, 0).State.Extra.Get())
	b.wantExtra(name+" in the first step", want, b.state(b.graph(plan{}), th, 1).State.Extra.Get())
	return nil
}

func (b *bench) wantExtra(what string, want, got extra) {
	b.Helper()
	bits := cmp.Comparer(func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
	instants := cmp.Comparer(func(x, y time.Time) bool { return x.Truncate(time.Millisecond).Equal(y.Truncate(time.Millisecond)) })
	if len(want.Text)+len(want.Bytes) > 1<<16 {
		if want.Text != got.Text || !bytes.Equal(want.Bytes, got.Bytes) {
			b.Errorf("%s came back changed", what)
		}
		return
	}
	if diff := cmp.Diff(want, got, bits, instants); diff != "" {
		b.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// refusal accepts success or a typed error after which the thread is as it was and can be used.
func (b *bench) refusal(name string, want extra) {
	b.Helper()
	err := b.keeps(name, want)
	if err == nil {
		return
	}
	if code := state.CodeOf(err); code != state.Invalid && code != state.Internal && code != state.Unavailable {
		b.Errorf("%s is refused as %s: %v", name, code, err)
	}
	b.later()
	g := b.graph(plan{})
	th := b.thread(name)
	if open, _ := g.Unfinished(b.Context(), th); open {
		b.wantErr("Cancel", g.Cancel(b.Context(), th), nil)
	}
	b.turns(g, th, "after")
	b.want("the turn after", "after", b.state(g, th, 0).State.Note.Get())
}

func valueBytes(b *bench) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	b.survives("all", extra{Bytes: all})
	b.survives("zeros", extra{Bytes: make([]byte, 100)})
}

func valueAbsent(b *bench) {
	empty := ""
	b.survives("absent", extra{})
	b.survives("empty", extra{Bytes: []byte{}, Ints: []int64{}, Maybe: &empty, Names: map[string]string{}, Deep: map[string]extra{}, Nested: &nested{}})
}

func valueFloats(b *bench) {
	b.survives("floats", extra{Float: math.Copysign(0, -1), Floats: map[string]float64{
		"nan": math.NaN(), "payload": math.Float64frombits(0x7ff8000000000123), "zero": 0, "minus": math.Copysign(0, -1), "inf": math.Inf(1), "-inf": math.Inf(-1),
		"least": math.SmallestNonzeroFloat64, "most": math.MaxFloat64, "third": 1.0 / 3,
	}})
}

func valueIntegers(b *bench) {
	b.survives("integers", extra{Int: math.MinInt64, Ints: []int64{0, -1, 1<<53 + 1, -(1<<53 + 1), math.MaxInt64, math.MinInt64, math.MaxInt32 + 1}})
}

func valueTimes(b *bench) {
	for i, at := range []time.Time{
		{}, time.Unix(0, 0), time.Date(2026, 3, 29, 2, 30, 0, 123456789, time.FixedZone("CET", 3600)),
		time.Date(1883, 11, 18, 12, 0, 0, 0, time.FixedZone("LMT", -17762)), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC),
		time.Date(1, 1, 1, 0, 0, 0, 1e6, time.UTC),
	} {
		b.survives(fmt.Sprint("time", i), extra{At: at})
	}
}

func valueText(b *bench) {
	for i, s := range []string{"řeka 🚗", "a\x00b", "\u202eright to left", "e\u0301", "\U0010FFFF", "{\"$ne\":\"\"}", "\r\n\t", strings.Repeat("x", 1<<16)} {
		b.survives(fmt.Sprint("text", i), extra{Text: s, Names: map[string]string{"k": s}})
	}
}

func valueInvalidText(b *bench) {
	for i, s := range []string{"\xff", "a\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80"} {
		b.refusal(fmt.Sprint("text", i), extra{Text: s})
	}
}

func valueKeys(b *bench) {
	b.survives("keys", extra{Names: map[string]string{
		"a.b": "1", "$set": "2", "": "3", ".": "4", "$": "5", "a.b.c": "6", "_id": "7", "řeka": "8", "a b": "9", "0": "10", "__proto__": "11",
	}})
}

func valueDeep(b *bench) {
	for _, depth := range []int{20, 60, 150} {
		n := &nested{Leaf: "deep"}
		for range depth {
			n = &nested{Down: n}
		}
		b.refusal(fmt.Sprint("deep", depth), extra{Nested: n})
	}
}

// noise is text that does not compress to nothing.
func noise(n int) string {
	raw := make([]byte, n/2)
	_, _ = rand.NewChaCha8([32]byte{}).Read(raw) // it never fails
	return hex.EncodeToString(raw)
}

func valueHuge(b *bench) {
	if testing.Short() {
		b.Skip("takes a second and some hundred MB")
	}
	b.refusal("huge", extra{Text: noise(17 << 20)})
}

func valueMany(b *bench) {
	if testing.Short() {
		b.Skip("takes a second and some hundred MB")
	}
	g, th := b.graph(plan{nodes: "a", write: func(s *story, _ string) { s.Words.Add(noise(1 << 20)) }}), b.thread("x")
	for i := range 17 {
		b.turns(g, th, fmt.Sprint("t", i))
	}
	if got := b.state(b.graph(plan{}), th, 0).State.Words.Len(); got != 17 {
		b.Errorf("%d words, want 17", got)
	}
	b.prune(g, th, 1)
	if got := b.state(b.graph(plan{}), th, 0).State.Words.Len(); got != 17 {
		b.Errorf("%d words after a prune, want 17", got)
	}
}

// stray is a state with a field that cannot be stored.
type stray struct {
	Words field.Append[string]
	Func  field.Last[func()]
}

// Fields lists the fields.
func (s *stray) Fields() []field.Named {
	return []field.Named{{Name: "words", Field: &s.Words}, {Name: "func", Field: &s.Func}}
}

func valueImpossible(b *bench) {
	th := b.thread("x")
	g := flow.NewBuilder[stray]("stray")
	g.AddNode(flow.Node[stray]{Name: "a", Run: strayNode(false)})
	g.AddNode(flow.Node[stray]{Name: "b", Run: strayNode(true)})
	g.AddEdge(flow.Start, "a")
	g.AddEdge("a", "b")
	g.AddEdge("b", flow.End)
	c, err := g.Compile(b.Context(), flow.Config[stray]{Log: b.log(b.config(b.store))})
	if err != nil {
		b.Fatal(err)
	}
	_, err = c.Invoke(b.Context(), th, "t1", stray{})
	b.wantErr("Invoke", err, state.ErrInternal)
	s, err := c.State(b.Context(), th, 0)
	b.wantErr("State", err, nil)
	b.want("words", []string{"word"}, s.State.Words.Items())
	b.want("next", []string{"b"}, s.Next)
}

func valueAliasing(b *bench) {
	th := b.thread("x")
	kept := &extra{Bytes: []byte("before"), Names: map[string]string{"k": "before"}, Ints: []int64{1}}
	want := extra{Bytes: []byte("before"), Names: map[string]string{"k": "before"}, Ints: []int64{1}}
	l := b.log(b.config(b.store))
	g := b.graph(plan{over: l, nodes: "a b", write: func(s *story, n string) {
		if n == "a" {
			s.Extra.Set(*kept)
			return
		}
		kept.Bytes[0], kept.Names["k"], kept.Ints[0] = 'X', "after", 9 // a's commit is done
	}})
	b.turns(g, th, "t1")
	b.want("stored", want, b.state(b.graph(plan{}), th, 0).State.Extra.Get())

	got, err := l.Steps(b.Context(), th, 1)
	b.wantErr("Steps", err, nil)
	for _, s := range got {
		for _, p := range s.Parts {
			clear(p.Fields)
		}
	}
	b.want("after a reader scribbled over what it got", want, b.state(b.graph(plan{}), th, 0).State.Extra.Get())
	b.want("steps", 2, len(b.history(g, th, checkpoint.Which{})))
}
