package forget

import (
	"context"
	"errors"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// keptDoc is a document of the user with its value.
type keptDoc[T any] struct {
	key string // without the user's part
	rev int64
	v   T
}

// keptDocs are all documents of a user that are text.
type keptDocs struct {
	sessions    []keptDoc[state.Session]
	affairs     []keptDoc[state.Affair]
	records     []keptDoc[state.Record]
	messages    []keptDoc[state.Message]
	suggestions []keptDoc[state.Suggestion]
}

// readAll reads the documents of a collection, on all processors.
func readAll[T any](ctx context.Context, m *Room, scope state.Scope, c state.Collection) (out []keptDoc[T], err error) {
	var pages []*[]keptDoc[T]
	var beside errgroup.Group
	beside.SetLimit(runtime.GOMAXPROCS(0))
	for docs, err := range store.Pages(ctx, m.desk.Store.Scan, store.Query{Collection: c, Prefix: scope.UserPrefix(), Limit: desk.TextsAtOnce}) {
		if err != nil {
			return nil, errors.Join(err, beside.Wait())
		}
		read := new([]keptDoc[T])
		pages = append(pages, read)
		beside.Go(func() error {
			for _, doc := range docs {
				v, err := ledger.Decode[T](doc)
				if err != nil {
					return err
				}
				*read = append(*read, keptDoc[T]{strings.TrimPrefix(doc.ID, scope.UserPrefix()), doc.Rev, v})
			}
			return nil
		})
	}
	if err := beside.Wait(); err != nil {
		return nil, err
	}
	for _, read := range pages {
		out = append(out, *read...)
	}
	return out, nil
}

func (r *Room) readKept(ctx context.Context, scope state.Scope) (k keptDocs, err error) {
	var errs [5]error
	k.sessions, errs[0] = readAll[state.Session](ctx, r, scope, state.Sessions)
	k.affairs, errs[1] = readAll[state.Affair](ctx, r, scope, state.Affairs)
	k.records, errs[2] = readAll[state.Record](ctx, r, scope, state.Records)
	k.messages, errs[3] = readAll[state.Message](ctx, r, scope, state.Messages)
	k.suggestions, errs[4] = readAll[state.Suggestion](ctx, r, scope, state.Suggestions)
	return k, errors.Join(errs[:]...)
}

// rev returns the revision at which a document was read.
func (k keptDocs) rev(ref ledger.Ref) int64 {
	switch ref.Collection {
	case state.Messages:
		return revOf(k.messages, ref.ID)
	case state.Records:
		return revOf(k.records, ref.ID)
	case state.Affairs:
		return revOf(k.affairs, ref.ID)
	}
	return revOf(k.sessions, ref.ID)
}

func revOf[T any](list []keptDoc[T], key string) int64 {
	if d := find(list, key); d != nil {
		return d.rev
	}
	return 0
}

// messageWords returns all text of a message.
func messageWords(msg state.Message) string {
	parts := []string{msg.FullText(), msg.Reasoning, msg.Sealed, msg.System}
	for _, c := range msg.ToolCalls {
		parts = append(parts, c.Arguments)
	}
	if msg.Answered != nil {
		parts = append(parts, msg.Answered.Ran, msg.Answered.Reason)
	}
	for _, key := range msg.Metadata {
		parts = append(parts, key)
	}
	for _, x := range extraLines(msg) {
		parts = append(parts, x.Label, x.Value)
	}
	return strings.Join(parts, "\n")
}

// extraLines returns what came for the turn of a message alone, but for files.
func extraLines(msg state.Message) (out state.Facts) {
	if msg.Extra == nil {
		return nil
	}
	add := func(label string, texts []string) {
		for _, s := range texts {
			out = append(out, state.Fact{Label: label, Value: s})
		}
	}
	add("note", msg.Extra.Notes)
	add("link", msg.Extra.Links)
	add("path", msg.Extra.Paths)
	return out
}

func affairWords(a state.Affair) string {
	words := []string{a.Title, a.Summary, strings.Join(a.Topics, "\n"), strings.Join(a.PendingActions, "\n")}
	for _, f := range a.KeyFacts {
		words = append(words, f.Label+": "+f.Value)
	}
	for _, f := range a.PastFacts {
		words = append(words, f.Label+": "+f.Value)
	}
	return strings.Join(words, "\n")
}

func spanWords(r state.Record) string {
	words := []string{r.Subject, r.Content, r.Span.Digest, r.Span.Earlier, strings.Join(r.Span.Topics, "\n")}
	for _, f := range r.Span.KeyFacts {
		words = append(words, f.Label+": "+f.Value)
	}
	return strings.Join(words, "\n")
}

// affairOfSuggestion returns the affair that a suggestion was made in, "" for none.
func affairOfSuggestion(s state.Suggestion) string {
	id, _ := s.Request.Lookup("origin", "affair").StringValueOK()
	return id
}
