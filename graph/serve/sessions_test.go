package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/state"
)

const pads = "I ordered brake pads on eBay, order number 07-14244-53150, they should arrive on Friday."

// says has a service be told something in session s1 of the key's user.
func saysAll(t *testing.T, s *service, texts ...string) {
	t.Helper()
	for _, text := range texts {
		s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"session_id": "s1", "message": text})
	}
}

// Who wants the end of a long talk reads it first, and what came before page by page.
func TestMessagesNewestFirst(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	saysAll(t, s, pads, "Thanks!", "Bye!")
	var all listed[state.Message]
	s.must(t, http.StatusOK, "GET", "/api/v1/sessions/s1/messages", nil).into(t, &all)

	var seen []int64
	for cursor := ""; ; {
		var p listed[state.Message]
		s.must(t, http.StatusOK, "GET", "/api/v1/sessions/s1/messages?order=desc&limit=2&cursor="+cursor, nil).into(t, &p)
		for _, m := range p.Items {
			seen = append(seen, m.Seq)
		}
		if cursor = p.Next; cursor == "" {
			break
		}
	}
	if len(seen) != len(all.Items) {
		t.Fatalf("%d messages newest first, %d oldest first", len(seen), len(all.Items))
	}
	for i, seq := range seen {
		if want := all.Items[len(seen)-1-i].Seq; seq != want {
			t.Errorf("place %d has message %d, want %d", i, seq, want)
		}
	}
	s.must(t, http.StatusUnprocessableEntity, "GET", "/api/v1/sessions/s1/messages?order=newest", nil)
}

// A record that holds no longer is history; nobody has asked that what was said of it be hidden.
func TestEndingARecordHidesNoWords(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	saysAll(t, s, "Remember that my locker code is 4471.")
	var found listed[state.Record]
	s.must(t, http.StatusOK, "GET", "/api/v1/records?q=4471", nil).into(t, &found)
	if len(found.Items) != 1 {
		t.Fatalf("%+v", found)
	}
	var ended state.Record
	s.must(t, http.StatusOK, "PATCH", "/api/v1/records/"+found.Items[0].ID, object{"ended": true}).into(t, &ended)
	if ended.ValidTo == nil || !strings.Contains(ended.Content, "4471") {
		t.Errorf("%+v", ended)
	}
	said := string(s.must(t, http.StatusOK, "GET", "/api/v1/sessions/s1/messages", nil).body)
	if !strings.Contains(said, "4471") || strings.Contains(said, "[forgotten]") {
		t.Error(said)
	}
	s.must(t, http.StatusOK, "GET", "/api/v1/records", nil).into(t, &found)
	for _, r := range found.Items {
		if r.ID == ended.ID {
			t.Error("it is listed as what holds")
		}
	}
}

// A session that has ended is still called by what it was about; and a turn that a person put elsewhere says so in its account.
func TestWhatASessionIsCalled(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	saysAll(t, s, pads)
	var affairs listed[struct{ ID string }]
	s.must(t, http.StatusOK, "GET", "/api/v1/affairs", nil).into(t, &affairs)
	if len(affairs.Items) != 1 {
		t.Fatalf("%+v", affairs)
	}
	first := affairs.Items[0].ID

	var session state.Session
	s.must(t, http.StatusOK, "POST", "/api/v1/sessions/s1/end", nil).into(t, &session)
	if len(session.Touched) != 0 || len(session.TouchedLast) != 1 || session.TouchedLast[0] != first {
		t.Errorf("%+v", session)
	}

	saysAll(t, s, "Also, I must file the application to Unicorn University by 30 March.")
	var said listed[state.Message]
	s.must(t, http.StatusOK, "GET", "/api/v1/sessions/s1/messages?order=desc", nil).into(t, &said)
	turn := said.Items[0].Turn
	account := func() (a struct {
		PutUnder string `json:"put_under"`
	}) {
		s.must(t, http.StatusOK, "GET", "/api/v1/sessions/s1/turns/"+turn, nil).into(t, &a)
		return a
	}
	if got := account().PutUnder; got != "" {
		t.Errorf("put under %q by nobody", got)
	}
	s.must(t, http.StatusOK, "POST", "/api/v1/affairs/"+first+"/turns", object{"session_id": "s1", "turn_id": turn})
	if got := account().PutUnder; got != first {
		t.Errorf("put under %q, want %q", got, first)
	}
}
