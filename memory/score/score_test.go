package score

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
)

func TestBadDataNamesTheLine(t *testing.T) {
	t.Parallel()
	good := `{"conversation":"c","id":"m1","role":"user","text":"hi","gold":{"type":"NEW_AFFAIR","affair":"a1"}}` + "\n"
	for name, x := range map[string]struct{ data, want string }{
		"not json":            {good + "{", "line 2"},
		"no conversation":     {`{"role":"user","text":"x"}`, `"conversation"`},
		"unknown role":        {good + "\n" + `{"conversation":"c","role":"robot"}`, "line 3"},
		"no gold":             {`{"conversation":"c","role":"user","text":"x"}`, `needs "gold"`},
		"unknown type":        {`{"conversation":"c","role":"user","gold":{"type":"JUMP","affair":"a"}}`, "must be CONTINUE"},
		"switch to nothing":   {`{"conversation":"c","role":"user","gold":{"type":"SWITCH"}}`, `needs an "affair"`},
		"only first messages": {good, "nothing to score"},
		"empty":               {"", "nothing to score"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Evaluate(t.Context(), strings.NewReader(x.data), Options{})
			if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), x.want) {
				t.Errorf("got error %v, want invalid with %q", err, x.want)
			}
		})
	}
}

// outcomes feeds a tally with gold and answer per message: C, S2 (switch to a2), A2, N.
func outcomes(t *testing.T, tally *tally, gold, said string) {
	t.Helper()
	parse := func(s string) Gold {
		kinds := map[byte]state.Kind{'C': state.Continue, 'S': state.Switch, 'A': state.AdHoc, 'N': state.NewAffair}
		g := Gold{Type: kinds[s[0]]}
		if len(s) > 1 {
			g.Affair = "a" + s[1:]
		}
		return g
	}
	g, s := strings.Fields(gold), strings.Fields(said)
	tally.open()
	for i := range g {
		tally.count(parse(g[i]), parse(s[i]))
	}
	tally.close()
}

func TestFiguresByHand(t *testing.T) {
	t.Parallel()
	var x tally
	outcomes(t, &x, "C1 N2 C2 S1 C1 A2 C1", "C1 N C2 C2 S2 A2 N")
	got := x.figures()
	if got.N != 7 || math.Abs(got.Accuracy-4.0/7) > 1e-9 || math.Abs(got.RightAffair-4.0/7) > 1e-9 {
		t.Errorf("n %d accuracy %v right %v, want 7, 4/7, 4/7", got.N, got.Accuracy, got.RightAffair)
	}
	if math.Abs(got.FalsePark-2.0/5) > 1e-9 {
		t.Errorf("false park %v, want 2/5: two of four CONTINUE and one AD_HOC", got.FalsePark)
	}
	want := map[state.Kind]PRF{
		state.Continue:  {2.0 / 3, 0.5, 4.0 / 7},
		state.Switch:    {0, 0, 0},
		state.AdHoc:     {1, 1, 1},
		state.NewAffair: {0.5, 1, 2.0 / 3},
	}
	if diff := cmp.Diff(want, got.Types); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
	if math.Abs(got.Boundary.F1-0.4) > 1e-9 {
		t.Errorf("boundary F1 %v, want 0.4: one of two changes found, three said", got.Boundary.F1)
	}
}

func TestPkAndWindowDiff(t *testing.T) {
	t.Parallel()
	// Eight messages, two segments of four: k = round(8/2/2) = 2, six windows.
	for name, x := range map[string]struct {
		said   string
		pk, wd float64
	}{
		"perfect":      {"C C C N C C C", 0, 0},
		"none found":   {"C C C C C C C", 2.0 / 6, 2.0 / 6},
		"one too late": {"C C C C N C C", 2.0 / 6, 2.0 / 6},
		"all cut":      {"N N N N N N N", 4.0 / 6, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var y tally
			outcomes(t, &y, "C C C N C C C", x.said)
			b := y.figures().Boundary
			if math.Abs(b.Pk-x.pk) > 1e-9 || math.Abs(b.WindowDiff-x.wd) > 1e-9 {
				t.Errorf("Pk %v WindowDiff %v, want %v and %v", b.Pk, b.WindowDiff, x.pk, x.wd)
			}
		})
	}
}

