package affair

import (
	"strings"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/state"
)

// Document writes an affair as Markdown: title, state, summary, key facts and pending actions, each under a heading in
// lang, if the word lists have them in it, otherwise in English. Parts that are empty have no heading. Its values are quoted, so that none can
// open a heading or end its line. It ends in a line break.
func Document(a state.Affair, lang string) string {
	heading := func(what string) string { return facts.Phrase("heading "+what, lang) }
	var b strings.Builder
	b.WriteString("# " + heading("affair") + ": " + quote.Line(a.Title) + "\n\n## " + heading("status") + ": " + quote.Line(string(a.Status)) + "\n")
	if a.Summary != "" {
		b.WriteString("\n## " + heading("summary") + "\n" + strings.Join(quote.Items(a.Summary), "\n") + "\n")
	}
	items := make([]string, 0, len(a.KeyFacts))
	for _, f := range a.KeyFacts {
		items = append(items, f.Label+": "+f.Value)
	}
	list(&b, heading("facts"), items)
	list(&b, heading("pending"), a.PendingActions)
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
