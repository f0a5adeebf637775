package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// mostPlain is how many messages, and how many records, are read for a word that no index has.
const mostPlain = 5000

// plain finds what has the only word of a query where that is a function word, which no index has: Tym is a dog's name too, and "pod" a thing that runs. What
// has it written alike comes first, and what an answer says last; of the rest the newer first. Its share is 0: it is no evidence to who asks for a threshold.
func (v *vista) plain(ctx context.Context) ([]words.Hit, error) {
	asked := text.Cut(v.q.Text)
	if len(asked) != 1 || !asked[0].Stop || len(asked[0].Folded) < 2 {
		return nil, nil
	}

	// Records and messages are read one by one.
	var found []plainMatch
	user := v.q.Scope.UserPrefix()
	for _, c := range []state.Collection{state.Records, state.Messages} {
		read := 0
		for docs, err := range store.Pages(ctx, v.docs.Scan, store.Query{Collection: c, Prefix: user, Limit: desk.Page, Reverse: true}) {
			if err != nil {
				return nil, err
			}
			for _, doc := range docs {
				id := mind.DocID(c, strings.TrimPrefix(doc.ID, user))
				if match, ok := matchPlain(doc, asked[0]); ok && v.index.Kept(id, v.keep) {
					match.id = id
					found = append(found, match)
				}
			}
			if read += len(docs); read >= mostPlain {
				break
			}
		}
	}

	slices.SortStableFunc(found, func(a, b plainMatch) int { return cmp.Or(cmp.Compare(b.worth, a.worth), b.at.Compare(a.at)) })
	var out []words.Hit
	for _, f := range found[:min(len(found), 4*v.q.Limit)] {
		out = append(out, words.Hit{ID: f.id})
	}
	return out, nil
}

// plainMatch is a document that has the word.
type plainMatch struct {
	id    string
	worth int
	at    time.Time
}

// matchPlain reports whether a record or a message has a word.
func matchPlain(doc store.Doc, asked text.Token) (m plainMatch, has bool) {
	var says struct {
		Text, Content, Subject string
		Role                   state.Role
		At                     time.Time
		RecordedAt             time.Time `bson:"recorded_at"`
	}
	if bson.Unmarshal(doc.Body, &says) != nil {
		return m, false
	}
	m.at = says.At
	if m.at.IsZero() {
		m.at = says.RecordedAt
	}
	alike := false
	for _, t := range text.Cut(says.Subject + " " + says.Content + " " + says.Text) {
		has, alike = has || t.Folded == asked.Folded, alike || t.Surface == asked.Surface
	}
	if alike {
		m.worth += 2
	}
	if says.Role != state.RoleAssistant {
		m.worth++
	}
	return m, has
}
