package state

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mneme-graph/mneme/state/limit"
)

// Scope says whose memory is meant. Client is the tenant, the wall nothing crosses; affairs and
// records belong to client + user; project and agent are fields and filters; a session is one conversation.
type Scope struct {
	Client  string `bson:"client" json:"client" yaml:"client"`
	Project string `bson:"project,omitempty" json:"project,omitempty" yaml:"project"`
	User    string `bson:"user" json:"user" yaml:"user"`
	Agent   string `bson:"agent,omitempty" json:"agent,omitempty" yaml:"agent"`
	Session string `bson:"session" json:"session" yaml:"session"`
}

// Collection is a kind of document in the store.
type Collection string

// The whole database on a screen. Keys are joined with "/", which no id may contain.
const (
	Steps       Collection = "steps"       // client/thread/$seq         the log of a thread
	Open        Collection = "open"        // client/thread              one document per unfinished turn
	Turns       Collection = "turns"       // client/thread/$turn        where a finished turn ended whose id its caller chose
	Sessions    Collection = "sessions"    // client/user/session        pointer to the active affair, counters, summary
	Messages    Collection = "messages"    // client/user/session/seq    text of every message
	Affairs     Collection = "affairs"     // client/user/affair         without their messages
	Records     Collection = "records"     // client/user/record         remembered things
	Suggestions Collection = "suggestions" // client/user/id  edits of memory that wait for their user
	Feed        Collection = "feed"        // client/user/seq            one entry per commit that changed memory
	Hosts       Collection = "hosts"       // client/id                  interrupted graphs of a host, as eino keeps them
	Vectors     Collection = "vectors"     // client/user/space/entry    what the local index keeps: derived, may be dropped
	Snapshots   Collection = "snapshots"   // client/user/name          a word index as it was: derived, may be dropped
	Jobs        Collection = "jobs"        // client/$batch/job         parts of sessions that a batch service was asked about; $/batch: whose turn it is
	Orders      Collection = "orders"      // client/user/id            what is to be erased, or was: ids, no text
	Deliveries  Collection = "deliveries"  // client/user/message       what webhooks were told, or are to be: ids, no text
	Overrides   Collection = "settings"    // client/user/settings       what is set for a user; of $client for all of a client, of $all for everybody
	Meta        Collection = "meta"        // name                       what is the store's own
)

// Names in Meta, each of the package that keeps it: "access" and "access/ID" (graph/serve/access: keys of the service), "erasure/NUMBER" (memory/forget/erasures: a
// ledger), "erasures" (memory/forget: how far this store knows its ledger), "hooks/ADDRESS" (graph/serve/hooks: how it stood), "operate" and "operate hooks" (graph/serve:
// leases), "transfer/cursor" (state/store/transfer), "~key/CLIENT/NUMBER" (state/store/sealed: last in order).

// ClientUser stands in keys where a user does, for what all users of a client know. No caller's scope can have it: Validate refuses it,
// as it does every id with a "$".
const ClientUser = "$client"

// EveryClient stands in keys where a client does, for what holds for all clients. No caller's scope can have it.
const EveryClient = "$all"

// Default fills every missing part: client, user and session "default", agent "main". That is for one person at a command line: all who
// give no session talk in the same one. A server gives each conversation an id of its own.
func (s Scope) Default() Scope {
	fill := func(v *string, with string) {
		if *v == "" {
			*v = with
		}
	}
	fill(&s.Client, "default")
	fill(&s.User, "default")
	fill(&s.Agent, DefaultAgent)
	fill(&s.Session, "default")
	return s
}

// Merge overrides the parts of s that over names.
func (s Scope) Merge(over Scope) Scope {
	set := func(v *string, with string) {
		if with != "" {
			*v = with
		}
	}
	set(&s.Client, over.Client)
	set(&s.Project, over.Project)
	set(&s.User, over.User)
	set(&s.Agent, over.Agent)
	set(&s.Session, over.Session)
	return s
}

// Validate refuses an empty client, user or session and any id that could reach another's keys.
func (s Scope) Validate() error {
	for _, id := range []struct{ name, value string }{
		{"client", s.Client}, {"user", s.User}, {"session", s.Session},
	} {
		if err := ValidateID(id.name, id.value); err != nil {
			return err
		}
	}

	for _, id := range []struct{ name, value string }{{"project", s.Project}, {"agent", s.Agent}} {
		if id.value == "" {
			continue
		}
		if err := ValidateID(id.name, id.value); err != nil {
			return err
		}
	}
	return nil
}

