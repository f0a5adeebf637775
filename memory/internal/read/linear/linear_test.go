package linear

import (
	"bytes"
	"testing"

	"github.com/mneme-graph/mneme/state/statetest"
)

// lessons are about two outcomes, each of which has a sign of its own.
func lessons() (all []Lesson) {
	for i := range 40 {
		var s Signs
		s.Add('w', "both")
		s.Add('w', []string{"left", "right"}[i%2])
		all = append(all, Lesson{s, []float64{float64(1 - i%2), float64(i % 2)}})
	}
	return all
}

func TestFit(t *testing.T) {
	t.Parallel()
	m := Course{Counted, Softmax, 20, 2}.Fit(lessons())
	if m.Known() > 3 {
		t.Errorf("%d signs, want at most three", m.Known())
	}
	var b bytes.Buffer
	must(t, m.Write(&b))
	read, err := Read(b.Bytes())
	must(t, err)
	for i, w := range []string{"left", "right"} {
		var s Signs
		s.Add('w', w)
		s.Add('w', "never seen")
		p := read.Sum(s, Counted)
		if Softmax(p); p[i] < .9 {
			t.Errorf("%s: %v", w, p)
		}
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	must(f, (Course{Counted, Softmax, 1, 2}).Fit(lessons()).Write(&b))
	f.Add(b.Bytes())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if m, err := Read(raw); (m == nil) == (err == nil) {
			t.Errorf("model %v, error %v", m, err)
		}
	})
}

var must = statetest.Must
