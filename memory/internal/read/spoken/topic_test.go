package spoken_test

import (
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
)

// What somebody has said about a thing is that thing, wherever the verb stands, and not what was said last; without a thing it is that. A statement that
// somebody has told something stays what it is.
func TestTopicOfWhatWasSaid(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]spoken.Command{
		"Vergiss, was ich über Frau Huber gesagt habe.":              {Action: spoken.ClearTopic, Object: "Frau Huber"},
		"Vergiss bitte, was ich vorhin von Herrn Klein erzählt hab.": {Action: spoken.ClearTopic, Object: "Herrn Klein"},
		"Bitte vergiss alles, was ich über mein Auto gesagt habe.":   {Action: spoken.ClearTopic, Object: "mein Auto"},
		"Vergiss, was ich gerade gesagt habe.":                       {Action: spoken.ForgetLast},
		"Vergiss, dass Anna mir von der Kündigung erzählt hat.":      {Action: spoken.ClearTopic, Object: "Anna mir von der Kündigung erzählt hat"},
		"Was habe ich über Frau Huber gesagt?":                       {Action: spoken.AboutTopic, Object: "Frau Huber"},
		"Zapomeň, co jsem říkala o paní Huberové.":                   {Action: spoken.ClearTopic, Object: "paní Huberové"},
		"Zapomeň, co jsem ti řekl o Novotném.":                       {Action: spoken.ClearTopic, Object: "Novotném"},
		"Zapomeň, co jsem říkala.":                                   {Action: spoken.ForgetLast},
		"Zapomnij, co mówiłem o pani Huber.":                         {Action: spoken.ClearTopic, Object: "pani Huber"},
		"Forget what I said about Mrs Huber.":                        {Action: spoken.ClearTopic, Object: "Mrs Huber"},
		"Forget that she told me about the party.":                   {Action: spoken.ClearTopic, Object: "she told me about the party"},
		"Forget what I just said.":                                   {Action: spoken.ForgetLast},
	} {
		if got := spoken.Find(said); got != want {
			t.Errorf("%q: %+v, want %+v", said, got, want)
		}
	}
}