// ValidateID refuses what could not stand in a key: empty, over limit.IDBytes, invalid UTF-8, "/", "$" or a control character.
// It also refuses marks that nobody sees (zero width, direction, variation, tags) and text that is not in Unicode's form
// NFC, so that two ids that differ only in these cannot both exist; letters of two scripts that look alike are two ids.
// It holds for reading as for writing. The error is Invalid and names the id and the way out.
func ValidateID(name, id string) error {
	if isPlainID(id) {
		return nil
	}
	op := fmt.Sprintf("%s id %.40q", name, id)
	switch {
	case id == "":
		return Errorf(Invalid, name+" id", "is empty; give it 1 to %d bytes", limit.IDBytes)
	case len(id) > limit.IDBytes:
		return Errorf(Invalid, op, "has %d bytes, at most %d are allowed", len(id), limit.IDBytes)
	case !utf8.ValidString(id):
		return Errorf(Invalid, op, "is not valid UTF-8")
	case strings.ContainsAny(id, "/$"):
		return Errorf(Invalid, op, "contains %q; use letters, digits, '-', '_', '.', ':' or '@'", id[strings.IndexAny(id, "/$")])
	case strings.ContainsFunc(id, unicode.IsControl):
		return Errorf(Invalid, op, "contains a control character; remove it")
	case strings.ContainsFunc(id, unseen):
		return Errorf(Invalid, op, "contains the invisible mark %U; remove it", []rune(id)[slices.IndexFunc([]rune(id), unseen)])
	case strings.TrimSpace(id) != id:
		return Errorf(Invalid, op, "begins or ends with a space; send it without")
	case !norm.NFC.IsNormalString(id):
		return Errorf(Invalid, op, "is not in Unicode's form NFC; send it as NFC: %.40q", norm.NFC.String(id))
	}
	return nil
}

// isPlainID reports whether an id has nothing but letters, digits and a few signs of ASCII, as nearly all have.
func isPlainID(id string) bool {
	for i := range len(id) {
		c := id[i]
		letter, digit := 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9'
		if !letter && !digit && strings.IndexByte("-_.:@", c) < 0 {
			return false
		}
	}
	return id != "" && len(id) <= limit.IDBytes
}

// unseen reports whether a character shows nothing by itself: format characters, variation selectors, line separators and
// what Unicode lets a program ignore.
func unseen(r rune) bool {
	return r > unicode.MaxASCII && unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// UserPrefix returns the key prefix of everything that belongs to client + user.
func (s Scope) UserPrefix() string { return s.Client + "/" + s.User + "/" }

// SessionKey is the key of the session document; followed by "/" it is the prefix of its messages.
func (s Scope) SessionKey() string { return s.UserPrefix() + s.Session }

// Key is the key of an affair or record of this user.
func (s Scope) Key(id string) string { return s.UserPrefix() + id }

// MessageKey returns the key of the session's message number seq (1, 2, ...), in order.
func (s Scope) MessageKey(seq int64) string { return s.SessionKey() + "/" + SeqKey(seq) }

// FeedKey is the key of the user's feed entry number seq (1, 2, ...), in order.
func (s Scope) FeedKey(seq int64) string { return s.UserPrefix() + SeqKey(seq) }

// Thread is the name of the session in the log: its steps are client/user/session/$seq.
func (s Scope) Thread() Thread { return Thread{Client: s.Client, ID: s.User + "/" + s.Session} }

// WritesThread returns the name of the user's line of memory writes that no turn made, in stores without transactions.
func (s Scope) WritesThread() Thread { return Thread{Client: s.Client, ID: s.User + "/memory/writes"} }

// SeqKey writes a number so that keys sort as numbers do.
func SeqKey(n int64) string {
	const zeros = "000000000000"
	digits := strconv.FormatInt(n, 10)
	return zeros[min(len(digits), len(zeros)):] + digits
}

// Thread names a line of steps: a session of the pipeline, or a thread_id of any other graph
// (ID may hold "/" between valid ids).
type Thread struct {
	Client string `bson:"client" json:"client"`
	ID     string `bson:"thread" json:"thread_id"`
}

// Key returns the key of the thread's open document.
func (t Thread) Key() string { return t.Client + "/" + t.ID }

// StepPrefix is the key prefix of the thread's steps and of nothing else: "$" stands in no id, so that
// the steps of thread "a" and those of thread "a/b" never lie in one range.
func (t Thread) StepPrefix() string { return t.Key() + "/$" }

// StepKey is the key of step number seq (1, 2, ...).
func (t Thread) StepKey(seq int64) string { return t.StepPrefix() + SeqKey(seq) }

// TurnKey returns the key under which a finished turn of the thread is found by its id.
func (t Thread) TurnKey(turn string) string { return t.StepPrefix() + turn }

// Validate applies ValidateID to the client and to each part of the thread's id, but for the thread of what all users of a client know.
func (t Thread) Validate() error {
	if err := ValidateID("client", t.Client); err != nil || t == (Scope{Client: t.Client, User: ClientUser}).WritesThread() {
		return err
	}
	for part := range strings.SplitSeq(t.ID, "/") {
		if err := ValidateID("thread", part); err != nil {
			return err
		}
	}
	return nil
}

type scopeKey struct{}

// ContextWithScope makes s the scope of everything called with the context (tools of a turn).
func ContextWithScope(ctx context.Context, s Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, s)
}

// ScopeFrom returns the scope of the turn the context belongs to, and whether there is one.
func ScopeFrom(ctx context.Context) (Scope, bool) {
	s, ok := ctx.Value(scopeKey{}).(Scope)
	return s, ok
}
