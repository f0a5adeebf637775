package affair_test

import (
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

func TestDocument(t *testing.T) {
	t.Parallel()
	a := state.Affair{
		Title: "Díl na jeep", Status: state.Parked, Summary: "Objednán díl.\nČeká se.\n",
		KeyFacts:       state.Facts{{Label: "objednávka", Value: "4471"}, {Label: "cena", Value: "$41.20"}},
		PendingActions: []string{"sledovat\n# doručení"},
	}
	tests := []struct{ lang, want string }{
		{"cs", "# Záležitost: Díl na jeep\n\n## Stav: PARKED\n\n## Shrnutí\nObjednán díl.\nČeká se.\n\n## Klíčová fakta\n- objednávka: 4471\n- cena: $41.20\n\n## Čekající akce\n- sledovat # doručení\n"},
		{"pl-PL", "# Sprawa: Díl na jeep\n\n## Status: PARKED\n\n## Podsumowanie\nObjednán díl.\nČeká se.\n\n## Kluczowe fakty\n- objednávka: 4471\n- cena: $41.20\n\n## Oczekujące działania\n- sledovat # doručení\n"},
		{"ru", "# Дело: Díl na jeep\n\n## Статус: PARKED\n\n## Сводка\nObjednán díl.\nČeká se.\n\n## Ключевые факты\n- objednávka: 4471\n- cena: $41.20\n\n## Ожидающие действия\n- sledovat # doručení\n"},
		{"en", "# Affair: Díl na jeep\n\n## Status: PARKED\n\n## Summary\nObjednán díl.\nČeká se.\n\n## Key facts\n- objednávka: 4471\n- cena: $41.20\n\n## Pending actions\n- sledovat # doručení\n"},
	}
	for _, tt := range tests {
		t.Run(tt.lang, func(t *testing.T) {
			t.Parallel()
			same(t, "got", tt.want, affair.Document(a, tt.lang))
		})
	}
	empty := affair.Document(state.Affair{Title: "Rent", Status: state.Active}, "xx")
	if want := "# Affair: Rent\n\n## Status: ACTIVE\n"; empty != want {
		t.Errorf("an empty affair is %q", empty)
	}
}

var same = statetest.Same
