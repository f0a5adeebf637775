package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/state"
)

// Page says which part of a long list is meant: Limit of its things (default 50) behind the latest Skip.
type Page struct{ Limit, Skip int }

// pageLimit is how long a page is at most.
const pageLimit = 1000

// Dossier is everything of one affair: its document, what was said in it by user and assistant in all sessions, what was stored of it, and what
// it is linked to. Earlier and later tell how many messages and records lie before and behind the page.
type Dossier struct {
	Affair      state.Affair   `json:"affair"`
	Language    string         `json:"language"` // of the session
	Records     []state.Record `json:"records"`  // valid ones, oldest first
	Linked      []Related      `json:"linked"`
	Identifiers []string       `json:"identifiers"` // order numbers, addresses and the like of its records
	Messages    []Filed        `json:"messages"`    // oldest first
	LeftOut     LeftOut        `json:"left_out"`
}

// Filed is a message under an affair, and where it was said.
type Filed struct {
	Session string `json:"session"`
	state.Message
}

// LeftOut is how many things of a dossier are not in its page.
type LeftOut struct {
	Messages int `json:"messages"`
	Records  int `json:"records"`
}

// Dossier returns everything of an affair, named as for Get, a page at a time: of messages and records the latest ones. What was cleared is
// in it too, since it is asked for.
func (f Affairs) Dossier(ctx context.Context, scope state.Scope, name string, page Page) (Dossier, error) {
	scope = scope.Default()
	page.Limit = cmp.Or(page.Limit, 50)
	if page.Limit < 0 || page.Limit > pageLimit || page.Skip < 0 {
		return Dossier{}, state.Errorf(state.Invalid, "affair "+name, "a page of %d behind %d is none; limit runs from 1 to %d, skip from 0", page.Limit, page.Skip, pageLimit)
	}
	a, err := f.Get(ctx, scope, name)
	if err != nil {
		return Dossier{}, err
	}
	out := Dossier{Affair: a, Records: []state.Record{}, Identifiers: []string{}, Messages: []Filed{}}
	if out.Linked, err = f.Related(ctx, scope, a.ID, 2, relatedMost); err != nil {
		return out, err
	}

	// Which documents there are, from the index alone.
	d, err := f.m.desk.Mind(ctx, scope)
	if err != nil {
		return out, err
	}
	out.Language = cmp.Or(d.Sessions[scope.Session].Language, "en")
	messages, records := filedUnder(d, scope, a.ID)
	docs := d.Docs
	d.Unlock() // Unsay locks it itself

	// Those of the page.
	messages, out.LeftOut.Messages = page.of(messages)
	records, out.LeftOut.Records = page.of(records)
	refs := make([]ledger.Ref, 0, len(messages)+len(records))
	for _, f := range slices.Concat(messages, records) {
		collection, key := mind.DocumentKey(scope, f.id)
		refs = append(refs, ledger.Ref{Collection: collection, ID: key})
	}
	from, err := docs.ReadAhead(ctx, slices.Clone(refs)...) // it keeps the list for itself
	if err != nil {
		return out, err
	}
	for _, ref := range refs {
		if err := out.take(ctx, d, from, ref, f.m.c.Now()); err != nil && !errors.Is(err, state.ErrNotFound) {
			return out, err
		}
	}
	return out, nil
}

// filing is a document of the index and its place in time.
type filing struct {
	id    string
	order int64
}

// filedUnder lists what the index has of an affair, oldest first. The caller holds the mind.
func filedUnder(d *mind.Mind, scope state.Scope, affair string) (messages, records []filing) {
	d.Index.Matching(words.Filter{
		Affair: func(of string) bool { return of != "" && d.Joined.Of(of) == affair },
		Doc: func(doc *words.Doc) bool {
			switch {
			case mind.IsRecord(doc):
				records = append(records, filing{doc.ID, doc.Order})
			case mind.Kind(doc) == state.MessageRecord && !mind.Foreign(doc, scope.Session):
				messages = append(messages, filing{doc.ID, doc.Order})
			}
			return false
		},
	}, 1)

	for _, list := range [][]filing{messages, records} {
		slices.SortFunc(list, func(a, b filing) int { return cmp.Or(cmp.Compare(a.order, b.order), strings.Compare(a.id, b.id)) })
	}
	return messages, records
}

