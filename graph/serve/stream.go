package serve

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// heartbeat is how often a silent stream shows that it is alive.
const heartbeat = 15 * time.Second

// TurnEvent is the data of an event of a turn. Which of its fields are set depends on its name.
type TurnEvent struct {
	Event    string     `json:"event" enum:"run.start,node.start,node.end,context.decision,context.composed,token,tool.call,tool.result,question,error,run.end"`
	Run      string     `json:"run_id" doc:"The turn's id"`
	Seq      int64      `json:"seq" doc:"Grows by one with each event of the run"`
	Attempt  string     `json:"attempt,omitempty" doc:"A step that is done again streams under a new one: what came under the former is void"`
	Node     string     `json:"node,omitempty"`
	Text     string     `json:"text,omitempty" doc:"token: the piece; tool.call, tool.result: arguments, result"`
	Tool     string     `json:"tool,omitempty"`
	Call     string     `json:"call,omitempty"`
	Ms       int64      `json:"ms,omitempty" doc:"node.end: how long it took"`
	Decision *Decision  `json:"decision,omitempty"`
	Question *Question  `json:"question,omitempty"`
	Reply    *TurnReply `json:"reply,omitempty" doc:"run.end: as the JSON answer has it"`
	Problem  *Problem   `json:"problem,omitempty" doc:"run.end of a turn that failed"`
}

// wantsStream reports whether a client asks for events.
func wantsStream(accept string) bool { return strings.Contains(accept, "text/event-stream") }

// lastSeen is the number of the last event that a client has seen of a run; 0 = it has seen none, or names another run's.
func lastSeen(id, lastEventID string) int64 {
	of, seq, ok := cutLast(lastEventID, ":")
	n, err := strconv.ParseInt(seq, 10, 64)
	if !ok || of != id || err != nil || n < 0 {
		return 0
	}
	return n
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// stream sends the events of a run behind a number, until it ends or the client goes.
func (s *Server) stream(n *run, seq int64, leave func()) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer leave()
		r, w := humago.Unwrap(hc)
		h := w.Header()
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		h.Set("X-Accel-Buffering", "no")
		w.WriteHeader(http.StatusOK)
		s.follow(r.Context(), w, n, seq, func(seq int64, e runEvent) error {
			_, err := fmt.Fprintf(w, "id: %s:%d\nevent: %s\ndata: %s\n\n", n.id, seq, e.name, e.data)
			return err
		})
	}}
}

// follow writes the events of a run behind a number by put, until it ends or the client goes.
func (s *Server) follow(ctx context.Context, w http.ResponseWriter, n *run, seq int64, put func(int64, runEvent) error) {
	const patience = 30 * time.Second // for a client that does not read
	control := http.NewResponseController(w)
	for first, events := range s.told(ctx, n, seq) {
		_ = control.SetWriteDeadline(time.Now().Add(patience)) // a recorder has none
		var err error
		if len(events) == 0 {
			_, err = fmt.Fprint(w, ": alive\n\n")
		}
		for i := 0; i < len(events) && err == nil; i++ {
			err = put(first+int64(i), events[i])
		}
		if err != nil || control.Flush() != nil {
			return
		}
	}
}

// told hands out the events of a run behind a number, as many as there are at a time with the number of the first, until it ends or the context
// does. None of them say that there was none for long.
func (s *Server) told(ctx context.Context, n *run, seq int64) iter.Seq2[int64, []runEvent] {
	return func(yield func(int64, []runEvent) bool) {
		for {
			events, first, over, more := n.from(seq)
			if len(events) > 0 && !yield(first, events) || over {
				return
			}
			seq = first + int64(len(events)) - 1
			select {
			case <-more:
			case <-ctx.Done():
				return
			case <-s.c.After(heartbeat):
				if !yield(0, nil) {
					return
				}
			}
		}
	}
}
