package component

import (
	"encoding/json"
	"math"
	"time"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// The keys of a found document's metadata. All values are strings but that of MetaShare, a float64.
const (
	MetaSource   = "source"   // where it is from, in words
	MetaKind     = "kind"     // a state.RecordKind, "message" or "affair"
	MetaAffair   = "affair"   // id of the affair it is filed under, absent for none
	MetaTurn     = "turn"     // id of the turn in which it was said or stored, absent for none
	MetaRecorded = "recorded" // when it was said, stored or last changed, RFC 3339 in UTC
	MetaWhy      = "why"      // how it came to its score: a memory.Why as JSON
	MetaShare    = "share"    // its score divided by the best one, which a score threshold is compared with
)

// MetaSubject is the key under which a document for the Indexer says what it is about, a string of a few words.
const MetaSubject = "subject"

// affairKind is the kind of a hit that is an affair itself.
const affairKind = "affair"

// documents returns the hits that reach the threshold, in their order. What a step has just decided was scored
// by itself, so it has a best score of its own.
func documents(hits []memory.Hit, threshold *float64) ([]*schema.Document, error) {
	// The best score of what is settled, and of what the step has just decided.
	settled, decided := math.Inf(-1), math.Inf(-1)
	for _, h := range hits {
		if h.Why.Decided {
			decided = max(decided, h.Score)
		} else {
			settled = max(settled, h.Score)
		}
	}

	// Each hit as a part of the best one of its sort; the threshold is such a part too.
	docs := make([]*schema.Document, 0, len(hits))
	for _, h := range hits {
		best := settled
		if h.Why.Decided {
			best = decided
		}
		part := share(h.Score, best)
		if threshold != nil && part < *threshold {
			continue
		}
		doc, err := document(h, part)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// share returns a score as a part of the best, from 0 to 1. Where no score is above 0, as some rerankers give them, a ratio
// says nothing: the best is 1 and the others 0.
func share(score, best float64) float64 {
	switch {
	case best > 0:
		return max(0, score/best)
	case score == best:
		return 1
	}
	return 0
}

// document returns one hit.
func document(h memory.Hit, part float64) (*schema.Document, error) {
	why, err := json.Marshal(h.Why)
	if err != nil {
		return nil, state.Errorf(state.Internal, "document "+h.ID, "why it was found cannot be written: %w", err)
	}
	sort, at := origin(h)
	meta := map[string]any{
		MetaSource: h.Source, MetaKind: sort, MetaRecorded: at.UTC().Format(time.RFC3339Nano), MetaWhy: string(why), MetaShare: part,
	}
	if h.Affair != "" {
		meta[MetaAffair] = h.Affair
	}
	if h.Turn != "" {
		meta[MetaTurn] = h.Turn
	}
	return (&schema.Document{ID: h.ID, Content: h.Text, MetaData: meta}).WithScore(h.Score), nil
}

// origin returns what sort of thing a hit is, and since when memory has it.
func origin(h memory.Hit) (sort string, at time.Time) {
	switch {
	case h.Record != nil:
		return string(h.Record.Kind), h.Record.RecordedAt
	case h.Message != nil:
		return string(state.MessageRecord), h.Message.At
	case h.Doc != nil:
		return affairKind, h.Doc.UpdatedAt
	}
	return "", time.Time{}
}
