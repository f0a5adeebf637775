package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"
)

// service stands for a server that traces are sent to: it takes in what Langfuse's ingestion (/api/public/ingestion) and CozeLoop's
// (/v1/loop/traces/ingest) take in.
type service struct {
	*httptest.Server

	mu    sync.Mutex
	came  *sync.Cond
	texts strings.Builder // all that was sent
	spans []span
}

// span is one call, as either protocol tells of it.
type span struct {
	id, parent, name string
	began            time.Time
	ended            bool
}

func startService() *service {
	s := &service{}
	s.came = sync.NewCond(&s.mu)
	s.Server = httptest.NewServer(s)
	return s
}

// ServeHTTP takes in a batch of either protocol.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.came.Broadcast()
	s.texts.Write(body)
	answer := `{"code":0}`
	switch key, secret, _ := r.BasicAuth(); {
	case r.URL.Path == "/api/public/ingestion" && key == "pk" && secret == "sk":
		answer = `{"successes":[],"errors":[]}`
		err = s.takeEvents(body)
	case r.URL.Path == "/v1/loop/traces/ingest" && r.Header.Get("Authorization") == "Bearer pat":
		err = s.takeSpans(body)
	default:
		err = fmt.Errorf("%s is not served, or the key is wrong", r.URL.Path)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, answer)
}

// takeEvents takes in events of Langfuse: an observation begins with one and ends with another.
func (s *service) takeEvents(body []byte) error {
	var sent struct {
		Batch []struct {
			Type string
			Body struct {
				ID, Name, ParentObservationID string
				StartTime, EndTime            time.Time
			}
		}
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return err
	}
	for _, e := range sent.Batch {
		switch i := slices.IndexFunc(s.spans, func(at span) bool { return at.id == e.Body.ID }); {
		case e.Type == "span-create" || e.Type == "generation-create":
			s.spans = append(s.spans, span{id: e.Body.ID, parent: e.Body.ParentObservationID, name: e.Body.Name, began: e.Body.StartTime})
		case i >= 0:
			s.spans[i].ended = s.spans[i].ended || !e.Body.EndTime.IsZero()
		}
	}
	return nil
}

// takeSpans takes in spans of CozeLoop, which have ended.
func (s *service) takeSpans(body []byte) error {
	var sent struct {
		Spans []struct {
			ID     string `json:"span_id"`
			Parent string `json:"parent_id"`
			Name   string `json:"span_name"`
			Began  int64  `json:"started_at_micros"`
		}
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return err
	}
	for _, p := range sent.Spans {
		s.spans = append(s.spans, span{id: p.ID, parent: p.Parent, name: p.Name, began: time.UnixMicro(p.Began), ended: true})
	}
	return nil
}

// await waits until that many spans have come and have ended, and returns all that was sent.
func (s *service) await(spans int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.spans) < spans || slices.ContainsFunc(s.spans, func(at span) bool { return !at.ended }) {
		s.came.Wait()
	}
	return s.texts.String()
}

// tree is what has arrived, a line for each call below the one that it is part of.
func (s *service) tree() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortStableFunc(s.spans, func(a, b span) int { return a.began.Compare(b.began) })
	var b strings.Builder
	var write func(below, indent string)
	write = func(below, indent string) {
		for _, at := range s.spans {
			if at.parent != below && (below != "" || at.parent != "0") {
				continue
			}
			fmt.Fprint(&b, indent, at.name)
			if !at.ended {
				fmt.Fprint(&b, " (open)")
			}
			fmt.Fprintln(&b)
			write(at.id, indent+"  ")
		}
	}
	write("", "")
	return b.String()
}
