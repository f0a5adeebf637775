package service_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// stub is a server that speaks OpenAI's protocol. What it answers depends on the prompt alone.
type stub struct {
	*httptest.Server

	mu      sync.Mutex
	prompts int
	leaks   []string // prompts with the marks of two users
}

// marks are in everything that a user says; no two users have the same.
var marks = regexp.MustCompile(`mark-\w+-\w+`)

// refunds is how a message asks for one.
var refunds = regexp.MustCompile(`refund order (\S+) now`)

func serveModel(t *testing.T) *stub {
	t.Helper()
	s := &stub{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *stub) answer(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.look(string(body))

	// A refund is called once, then told; anything else is repeated.
	question, result := "", ""
	for _, m := range asked.Messages {
		switch text := fmt.Sprint(m.Content); m.Role {
		case "user":
			question, result = text, ""
		case "tool":
			result = text
		}
	}
	order := refunds.FindAllStringSubmatch(question, -1)
	switch {
	case result != "":
		say(w, "Done: "+result, "stop", "")
	case len(order) > 0:
		arguments, _ := json.Marshal(fmt.Sprintf(`{"order":%q,"amount":5}`, order[len(order)-1][1]))
		say(w, "", "tool_calls", fmt.Sprintf(`,"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"refund","arguments":%s}}]`, arguments))
	default:
		say(w, "Heard: "+question[max(0, len(question)-80):], "stop", "")
	}
}

// look looks for words of two users in one prompt.
func (s *stub) look(prompt string) {
	all := marks.FindAllString(prompt, -1)
	slices.Sort(all)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompts++
	if all = slices.Compact(all); len(all) > 1 {
		s.leaks = append(s.leaks, strings.Join(all, " "))
	}
}

// say streams an answer, word by word.
func say(w http.ResponseWriter, text, why, calls string) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta, reason string) {
		fmt.Fprintf(w, "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, reason)
		w.(http.Flusher).Flush()
	}
	for _, word := range strings.SplitAfter(text, " ") {
		send(fmt.Sprintf(`{"role":"assistant","content":%s%s}`, quote(word), calls), "null")
	}
	send("{}", quote(why))
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func quote(s string) string {
	text, _ := json.Marshal(s) // a string always can be
	return string(text)
}