func TestRightAffair(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		gold, said Gold
		want       bool
	}{
		{Gold{state.NewAffair, "a3"}, Gold{state.NewAffair, ""}, true},
		{Gold{state.NewAffair, "a3"}, Gold{state.Switch, "a3"}, false},
		{Gold{state.Switch, "a1"}, Gold{state.Switch, "a1"}, true},
		{Gold{state.Switch, "a1"}, Gold{state.Switch, "a2"}, false},
		{Gold{state.Switch, "a1"}, Gold{state.NewAffair, ""}, false},
		{Gold{state.Continue, ""}, Gold{state.Continue, "a1"}, true},
		{Gold{state.Continue, ""}, Gold{state.AdHoc, ""}, false},
		{Gold{state.AdHoc, ""}, Gold{state.AdHoc, ""}, true},
		{Gold{state.AdHoc, ""}, Gold{state.Continue, "a1"}, false},
	} {
		if got := rightAffair(x.gold, x.said); got != x.want {
			t.Errorf("gold %v, said %v: right %v, want %v", x.gold, x.said, got, x.want)
		}
	}
}

func heldOut(t *testing.T) []byte {
	t.Helper()
	raw, err := os.ReadFile("../internal/detect/testdata/held.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestHeldOut holds the line on conversations the weights were not fitted on, in four languages.
func TestHeldOut(t *testing.T) {
	t.Parallel()
	for lang, least := range map[string]float64{"cs": 0.88, "pl": 0.78, "ru": 0.72, "en": 0.74} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			var data bytes.Buffer
			for line := range bytes.Lines(heldOut(t)) {
				if bytes.Contains(line, []byte(`"conversation": "`+lang)) {
					data.Write(line)
				}
			}
			f, err := Evaluate(t.Context(), &data, Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("argmax right %.3f accuracy %.3f, threshold right %.3f false park %.3f, %v", f.Argmax.RightAffair, f.Argmax.Accuracy, f.RightAffair, f.FalsePark, f.Argmax.Types)
			if f.Argmax.RightAffair < least {
				t.Errorf("right affair %.3f, want at least %.3f", f.Argmax.RightAffair, least)
			}
			if f.FalsePark > 0.08 { // three of 45 messages
				t.Errorf("false park %.3f, want at most 0.08", f.FalsePark)
			}
		})
	}
}

