package spoken_test

import (
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
)

// What a German asks to be kept is never forgotten, and what he asks to be forgotten still may be.
func TestGermanKeeps(t *testing.T) {
	t.Parallel()
	for said, forgets := range map[string]bool{
		"30 Minuten, bitte merken.": false, "Bitte den Termin am 18. Januar merken.": false, "Bitte Datenschutz merken.": false, "Das bitte merken.": false,
		"Bitte auch merken.": false, "Ja, bitte merken.": false, "Bitte speichern.": false, "Bitte den Türcode merken.": false, "Bitte notieren: Zug um 9.": false,
		"Bitte merke dir, dass ich um 9 komme.": false, "Vergiss den Türcode.": true, "Bitte lösche alles über den Türcode.": true, "Das bitte nicht merken.": true, "Zapomeň na Merkur.": true,
		"Vergiss bitte nicht, dass ich in Köln wohne.": false, "Bitte nicht vergessen: am Freitag ist Elternabend.": false, "Vergiss nie, dass ich in Köln wohne.": false,
		"Hast du vergessen, wo ich wohne?": false, "Haben Sie das schon vergessen?": false, "Ich vergesse immer, wo der Schlüssel ist.": false, "Ich habe vergessen, dass heute Dienstag ist.": false,
		"Wie konntest du vergessen, dass ich in Köln wohne?": false, "Du vergisst immer alles.": false,
	} {
		if got := spoken.Find(said); got.Forgets() != forgets {
			t.Errorf("%q: %+v, want it to forget: %v", said, got, forgets)
		}
	}
}

// An order that says itself what is to be forgotten, or what to think of, is taken in German as in the other languages.
func TestGermanOrders(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]spoken.Command{
		"Vergiss, dass ich in Köln wohne.":                                {Action: spoken.ClearTopic, Object: "ich in Köln wohne"},
		"Vergiss bitte, dass meine Mutter Diabetes hat.":                  {Action: spoken.ClearTopic, Object: "meine Mutter Diabetes hat"},
		"bitte lösche, dass ich in Köln wohne":                            {Action: spoken.ClearTopic, Object: "ich in Köln wohne"},
		"Kannst du bitte vergessen, dass ich in Köln wohne?":              {Action: spoken.ClearTopic, Object: "ich in Köln wohne"},
		"Ich möchte, dass du vergisst, dass ich Angst vorm Fliegen habe.": {Action: spoken.ClearTopic, Object: "ich Angst vorm Fliegen habe"},
		"Lösch bitte, was du über meine Wohnung weißt.":                   {Action: spoken.ClearTopic, Object: "meine Wohnung"},
		"Bitte vergiss alles, was du von meinem Auto weißt":               {Action: spoken.ClearTopic, Object: "meinem Auto"},
		"Denk dran, dass der Hof um 22 Uhr zugesperrt wird.":              {Action: spoken.Remember, Object: "der Hof um 22 Uhr zugesperrt wird"},
		"Denke bitte daran, dass Oma nur Tee trinkt.":                     {Action: spoken.Remember, Object: "Oma nur Tee trinkt"},
		"Merk dir, dass ich dienstags nicht kann.":                        {Action: spoken.Remember, Object: "ich dienstags nicht kann"},
	} {
		if got := spoken.Find(said); got != want {
			t.Errorf("%q: %+v, want %+v", said, got, want)
		}
	}
}
