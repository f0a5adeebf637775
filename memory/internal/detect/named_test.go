package detect

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// TestNamed counts what becomes of messages that name outright what they are about ("let's talk about ..."), half of which go to another matter, and half on
// with the one that is talked about, a quarter without a word of it. Written by a hand that saw neither rules nor data.
func TestNamed(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/named/named.jsonl")
	must(t, err)
	defer func() { _ = file.Close() }()
	d := New(Config{})
	left, stayed, asked := map[bool]int{}, map[bool]int{}, map[bool]int{}
	for in := bufio.NewScanner(file); in.Scan(); {
		var l struct {
			Lang, Message string
			Before        []string
			Leaves        bool
		}
		must(t, json.Unmarshal(in.Bytes(), &l))
		h := NewHistory()
		for _, text := range l.Before {
			h.Add(Message{state.RoleUser, text, "a1"})
			h.SetCurrent("a1")
			h.Add(Message{state.RoleAssistant, "OK.", "a1"})
		}
		r := d.Classify(h, l.Message)
		if r.Unsure {
			asked[l.Leaves]++
		}
		if r.Decision.Kind == state.Continue {
			stayed[l.Leaves]++
		} else {
			left[l.Leaves]++
		}
	}
	t.Logf("going elsewhere: %d of %d seen, %d asked; staying: %d of %d seen, %d asked", left[true], left[true]+stayed[true], asked[true], stayed[false], left[false]+stayed[false], asked[false])
	if left[true] < 48 || stayed[false] < 64 || asked[true] < 64 { // 35, 71 and 52 before such phrases were known
		t.Error("fewer than before")
	}
}
