package forget

import (
	"maps"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// What says a thing among others loses the sentences that say it, and stays. An order names them by their places, so it holds no text of them, and
// whoever goes on with it cuts the same. The sentences of a document are counted through all its texts, in one order.

// sentencesOf cuts a text into sentences. "Dr. Wendt" is not the end of one.
func sentencesOf(s string) (out []string) {
	for line := range strings.Lines(s) {
		begins := len(out)
		for _, piece := range text.Sentences(line) {
			if last := len(out) - 1; last >= begins && abbreviated(out[last]) {
				out[last] += " " + piece
				continue
			}
			out = append(out, piece)
		}
	}
	return out
}

// abbreviated reports whether a text ends with an abbreviation that stands before a name or a number.
func abbreviated(s string) bool {
	word := s[strings.LastIndexAny(s, " (\"„«")+1:]
	return slices.Contains([]string{
		"dr.", "mr.", "mrs.", "ms.", "st.", "prof.", "no.", "nr.", "ing.", "mgr.", "mudr.", "p.", "č.", "čp.", "ul.", "tel.", "sv.", "św.", "inż.", "al.", "os.",
		"г.", "ул.", "д.", "кв.", "св.", "проф.", "тел.",
	}, strings.ToLower(word))
}

// cutSentences returns a text without some of its sentences. One that loses none is as it was.
func cutSentences(s string, goes func(sentence string) bool) string {
	var lines []string
	cut := false
	for line := range strings.Lines(s) {
		all := sentencesOf(line)
		kept := slices.DeleteFunc(slices.Clone(all), goes)
		cut = cut || len(kept) < len(all)
		if len(kept) > 0 {
			lines = append(lines, strings.Join(kept, " "))
		}
	}
	if !cut {
		return s
	}
	return strings.Join(lines, "\n")
}

// places counts the sentences of a document, and says which of them go.
type places struct {
	next  int
	goes  func(at int, sentence string) bool
	gone  []int
	texts []string // that go, and that somebody has said or brought
}

// everyPlace stands among places where nobody can tell them: all of the document's texts go.
const everyPlace = -1

// at picks the sentences that are at places.
func at(gone []int) *places {
	all := slices.Contains(gone, everyPlace)
	return &places{goes: func(at int, _ string) bool { return all || slices.Contains(gone, at) }}
}

// cut returns a text of the document without what goes.
func (p *places) cut(s string) string {
	return cutSentences(s, func(sentence string) bool { return p.take(sentence) })
}

// take counts a sentence, or a text that goes as a whole, and reports whether it goes.
func (p *places) take(s string) bool {
	here := p.next
	p.next++
	if !p.goes(here, s) {
		return false
	}
	p.gone, p.texts = append(p.gone, here), append(p.texts, s)
	return true
}

// list returns a list of texts without those that go.
func (p *places) list(list []string) []string { return slices.DeleteFunc(slices.Clone(list), p.take) }

// message is a message without its sentences that go. Of a file that says it only the text is kept.
func (p *places) message(msg state.Message) state.Message {
	msg.Text = p.cut(msg.Text)
	msg.Parts = slices.Clone(msg.Parts)
	for i := range msg.Parts {
		msg.Parts[i].Text = p.cut(msg.Parts[i].Text)
	}
	files := msg.Attachments
	msg.Attachments = nil
	for _, a := range files {
		was := a.Text
		if a.Text = p.cut(a.Text); a.Text != was {
			a.Data = nil
		}
		if !p.take(a.Name) {
			msg.Attachments = append(msg.Attachments, a)
		}
	}

	// What only the turn needed goes whole. None of it is the sender's words.
	said := len(p.texts)
	for _, s := range []*string{&msg.Reasoning, &msg.Sealed, &msg.System, &msg.Why} {
		if *s != "" && p.take(*s) {
			*s = ""
		}
	}
	p.texts = p.texts[:said]
	msg.Metadata = maps.Clone(msg.Metadata)
	for _, key := range slices.Sorted(maps.Keys(msg.Metadata)) {
		if p.take(msg.Metadata[key]) {
			delete(msg.Metadata, key)
		}
	}
	if msg.Extra != nil {
		brought := ""
		for _, x := range extraLines(msg) {
			brought += x.Value + "\n"
		}
		for _, file := range msg.Extra.Files {
			brought += file.Name + "\n" + file.Text + "\n"
		}
		if p.take(brought) {
			msg.Extra = nil
		}
	}
	return msg
}

// record returns a record without its sentences that go.
func (p *places) record(r state.Record) state.Record {
	r.Content = p.cut(r.Content)
	if p.take(r.Subject) {
		r.Subject = ""
	}
	return r
}

// affair returns an affair without its texts that go. A title that goes is empty.
func (p *places) affair(a state.Affair) state.Affair {
	if p.take(a.Title) {
		a.Title = ""
	}
	a.Summary = p.cut(a.Summary)
	a.Topics, a.PendingActions = p.list(a.Topics), p.list(a.PendingActions)
	a.KeyFacts = slices.DeleteFunc(slices.Clone(a.KeyFacts), func(f state.Fact) bool { return p.take(f.Label + ": " + f.Value) })
	a.PastFacts = slices.DeleteFunc(slices.Clone(a.PastFacts), func(f state.Past) bool { return p.take(f.Label + ": " + f.Value) })
	return a
}

// cutLayer is the layer of a receipt that counts messages and records which lose sentences.
const cutLayer = "cut"

// cutDocuments returns the cuts of messages and records. An affair and a session lose theirs when they are made again.
func cutDocuments(cuts []state.OrderCut) []state.OrderCut {
	return slices.DeleteFunc(slices.Clone(cuts), func(c state.OrderCut) bool {
		of := parseRef(c.Ref).Collection
		return of != state.Messages && of != state.Records
	})
}

func isCut(cuts []state.OrderCut, ref string) bool {
	return slices.ContainsFunc(cuts, func(c state.OrderCut) bool { return c.Ref == ref })
}

// cutBody returns a message or a record without the sentences at some places.
func cutBody(doc store.Doc, gone []int) ([]byte, error) {
	var left any
	if doc.Collection == state.Messages {
		msg, err := ledger.Decode[state.Message](doc)
		if err != nil {
			return nil, err
		}
		left = at(gone).message(msg)
	} else {
		r, err := ledger.Decode[state.Record](doc)
		if err != nil {
			return nil, err
		}
		left = at(gone).record(r)
	}
	body, err := bson.Marshal(left)
	if err != nil {
		return nil, state.Errorf(state.Internal, doc.ID, "cannot be stored: %w", err)
	}
	return body, nil
}
