package affair

import (
	"strings"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

// headings are the fixed words of a document.
type headings struct{ affair, status, summary, facts, pending string }

func headingsIn(lang string) headings {
	base, _, _ := strings.Cut(strings.ToLower(lang), "-")
	switch base {
	case "cs":
		return headings{"Záležitost", "Stav", "Shrnutí", "Klíčové fakta", "Čekající akce"}
	case "pl":
		return headings{"Sprawa", "Status", "Podsumowanie", "Kluczowe fakty", "Oczekujące działania"}
	case "ru":
		return headings{"Дело", "Статус", "Сводка", "Ключевые факты", "Ожидающие действия"}
	case "de":
		return headings{"Angelegenheit", "Status", "Zusammenfassung", "Wichtige Fakten", "Offene Aufgaben"}
	}
	return headings{"Affair", "Status", "Summary", "Key facts", "Pending actions"}
}

// Document writes an affair as Markdown: title, state, summary, key facts and pending actions, each under a heading in
// lang (cs, pl, ru, de; otherwise English). Parts that are empty have no heading. Its values are quoted, so that none can
// open a heading or end its line. It ends in a line break.
func Document(a state.Affair, lang string) string {
	h := headingsIn(lang)
	var b strings.Builder
	b.WriteString("# " + h.affair + ": " + quote.Line(a.Title) + "\n\n## " + h.status + ": " + quote.Line(string(a.Status)) + "\n")
	if a.Summary != "" {
		b.WriteString("\n## " + h.summary + "\n" + strings.Join(quote.Items(a.Summary), "\n") + "\n")
	}
	items := make([]string, 0, len(a.KeyFacts))
	for _, f := range a.KeyFacts {
		items = append(items, f.Label+": "+f.Value)
	}
	list(&b, h.facts, items)
	list(&b, h.pending, a.PendingActions)
	return b.String()
}

// list writes a heading with its items, nothing when there are none.
func list(b *strings.Builder, heading string, items []string) {
	if len(items) == 0 {
		return
	}
	b.WriteString("\n## " + heading + "\n")
	for _, item := range items {
		b.WriteString("- " + quote.Item(item) + "\n")
	}
}