func TestHeldOutFalseParksOverall(t *testing.T) {
	t.Parallel()
	f, err := Evaluate(t.Context(), bytes.NewReader(heldOut(t)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("n %d, argmax right %.3f, threshold right %.3f false park %.3f", f.N, f.Argmax.RightAffair, f.RightAffair, f.FalsePark)
	if f.FalsePark > 0.045 {
		t.Errorf("false park %.3f in all languages, want at most 0.045", f.FalsePark)
	}
}

func TestPredictionsScoreTheSame(t *testing.T) {
	t.Parallel()
	raw := heldOut(t)
	var out bytes.Buffer
	tick := time.Unix(0, 0)
	now := func() time.Time { tick = tick.Add(time.Millisecond); return tick }
	f, err := Evaluate(t.Context(), bytes.NewReader(raw), Options{Predictions: &out, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if f.P50MS != 1 {
		t.Errorf("p50_ms %v, want 1 by the test clock", f.P50MS)
	}
	said := map[string]Gold{}
	for line := range bytes.Lines(out.Bytes()) {
		var p struct {
			ID     string     `json:"id"`
			Type   state.Kind `json:"type"`
			Affair string     `json:"affair"`
		}
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		said[p.ID] = Gold{p.Type, p.Affair}
	}
	conversations, err := Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var again tally
	for _, c := range conversations {
		again.open()
		first := true
		for _, l := range c {
			if l.Gold != nil && !first {
				again.count(*l.Gold, said[l.ID])
			}
			first = first && l.Gold == nil
		}
		again.close()
	}
	if diff := cmp.Diff(f.Set, again.figures()); diff != "" {
		t.Errorf("figures from the predictions differ (-evaluate +again):\n%s", diff)
	}
}

func TestJSONHasTheFormatsKeys(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(Figures{Set: Set{Types: map[state.Kind]PRF{state.Switch: {}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{`"n":`, `"accuracy":`, `"right_affair":`, `"types":{"SWITCH":{"precision":`, `"false_park":`, `"boundary":{"f1":`, `"pk":`, `"windowdiff":`, `"argmax":{"n":`, `"p50_ms":`} {
		if !bytes.Contains(raw, []byte(key)) {
			t.Errorf("%s misses %s", raw, key)
		}
	}
}

func TestWithoutAdHocInGoldItCountsAsSwitch(t *testing.T) {
	t.Parallel()
	data := `{"conversation":"c","id":"1","role":"user","text":"I ordered a phone case, order 4471-22.","gold":{"type":"NEW_AFFAIR","affair":"a1"}}
{"conversation":"c","id":"2","role":"assistant","text":"Noted."}
{"conversation":"c","id":"3","role":"user","text":"Something else now: I need a dentist for my aching tooth.","gold":{"type":"NEW_AFFAIR","affair":"a2"}}
{"conversation":"c","id":"4","role":"assistant","text":"Two are free tomorrow."}
{"conversation":"c","id":"5","role":"user","text":"By the way, when will the phone case from order 4471-22 arrive?","gold":{"type":"SWITCH","affair":"a1"}}
`
	var out bytes.Buffer
	f, err := Evaluate(t.Context(), strings.NewReader(data), Options{Predictions: &out})
	if err != nil {
		t.Fatal(err)
	}
	if f.RightAffair != 1 || strings.Contains(out.String(), "AD_HOC") {
		t.Errorf("right %v, want 1 and no AD_HOC in the predictions:\n%s", f.RightAffair, out.String())
	}
	free, err := Evaluate(t.Context(), strings.NewReader(data), Options{Free: true})
	if err != nil {
		t.Fatal(err)
	}
	if free.N != 2 || free.RightAffair != 1 {
		t.Errorf("free run: n %d right %v, want 2 and 1", free.N, free.RightAffair)
	}
}

func FuzzEvaluate(f *testing.F) {
	f.Add([]byte(`{"conversation":"c","id":"m1","role":"user","text":"hi","gold":{"type":"AD_HOC"}}`))
	f.Add([]byte("{\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, free := range []bool{false, true} {
			if _, err := Evaluate(t.Context(), bytes.NewReader(raw), Options{Free: free}); err != nil && state.CodeOf(err) != state.Invalid {
				t.Errorf("error %v is not invalid", err)
			}
		}
	})
}

// An affair of before is there when the conversation begins, whose first message is judged then; the one that is active may stand anywhere among them.
func TestAffairsOfBefore(t *testing.T) {
	t.Parallel()
	roof := `{"op":"affair","conversation":"c","id":"a1","status":"PARKED","at":"2026-03-01T10:00:00Z","messages":[{"role":"user","text":"The roof of the cottage leaks, the roofer wants 4,200 euros."},{"role":"assistant","text":"Noted."}]}`
	trip := `{"op":"affair","conversation":"c","id":"a2","status":"ACTIVE","at":"2026-03-02T10:00:00Z","messages":[{"role":"user","text":"We fly to Crete on 5 June, four of us."},{"role":"assistant","text":"Shall I look for a hotel?"}]}`
	say := `{"conversation":"c","id":"m1","role":"user","at":"2026-03-06T08:00:00Z","text":%q,"gold":{"type":%q,"affair":%q}}`
	for name, lines := range map[string][]string{
		"parked and active": {roof, trip, fmt.Sprintf(say, "The roofer can only come on Monday, the roof leaks on.", "SWITCH", "a1")},
		"active first":      {trip, roof, fmt.Sprintf(say, "In Crete a car would be good, what does one cost in June?", "CONTINUE", "a2")},
		"nothing active":    {roof, fmt.Sprintf(say, "I am looking for a present for my nephew, he likes dinosaurs.", "NEW_AFFAIR", "a3")},
	} {
		f, err := Evaluate(t.Context(), strings.NewReader(strings.Join(lines, "\n")), Options{})
		if err != nil || f.N != 1 || f.RightAffair != 1 {
			t.Errorf("%s: %d judged, right %v, %v", name, f.N, f.RightAffair, err)
		}
	}
	for _, bad := range []string{
		strings.Replace(roof, "PARKED", "RESOLVED", 1), strings.Replace(roof, `"affair"`, `"matter"`, 1), strings.Replace(roof, `"a1"`, `""`, 1),
		`{"op":"affair","conversation":"c","id":"a1","status":"PARKED"}`, strings.Replace(roof, "assistant", "tool", 1),
	} {
		if _, err := Evaluate(t.Context(), strings.NewReader(bad), Options{}); !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%.60s: %v, want Invalid with the line", bad, err)
		}
	}
}
