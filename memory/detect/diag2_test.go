package detect

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestErrors(t *testing.T) {
	if *dataFlag == "" {
		t.Skip()
	}
	in := readConversations(t, filepath.Join(*dataFlag, "superdialseg-validation-interleaved.jsonl"), 1)
	dev := readConversations(t, "testdata/dev.jsonl", ownWeight)
	d := &Detector{threshold: 0.7, weights: train(append(in, dev...), trainOptions{l2: 0.0005, rounds: 300}), cues: loadCues()}
	set := dev
	if os.Getenv("SET") != "" {
		set = readConversations(t, os.Getenv("SET"), 1)
	}
	for _, c := range set {
		walk(c, func(h *History, l labelled) {
			r := d.Classify(h, l.Text)
			if r.Best.Kind != l.Gold.Type || r.Best.AffairID != l.Gold.Affair && r.Best.Kind != "NEW_AFFAIR" {
				fmt.Printf("%s gold %s %s got %s %s C%.2f S%.2f A%.2f N%.2f | %s | %s\n", l.Conversation, l.Gold.Type, l.Gold.Affair, r.Best.Kind, r.Best.AffairID, r.Probabilities["CONTINUE"], r.Probabilities["SWITCH"], r.Probabilities["AD_HOC"], r.Probabilities["NEW_AFFAIR"], l.Text, r.Best.Reasoning)
			}
		})
	}
}
