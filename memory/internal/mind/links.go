package mind

import (
	"maps"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/link"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Linked returns the graph of links, brought up to what the affairs say now: they change several times a turn, and somebody asks
// once. The caller holds the mind.
func (d *Mind) Linked() *link.Graph {
	for _, id := range slices.Sorted(maps.Keys(d.unlinked)) {
		d.linkAffair(d.unlinked[id])
		delete(d.unlinked, id)
	}
	return d.links
}

// linksAlike reports whether two states of an affair link the same.
func linksAlike(a, b state.Affair) bool {
	return a.MergedInto == b.MergedInto && a.Title == b.Title && a.Summary == b.Summary && slices.Equal(a.Topics, b.Topics) && slices.EqualFunc(a.KeyFacts, b.KeyFacts, sayAlike)
}

func sayAlike(a, b state.Fact) bool { return a.Label == b.Label && a.Value == b.Value }

func (d *Mind) linkAffair(a state.Affair) {
	body := []string{a.Summary}
	for _, f := range a.KeyFacts {
		body = append(body, f.Label+": "+f.Value)
	}
	content := strings.Join(body, "\n")
	d.links.Put(DocID(state.Affairs, a.ID), a.ID, link.Of(AffairKind, a.Title, content, a.Topics, text.Language(content, "en")))
}

// linkRecord does so for a record. What is not valid any more links nothing.
func (d *Mind) linkRecord(r state.Record) {
	if r.ValidTo != nil {
		d.links.Delete(DocID(state.Records, r.ID))
		return
	}
	d.links.Put(DocID(state.Records, r.ID), d.Joined.Of(r.Affair), r.Links)
}
