package memory

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
)

// Where says what a recall looks through.
type Where string

// The places, as the tool memory_recall names them.
const (
	InCurrent Where = "current" // the current affair
	InAll     Where = "all"     // everything of the user
	InSession Where = "session" // what was said in the scope's session
	InKB      Where = "kb_only" // records only
)

// Query asks memory for what it has on a text. The zero value of each filter lets everything through; several must
// all agree.
type Query struct {
	Scope    state.Scope
	Text     string             // of which the first 16 KB are looked up
	In       Where              // default all
	Affair   string             // the current affair for InCurrent; "" = what is filed under none
	Block    string             // instead of Text: the message, block or attachment of the scope's session that has this name, whole; see compose.Block
	Limit    int                // default settings memory_retrieve_limit
	Tokens   int                // > 0: the hits' texts have no more tokens than this in all; what does not fit is passed over
	Kinds    []state.RecordKind // only records of these kinds, MessageRecord for messages
	From     time.Time          // only what was said or recorded at or after it
	To       time.Time          // only what was said or recorded before it
	AsOf     time.Time          // as it was known and valid then; zero = now
	Session  string             // only what was said in this session
	Project  string             // only records of this project
	Agent    string             // only records of this agent
	Archived bool               // what is in the archive, too
	Before   int64              // > 0: of the scope's session only messages before this number

	// MinSeq is the Seq of a receipt: an answer that does not know of that write yet is refused with state.ErrUnavailable.
	MinSeq int64

	keep              words.Filter
	besidePreferences bool // the prompt shows the user's preferences: a message that says little else is left out
	outdated          bool // also messages of which all that was stored was replaced since: what is forgotten is looked for there too
}

// Hit is one thing found. Text is its own text, Source says in words where it is from; exactly one of Message, Record and
// Doc is set. Why tells how it came to its score.
type Hit struct {
	ID      string         `json:"id"`
	Text    string         `json:"text"` // of a message over 4 KB the passage with most of the words asked for
	Source  string         `json:"source"`
	Of      string         `json:"of"`              // where it is kept, see compose.Origin
	Block   string         `json:"block,omitempty"` // of a message of the query's session that has more than Text, or attachments: what Text is from, see compose.Block
	Turn    string         `json:"turn,omitempty"`  // in which it was said or stored
	Affair  string         `json:"affair,omitempty"`
	Score   float64        `json:"score"` // compares hits of one recall
	Why     Why            `json:"why"`
	Message *state.Message `json:"message,omitempty"`
	Record  *state.Record  `json:"record,omitempty"`
	Doc     *state.Affair  `json:"affair_document,omitempty"`
}

// Why is how a hit came to its score.
type Why struct {
	Share   float64       `json:"share"`   // of the best possible score of this query; what the thresholds of the settings compare with
	Fields  words.Fields  `json:"fields"`  // each divided by the best of this recall
	Factors words.Factors `json:"factors"` // what their weighted sum was multiplied with
	Terms   []words.Match `json:"terms,omitempty"`
	Linked  []string      `json:"linked,omitempty"`  // not found by itself: what it shares with a better hit
	Decided bool          `json:"decided,omitempty"` // the running step has just decided it
}

// validate refuses what no recall can answer.
func (q Query) validate() error {
	switch q.In {
	case InAll, "", InCurrent, InSession, InKB:
	default:
		return state.Errorf(state.Invalid, "recall scope "+string(q.In), "is unknown; use current, session, all or kb_only")
	}
	for _, k := range q.Kinds {
		if !k.Known() {
			return state.Errorf(state.Invalid, "recall", "kind %q is unknown; use some of %v", k, state.Categories())
		}
	}
	return nil
}

// filter returns what the query lets through, decided on the index's own fields.
func (q Query) filter(into mind.Joined) words.Filter {
	f := q.keep
	if q.In == InCurrent {
		f.Affair = func(affair string) bool {
			return into.Of(affair) == into.Of(q.Affair) && (q.keep.Affair == nil || q.keep.Affair(affair))
		}
	}
	session := q.Session
	if q.In == InSession {
		session = cmp.Or(session, q.Scope.Session)
	}
	first := mind.DocID(state.Messages, q.Scope.Session+"/"+state.SeqKey(q.Before))
	f.Doc = func(d *words.Doc) bool {
		switch { // what refuses most comes first, what has to read the id last
		case q.keep.Doc != nil && !q.keep.Doc(d):
			return false
		case q.In == InKB && !mind.IsRecord(d), session != "" && d.Group != session:
			return false
		case q.Project != "" && d.Project != q.Project, q.Agent != "" && d.Agent != q.Agent:
			return false
		case len(q.Kinds) > 0 && !slices.Contains(q.Kinds, mind.Kind(d)):
			return false
		case mind.Foreign(d, q.Scope.Session):
			return false
		case !q.From.IsZero() && d.At.Before(q.From), !q.To.IsZero() && !d.At.Before(q.To):
			return false
		}
		return q.Before == 0 || d.Group != q.Scope.Session || d.ID < first
	}
	return f
}

// kinds returns the kinds of entry that the vector index is asked for, nil for all.
func (q Query) kinds() []string {
	var out []string
	kinds := q.Kinds
	if len(kinds) == 0 && q.In == InKB {
		kinds = state.Kinds()
	}
	for _, k := range kinds {
		out = append(out, string(k))
	}
	return out
}

// trust returns whose words a hit has: of a record its trust.
func (h Hit) trust() state.Trust {
	switch {
	case h.Record != nil && h.Record.Span == nil:
		return h.Record.Trust
	case h.Message == nil:
	case strings.Contains(h.Block, ".a"): // an attachment
		return state.TrustDocument
	case h.Message.Role == state.RoleUser:
		return state.TrustUser
	case h.Message.Role == state.RoleTool:
		return state.TrustTool
	}
	return ""
}

// figures returns the parts of a score by name, but for those that say nothing: fields of 0 and factors of 1.
func (w Why) figures() []account.Figure {
	var out []account.Figure

	// A figure that would be written as nothing is left out.
	add := func(name string, value, nothing float64) {
		if value < nothing-0.005 || value > nothing+0.005 {
			out = append(out, account.Figure{Name: name, Value: value})
		}
	}

	// The fields come first, then the factors, in the order in which they are reckoned.
	f, x := w.Fields, w.Factors
	add("vectors", f.Near, 0)
	add("text", f.Text, 0)
	add("own", f.Own, 0)
	add("previous", f.Prev, 0)
	add("window", f.Win, 0)
	add("session", f.Session, 0)
	add("lead", f.Lead, 0)
	add("pair", f.Pair, 0)
	add("passage", f.Passage, 0)
	add("spelling", f.Soft, 0)
	add("×speaker", x.Speaker, 1)
	add("×question", x.Question, 1)
	add("×length", x.Length, 1)
	add("×time", x.Time, 1)
	add("×number", x.Number, 1)
	add("×date", x.Date, 1)
	add("×role", x.Role, 1)
	add("×recency", x.Recency, 1)
	add("×weight", x.Weight, 1)
	add("+bonus", x.Bonus, 0)
	return out
}

// Name returns the id of a record as a prompt shows it, by which Amend knows it too: its end, "r-7e90d2". "" for what cannot be amended.
func (h Hit) Name() string {
	if h.Record == nil || h.Record.User == state.ClientUser || h.Record.Span != nil {
		return ""
	}
	return shortMark + h.ID[max(0, len(h.ID)-shortID):]
}

// shortID is how many letters of an id its short form has behind shortMark.
const (
	shortID   = 6
	shortMark = "r-"
)
