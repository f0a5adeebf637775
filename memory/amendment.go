package memory

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Action is what an Amendment does to a record.
type Action string

// The actions.
const (
	ForgetRecord  Action = "forget"  // it holds no longer, is kept as history, and what else says it shows a mark in its place
	EndRecord     Action = "done"    // it holds no longer, and is kept as history; what was said of it is still so, and may be read
	CorrectRecord Action = "correct" // Content takes its place
	PinRecord     Action = "pin"     // it is never evicted
	UnpinRecord   Action = "unpin"
)

// Amendment asks for an edit of records there are. ID names one; else Match picks by words; else it is what the session's last turn
// that stored something has stored.
type Amendment struct {
	Action  Action
	ID      string
	Match   string // words of the record; the best match is meant, and every record that has all of them is when forgotten
	Topic   bool   // with ForgetRecord and Match: only the user's own records, and those of the turn's affair, that have all the words; without Match all there are, which waits for the user as a suggestion
	Content string // required by CorrectRecord: what holds in its place. With neither ID nor Match its words pick
	Keep    string // with ForgetRecord and one record that says more than is to be forgotten: what of it stays, in its words, as a record of its own: outside a turn in a commit behind the first; "" = nothing
	Shared  bool   // of what all users of the client know (Share): ID is needed, and whoever may share may

	Subject *string          // with CorrectRecord: what it is about from now on; nil = as it was
	Kind    state.RecordKind // with CorrectRecord: its kind from now on; "" = as it was
}

// Amended is a record as it is after an amendment, and what became of it. A correction's is the new one.
type Amended struct {
	state.Receipt
	Record state.Record
}

// checkWhole refuses what would take more from a record than the words say that are forgotten, or that stand in its place: words, or numbers, days and times.
func (a Amendment) checkWhole(found []state.Record) error {
	words, how := a.Match, "forget it by its id, with keep for what of it stays"
	switch a.Action {
	case CorrectRecord:
		words, how = a.Content, "correct it by its id, with all that holds now"
	case ForgetRecord:
	default:
		return nil
	}
	most := 4 + 2*len(strings.Fields(words))
	for _, r := range found {
		called := text.Fold(r.Subject) == text.Fold(words)
		short := len(strings.Fields(r.Content)) <= most && (a.Action != CorrectRecord || rewrites(words, r.Content) || !losesParts(r.Content, words))
		if words == "" || called || r.Span != nil || short {
			return nil
		}
	}
	return state.Errorf(state.Invalid, "amend memory", "record %s says more than that: %s; %s", found[0].ID, quote.Line(text.Head(found[0].Content, mostQuoted)), how)
}

// gone returns what of a record is forgotten that keeps a rest: what is asked for, its codes, and so what stands in one clause with words of what is asked for
// ("gate code 4471", "she is allergic to chlorine") and not in the rest. What else it says that the rest does not say is over, and may be read. "" is all of it:
// so where no clause has a word of what is asked for, which is then told by the subject alone.
func (a Amendment) gone(r state.Record) string {
	match := text.Terms(a.Match)
	if a.Action != ForgetRecord || a.Keep == "" || len(match) == 0 || sharedTerms(match, text.Terms(mind.RecordText(r))) < len(match) {
		return ""
	}

	kept, named := text.Terms(a.Keep), false
	goes := mind.Codes(r.Content)
	for clause := range strings.FieldsFuncSeq(r.Content, func(c rune) bool { return strings.ContainsRune(",;.()\n", c) }) {
		if sharedTerms(match, text.Terms(clause)) == 0 {
			continue
		}
		for _, t := range text.Tokens(clause) {
			if !t.Stop && sharedTerms([]string{t.Stem}, kept) == 0 && !slices.Contains(goes, t.Surface) {
				goes, named = append(goes, t.Surface), true
			}
		}
	}
	if !named {
		return ""
	}
	rest := func(code string) bool { return strings.Contains(a.Keep, code) }
	return strings.Join(append([]string{a.Match}, slices.DeleteFunc(goes, rest)...), " ")
}

// rewrites reports whether a text is so long that it says anew all that holds of another one.
func rewrites(anew, old string) bool {
	return 4*len(strings.Fields(anew)) >= 3*len(strings.Fields(old))
}

// mostQuoted is how many bytes of a record an error quotes.
const mostQuoted = 300

// everything reports whether all that is remembered is to be forgotten.
func (a Amendment) everything() bool {
	return a.Topic && a.ID == "" && strings.TrimSpace(a.Match) == ""
}

// amend edits a record and says what became of it.
func amend(r *state.Record, action Action, now time.Time, turn string) state.Outcome {
	switch action {
	case PinRecord:
		r.Pinned, r.ArchivedAt = true, nil
		return state.Pinned
	case UnpinRecord:
		r.Pinned = false
		return state.Unpinned
	case EndRecord:
		r.ValidTo = &now
		return state.Forgotten
	case ForgetRecord, CorrectRecord:
	}
	r.ValidTo, r.EndedIn = &now, cmp.Or(turn, "-")
	return state.Forgotten
}