// of returns the page of a list, oldest first, and how many of it are not in it.
func (p Page) of(list []filing) (page []filing, left int) {
	end := max(0, len(list)-p.Skip)
	page = list[max(0, end-p.Limit):end]
	return page, len(list) - len(page)
}

// take reads one document into the dossier. A record that is over is passed over.
func (d *Dossier) take(ctx context.Context, known *mind.Mind, from ledger.Reader, ref ledger.Ref, now time.Time) error {
	if ref.Collection == state.Messages {
		msg, err := ledger.Get[state.Message](ctx, from, ref.Collection, ref.ID)
		if err == nil && !msg.Undone {
			session := mind.SessionOf(ref.ID)
			d.Messages = append(d.Messages, Filed{session, known.Unsay(session, msg)})
		}
		return err
	}

	r, err := ledger.Get[state.Record](ctx, from, ref.Collection, ref.ID)
	if err != nil || !r.Valid(now) {
		return err
	}
	d.Records = append(d.Records, r)
	for _, link := range r.Links {
		if id, ok := strings.CutPrefix(link, "id:"); ok && !slices.Contains(d.Identifiers, id) {
			d.Identifiers = append(d.Identifiers, id)
		}
	}
	return nil
}

// Markdown writes the dossier in its language, with at most so many tokens as count counts them (0 = all): the document first, then records
// and links, then as many of the last messages as fit. What is left out is said. Values are quoted, so that none opens a heading.
func (d Dossier) Markdown(limit int, count func(string) int) string {
	if limit <= 0 {
		limit = math.MaxInt / 2
	}
	w := writer{lang: d.Language, left: limit, count: count}
	w.head(affair.Document(d.Affair, d.Language), limit/2)

	// Records and links, the latest records first to get room.
	var records, linked, said []string
	for _, r := range d.Records {
		records = append(records, "- "+quote.Item(mind.RecordText(r))+" ("+string(r.Kind)+", "+r.RecordedAt.Format(time.DateOnly)+trustMark(r.Trust)+")")
	}
	w.list("records", records, d.LeftOut.Records)
	for _, l := range d.Linked {
		switch {
		case l.Affair != nil:
			linked = append(linked, "- "+quote.Item(l.Affair.Title)+" ["+string(l.Affair.Status)+"] id "+l.ID)
		case l.Record.Affair == "": // what is another affair's stays there
			linked = append(linked, "- "+quote.Item(mind.RecordText(*l.Record)))
		}
	}
	w.list("linked", linked, 0)
	for _, msg := range d.Messages {
		said = append(said, fmt.Sprintf("- %s %s: %s", msg.At.Format("2006-01-02 15:04"), msg.Role, quote.Item(msg.Text)))
	}
	w.list("messages", said, d.LeftOut.Messages)
	return w.String()
}

// writer writes as much as fits.
type writer struct {
	strings.Builder
	lang  string
	left  int // tokens
	count func(string) int
}

func (w *writer) add(s string) {
	w.left -= w.count(s)
	w.WriteString(s)
}

// head writes as many lines of a document as fit into a limit.
func (w *writer) head(document string, limit int) {
	lines := strings.SplitAfter(document, "\n")
	n := 0
	for n < len(lines) {
		if limit -= w.count(lines[n]); limit < 0 {
			break
		}
		w.add(lines[n])
		n++
	}
	if left := len(lines) - n; left > 0 {
		w.add(fmt.Sprintf("[%s: %d]\n", facts.Phrase("left out", w.lang), left))
	}
}

// leftOutTokens is kept for the line that tells what is left out.
const leftOutTokens = 24

// list writes a heading, how many things are left out, and as many of the last lines as fit.
func (w *writer) list(what string, lines []string, left int) {
	if len(lines)+left == 0 {
		return
	}
	heading := "\n## " + facts.Phrase("heading "+what, w.lang) + "\n"

	// The last lines that have room; the heading and the line about what is left out have it already.
	room, from := w.left-w.count(heading)-leftOutTokens, len(lines)
	for from > 0 {
		if room -= w.count(lines[from-1] + "\n"); room < 0 {
			break
		}
		from--
	}

	w.add(heading)
	if left += from; left > 0 {
		w.add(fmt.Sprintf("[%s: %d]\n", facts.Phrase("left out", w.lang), left))
	}
	for _, line := range lines[from:] {
		w.add(line + "\n")
	}
}
