package batchtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Faults are switches for what goes wrong. The zero value is a service that works: each batch is over at once.
type Faults struct {
	Busy   int    // so many calls get 429, with Retry-After
	Broken int    // so many calls get 500
	Lost   int    // so many batches are made without an answer: the connection is cut
	Cut    int    // so many results are cut amid a line
	Half   bool   // the last line of results is half a line
	Twice  bool   // each result comes twice
	Miss   bool   // the first item has no result
	Turned bool   // results come in the reverse order
	Errs   bool   // the first item is an error
	State  string // told in place of the true state
	Runs   bool   // no batch is over
	Fails  bool   // a batch fails as a whole
	Expire bool   // a batch expires when half of it is answered
	Gone   bool   // no batch is known any more
	Refuse int    // each call gets this status, if there is one
}

// Stub is the server. It is safe for concurrent use.
type Stub struct {
	Now func() time.Time // when batches are made; set it before use; default time.Now

	answer func(prompt string) string

	mu      sync.Mutex
	faults  Faults
	files   map[string][]byte
	batches []*made
	calls   int
}

// made is a batch.
type made struct {
	id, ours, model string
	keys, prompts   []string
	at              time.Time
	cancelled       bool
}

// New makes a Stub that answers prompts.
func New(answer func(prompt string) string) *Stub {
	return &Stub{Now: time.Now, answer: answer, files: map[string][]byte{}}
}

// Path returns where under the server a provider's address ends.
func Path(provider string) string {
	if provider == "openai" {
		return "/v1"
	}
	return ""
}

// Set sets the switches.
func (s *Stub) Set(f Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

// Calls returns how many calls there were.
func (s *Stub) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// Jobs returns the ids of ours of all batches that were made, and Asked is how often each prompt was asked.
func (s *Stub) Jobs() (ours []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.batches {
		ours = append(ours, b.ours)
	}
	return ours
}

// Asked returns how many prompts were asked that hold a text.
func (s *Stub) Asked(text string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.batches {
		for _, p := range b.prompts {
			if strings.Contains(p, text) {
				n++
			}
		}
	}
	return n
}

// ServeHTTP answers a call of any of the three services.
func (s *Stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()

	// Some faults keep a call from being served.
	s.calls++
	f := &s.faults
	switch {
	case f.Refuse > 0:
		refuse(w, f.Refuse, "refused by the stub, with key "+r.Header.Get("Authorization")+r.Header.Get("x-api-key")+r.Header.Get("x-goog-api-key"))
		return
	case f.Busy > 0:
		f.Busy--
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "busy")
		return
	case f.Broken > 0:
		f.Broken--
		refuse(w, http.StatusInternalServerError, "broken")
		return
	}

	// OpenAI's upload comes before the others: it is the only call whose body is no JSON.
	body := new(bytes.Buffer)
	if file, _, err := r.FormFile("file"); err == nil { // OpenAI's upload
		if _, err := body.ReadFrom(file); err != nil {
			refuse(w, http.StatusBadRequest, err.Error())
			return
		}
		id := "file-" + strconv.Itoa(len(s.files)+1)
		s.files[id] = body.Bytes()
		write(w, map[string]any{"id": id, "object": "file", "purpose": r.FormValue("purpose")})
		return
	}
	if _, err := body.ReadFrom(r.Body); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}

	// The path says which service is meant.
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, "/v1/messages/batches"):
		s.anthropic(w, r, strings.TrimPrefix(strings.TrimPrefix(path, "/v1/messages/batches"), "/"), body.Bytes())
	case strings.HasPrefix(path, "/download/v1beta/files/"):
		name := strings.TrimSuffix(strings.TrimPrefix(path, "/download/v1beta/files/"), ":download")
		if b := s.find(w, strings.TrimPrefix(name, "out-")); b != nil {
			s.lines(w, s.googleLines(b))
		}
	case strings.HasPrefix(path, "/v1beta/"):
		s.google(w, r, strings.TrimPrefix(path, "/v1beta/"), body.Bytes())
	case strings.HasPrefix(path, "/v1/files/"):
		s.file(w, strings.TrimPrefix(path, "/v1/files/"))
	case strings.HasPrefix(path, "/v1/batches"):
		s.openai(w, r, strings.TrimPrefix(strings.TrimPrefix(path, "/v1/batches"), "/"), body.Bytes())
	default:
		refuse(w, http.StatusNotFound, "no such path")
	}
}

