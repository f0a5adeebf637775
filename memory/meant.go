package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/personal"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// meant returns the valid records that an amendment is about, at least one, the best match first.
func (m *Memory) meant(ctx context.Context, scope state.Scope, a Amendment) ([]state.Record, error) {
	if a.ID != "" {
		r, err := m.recordNamed(ctx, scope, a)
		if err == nil || !errors.Is(err, state.ErrNotFound) {
			return []state.Record{r}, err
		}
		if next, err := m.recordNamed(ctx, scope, Amendment{ID: r.ReplacedBy, Action: a.Action}); err == nil {
			return nil, state.Errorf(state.NotFound, "record "+a.ID, "holds no longer: %s has taken its place: %s", next.ID, quote.Line(text.Head(next.Content, mostQuoted)))
		}
	}
	valid, err := m.validRecords(ctx, scope)
	if err != nil {
		return nil, err
	}
	match := a.Match
	if a.Action == CorrectRecord {
		match = cmp.Or(match, a.Content)
	}
	var found []state.Record
	named := cmp.Or(a.ID, match, "the last one")
	switch origin := desk.CallFrom(ctx); {
	case a.ID != "": // it is not there, or over; or it is short
		end, marked := strings.CutPrefix(a.ID, shortMark)
		short := func(r state.Record) bool { return strings.HasSuffix(r.ID, end) }
		if first := slices.IndexFunc(valid, short); marked && first >= 0 && !slices.ContainsFunc(valid[first+1:], short) {
			found = valid[first : first+1]
		}
	case a.everything():
		found, named = valid, "everything"
	case a.Topic:
		found = union(ofTopic(valid, match, origin.Affair), stating(valid, match))
	case strings.TrimSpace(match) != "":
		if found = matching(valid, match, a.Action); a.Action == ForgetRecord {
			found = union(found, stating(valid, match))
		}
		if len(found) == 0 && a.Action == CorrectRecord {
			found = correctedAbroad(valid, match, origin.Affair)
		}
	default:
		if found, err = m.storedLast(ctx, scope, valid); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 && a.Action == ForgetRecord && a.ID == "" {
		// What a record of another affair says, or one that says not all of the topic, is offered instead; and a question does not tell what is to go.
		if facts.IsIndirect(match) || slices.ContainsFunc(valid, func(r state.Record) bool { return states(r, match) }) {
			return nil, state.Errorf(state.NotFound, "amend memory", "no record here is meant by %q; name what is to be forgotten", named)
		}
		if found, err = m.onlySaid(ctx, scope, match); err != nil {
			return nil, err
		}
		found = union(found, tellingCode(valid, found))
	}
	if len(found) == 0 {
		return nil, state.Errorf(state.NotFound, "amend memory", "no record is meant by %q; %s", named, thereIs(valid))
	}
	return found, nil
}

// onlySaid returns what the user's messages state of what is meant and no record says: as records that no one has stored, so that they are forgotten in
// the same way, and known to be.
func (m *Memory) onlySaid(ctx context.Context, scope state.Scope, match string) (out []state.Record, err error) {
	if len(text.Sought(match)) == 0 {
		return nil, nil
	}
	origin := desk.CallFrom(ctx)
	hits, err := m.Recall(ctx, Query{Scope: scope, Text: match, Limit: mostTelling, Before: origin.Seq, outdated: true})
	for _, h := range hits {
		if h.Message == nil || h.Message.Role != state.RoleUser {
			continue
		}
		from, _ := compose.ParseOrigin(h.Of)
		for _, sentence := range text.Sentences(h.Message.Text) {
			said := sayingOf(sentence, match)
			r := state.Record{
				ID: m.c.NewID(), Kind: state.FactRecord, Client: scope.Client, User: scope.User, Session: from.ID, Affair: h.Affair,
				Content: said, About: state.AboutUser,
				RecordedAt: m.c.Now(), ValidFrom: h.Message.At, Source: state.Source{Message: h.Message.ID, Turn: h.Message.Turn},
			}
			if !strings.HasSuffix(sentence, "?") && states(r, match) {
				out = append(out, r)
			}
		}
	}
	return out, err
}

// tellingCode returns the records that say a code of others: else it would stay with them.
func tellingCode(records, of []state.Record) (out []state.Record) {
	for _, r := range records {
		if slices.ContainsFunc(of, func(o state.Record) bool { return mind.GoneOf(o).CodeIn(mind.RecordText(r)) }) {
			out = append(out, r)
		}
	}
	return out
}

// sayingOf returns the part of a sentence from its first to its last word that another text has too, with the code right behind it.
func sayingOf(sentence, of string) string {
	const inflected = 3
	asked := text.Tokens(of)
	from, to := len(sentence), 0
	for _, t := range text.Tokens(sentence) {
		if !t.Stop && slices.ContainsFunc(asked, func(a text.Token) bool { return !a.Stop && text.Akin(a.Stem, t.Stem, inflected) }) {
			from, to = min(from, t.Start), t.End
		}
	}
	for _, t := range text.Tokens(sentence) { // "the door code is 9052"
		if t.Start < to {
			continue
		}
		if mind.GoneOf(state.Record{Content: t.Surface}).CodeIn(t.Surface) {
			to = t.End
		}
		if !t.Stop {
			break
		}
	}
	return sentence[min(from, to):to]
}

// recordNamed returns the valid record that an amendment names by its id. One that is not there, or over, is state.ErrNotFound.
func (m *Memory) recordNamed(ctx context.Context, scope state.Scope, a Amendment) (state.Record, error) {
	r, decided := desk.DraftsOf(ctx, scope).Get(a.ID)
	if !decided {
		from, err := m.desk.Reads(ctx, scope)
		if err != nil {
			return r, err
		}
		if r, err = ledger.Get[state.Record](ctx, from, state.Records, scope.Key(a.ID)); err != nil {
			return r, err
		}
	}

	edits := r.Span == nil || hasDigest(r) && state.EffectsFrom(ctx) == nil && (a.Action == CorrectRecord || a.Action == ForgetRecord)
	if !edits || !r.Holds(m.c.Now()) {
		return r, state.Errorf(state.NotFound, "record "+a.ID, "holds no longer, or is no record that can be changed")
	}
	return r, nil
}

// matching returns the records that share most words with a text, and half of them at least: the one, the latest of several. To be forgotten are
// all that state it: they have most of its words and all its numbers. One to be pinned has every word, since another would be pinned in the place
// of what the text says.
func matching(records []state.Record, s string, to Action) []state.Record {
	if to == ForgetRecord {
		return slices.DeleteFunc(slices.Clone(records), func(r state.Record) bool { return !states(r, s) })
	}
	least := .5
	if to == PinRecord {
		least = 1
	}
	best, most := []state.Record(nil), least
	for _, r := range slices.Backward(records) {
		if share := shareOf(r, s); share > most || share == most && len(best) == 0 {
			best, most = []state.Record{r}, share
		}
	}
	return best
}

// correctedAbroad returns the one record in another language than a text that the text surely corrects. Of several it is the one whose value the text denies,
// else the one of an affair; none where that does not tell.
func correctedAbroad(records []state.Record, s, affair string) []state.Record {
	of := slices.DeleteFunc(slices.Clone(records), func(r state.Record) bool {
		return !same.Abroad(r.Content, s) || !same.Corrects(r.Content, s)
	})
	for _, better := range []func(state.Record) bool{
		func(r state.Record) bool { return same.Denies(r.Content, s) },
		func(r state.Record) bool { return r.Affair == affair },
	} {
		if best := slices.DeleteFunc(slices.Clone(of), func(r state.Record) bool { return !better(r) }); len(best) > 0 {
			of = best
		}
	}
	if len(of) > 1 {
		return nil
	}
	return of
}

// stated is the part of an order's telling words that what is to be forgotten has.
const stated = .65

// states reports whether a record says what an order names: most of its words, and all its numbers.
func states(r state.Record, s string) bool { return shareOf(r, s) >= stated && !lacksNumber(r, s) }

// lacksNumber reports whether a text has a number that a record has not: then it says something else.
func lacksNumber(r state.Record, s string) bool {
	has := text.Terms(mind.RecordText(r))
	return slices.ContainsFunc(text.Terms(s), func(t string) bool { return text.Digits(t) > 0 && sharedTerms([]string{t}, has) == 0 })
}

// ofTopic returns the records that have every telling word of a topic. Those of another affair stay there.
func ofTopic(records []state.Record, topic, affair string) []state.Record {
	return slices.DeleteFunc(slices.Clone(records), func(r state.Record) bool {
		return r.Affair != "" && r.Affair != affair || shareOf(r, topic) < 1
	})
}

// stating returns the records of what a text states of the user himself: "I live in Leeds" states the address Leeds.
func stating(records []state.Record, s string) []state.Record {
	own := personal.Find(s)
	return slices.DeleteFunc(slices.Clone(records), func(r state.Record) bool {
		return !slices.ContainsFunc(own, func(f personal.Fact) bool {
			return text.Fold(r.Subject) == text.Fold(f.Label) && text.Fold(r.Content) == text.Fold(f.Value)
		})
	})
}

// union are records, and those of others that are not among them.
func union(records, others []state.Record) []state.Record {
	for _, r := range others {
		if !slices.ContainsFunc(records, func(known state.Record) bool { return known.ID == r.ID }) {
			records = append(records, r)
		}
	}
	return records
}

// shareOf returns how many of a text's telling words a record has, by their stems or as they are written.
func shareOf(r state.Record, s string) float64 {
	const inflected = 3 // letters that differ behind five that are the same
	telling := func(s string) []text.Token {
		return slices.DeleteFunc(text.Tokens(s), func(t text.Token) bool { return t.Stop })
	}
	asked, has := telling(s), telling(mind.RecordText(r))
	if len(asked) == 0 {
		return 0
	}
	n := 0
	for _, a := range asked {
		if slices.ContainsFunc(has, func(h text.Token) bool {
			return text.Akin(a.Stem, h.Stem, inflected) || !a.Number && text.Akin(a.Folded, h.Folded, inflected)
		}) {
			n++
		}
	}
	return float64(n) / float64(len(asked))
}

// storedLast returns what the session's last turn that stored something has stored. Within a turn that is this one or the message before: what lies
// further back nobody means by "forget it".
func (m *Memory) storedLast(ctx context.Context, scope state.Scope, records []state.Record) ([]state.Record, error) {
	origin := desk.CallFrom(ctx)

	var before state.Message
	if origin.Inside {
		var err error
		if before, err = m.Turn().SaidBefore(ctx, scope); err != nil && !errors.Is(err, state.ErrNotFound) {
			return nil, err
		}
	}

	var last []state.Record
	of := ""
	for _, r := range records {
		switch turn := cmp.Or(r.SeenIn, r.Source.Turn); {
		case r.Session != scope.Session || turn == "" || origin.Inside && turn != origin.Turn && turn != before.Turn:
		case turn == of:
			last = append(last, r)
		default:
			last, of = []state.Record{r}, turn
		}
	}
	return last, nil
}

// thereIs names some of the records there are, the latest first.
func thereIs(records []state.Record) string {
	const most, bytes = 5, 60
	if len(records) == 0 {
		return "nothing is remembered yet"
	}
	var names []string
	for _, r := range slices.Backward(records[max(0, len(records)-most):]) {
		names = append(names, fmt.Sprintf("%s (%s)", r.ID, text.Head(strings.Join(strings.Fields(mind.RecordText(r)), " "), bytes)))
	}
	return "there are: " + strings.Join(names, ", ")
}
