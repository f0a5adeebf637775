package memory

import (
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/index/words"
	"github.com/mneme-graph/mneme/state"
)

// docID names a document in the index: its collection and its key there.
func docID(c state.Collection, id string) string { return string(c) + ":" + id }

func affairDoc(id string, a state.Affair) words.Doc {
	body := []string{a.Title, a.Summary}
	for _, f := range a.KeyFacts {
		body = append(body, f.Label+": "+f.Value)
	}
	body = append(body, a.PendingActions...)
	return words.Doc{
		ID: docID(state.Affairs, id), Text: strings.Join(body, "\n"), Affair: a.ID, Kind: string(state.Affairs), Order: order(a.UpdatedAt, 0),
	}
}

func recordDoc(id string, r state.Record) words.Doc {
	return words.Doc{
		ID: docID(state.Records, id), Text: r.Subject + "\n" + r.Content, Head: r.RecordedAt.Format("2 January 2006"),
		Affair: r.Affair, Kind: string(state.Records), Order: order(r.RecordedAt, 0),
	}
}

func messageDoc(id string, msg state.Message) words.Doc {
	session := strings.TrimSuffix(id, "/"+state.SeqKey(msg.Seq))
	head := string(msg.Role)
	if msg.Speaker != "" {
		head = msg.Speaker
	}
	return words.Doc{
		ID: docID(state.Messages, id), Text: msg.Text, Head: head + " " + msg.At.Format("2 January 2006"),
		Group: session, Order: order(msg.At, msg.Seq), Affair: msg.Affair, Kind: string(state.Messages), Role: msg.Role,
	}
}

// order is age for the index: time first, then the number in the session, since a turn's messages share a time.
func order(at time.Time, seq int64) int64 { return at.UnixMilli()<<12 | seq&0xfff }