// refuse answers with an error as all three say it.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	write(w, map[string]any{"type": "error", "error": map[string]any{"message": message}})
}

func write(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// make keeps a batch, and answers what it looks like unless the answer is to be lost.
func (s *Stub) make(w http.ResponseWriter, b *made, look func(*made) any) {
	b.id, b.at = "b"+strconv.Itoa(len(s.batches)+1), s.Now()
	s.batches = append(s.batches, b)
	if s.faults.Lost > 0 {
		s.faults.Lost--
		panic(http.ErrAbortHandler)
	}
	write(w, look(b))
}

// find returns the batch of an id; it answers 404 where there is none.
func (s *Stub) find(w http.ResponseWriter, id string) *made {
	at := slices.IndexFunc(s.batches, func(b *made) bool { return b.id == id })
	if at < 0 || s.faults.Gone {
		refuse(w, http.StatusNotFound, "no such batch")
		return nil
	}
	return s.batches[at]
}

// newest returns the batches behind one id, the newest first, two at a time; more says that there are others.
func (s *Stub) newest(after string) (page []*made, more bool) {
	const size = 2
	all := slices.Clone(s.batches)
	slices.Reverse(all)
	if at := slices.IndexFunc(all, func(b *made) bool { return b.id == after }); at >= 0 {
		all = all[at+1:]
	}
	if s.faults.Gone {
		all = nil
	}
	return all[:min(size, len(all))], len(all) > size
}

// outcome is what became of one item.
type outcome struct{ key, text, err string }

// outcomes returns those of a batch. Late are the items that it did not come to.
func (s *Stub) outcomes(b *made) (done []outcome, late []string) {
	f := s.faults
	for i, key := range b.keys {
		switch {
		case b.cancelled, f.Fails, f.Expire && i >= len(b.keys)/2:
			late = append(late, key)
		case f.Miss && i == 0:
		case f.Errs && i == 0:
			done = append(done, outcome{key: key, err: "this one failed"})
		default:
			done = append(done, outcome{key: key, text: s.answer(b.prompts[i])})
		}
	}

	if f.Twice {
		done = append(done, done...)
	}
	if f.Turned {
		slices.Reverse(done)
	}
	return done, late
}

// lines writes results as JSON lines, with the faults that lines may have.
func (s *Stub) lines(w http.ResponseWriter, list []any) {
	var all bytes.Buffer
	for _, v := range list {
		if err := json.NewEncoder(&all).Encode(v); err != nil {
			panic(err)
		}
	}

	raw := all.Bytes()
	switch {
	case len(raw) == 0:
	case s.faults.Cut > 0:
		s.faults.Cut--
		w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
		raw = raw[:len(raw)*2/3]
	case s.faults.Half:
		raw = raw[:len(raw)-20]
	}
	if _, err := w.Write(raw); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// over returns the state of a batch: one of the words for running, ended, failed, expired, cancelled.
func (s *Stub) over(b *made, words [5]string) string {
	switch f := s.faults; {
	case f.State != "":
		return f.State
	case b.cancelled:
		return words[4]
	case f.Runs:
		return words[0]
	case f.Fails:
		return words[2]
	case f.Expire:
		return words[3]
	}
	return words[1]
}

// cancel ends a batch, unless it is over.
func (s *Stub) cancel(w http.ResponseWriter, b *made, look func(*made) any) {
	if !s.faults.Runs {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("batch %s is over", b.id))
		return
	}
	b.cancelled = true
	write(w, look(b))
}
