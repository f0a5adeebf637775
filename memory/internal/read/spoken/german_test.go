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
	} {
		if got := spoken.Find(said); got.Forgets() != forgets {
			t.Errorf("%q: %+v, want it to forget: %v", said, got, forgets)
		}
	}
}
