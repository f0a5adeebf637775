package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/memory/embed"
)

// vectorServer speaks both protocols of embeddings. Its vector of a text is {length, first byte, 1}; those of the OpenAI
// protocol come in reverse order, numbered. Request n gets reply n if there is one that is not nil.
type vectorServer struct {
	*httptest.Server
	replies []http.HandlerFunc

	mu       sync.Mutex
	requests []vectorRequest
	pauses   []time.Duration
}

// vectorRequest is what the server was sent.
type vectorRequest struct {
	Path, Auth string
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions"`
	Format     string   `json:"encoding_format"`
	Truncate   *bool    `json:"truncate"`
}

func serveVectors(t *testing.T, replies ...http.HandlerFunc) *vectorServer {
	t.Helper()
	s := &vectorServer{replies: replies}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *vectorServer) answer(w http.ResponseWriter, r *http.Request) {
	got := vectorRequest{Path: r.URL.Path, Auth: r.Header.Get("Authorization")}
	if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, got)
	s.mu.Unlock()
	if n < len(s.replies) && s.replies[n] != nil {
		s.replies[n](w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	var items []string
	for i, text := range got.Input {
		v := fmt.Sprintf("[%d,%d,1]", len(text), text[0])
		if !strings.HasSuffix(got.Path, "/api/embed") {
			v = fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, v)
		}
		items = append(items, v)
	}
	if strings.HasSuffix(got.Path, "/api/embed") {
		fmt.Fprintf(w, `{"model":%q,"embeddings":[%s],"total_duration":14,"prompt_eval_count":7}`, got.Model, strings.Join(items, ","))
		return
	}
	slices.Reverse(items)
	fmt.Fprintf(w, `{"object":"list","model":%q,"data":[%s],"usage":{"prompt_tokens":5,"total_tokens":5}}`, got.Model, strings.Join(items, ","))
}

func (s *vectorServer) seen() ([]vectorRequest, []time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests, s.pauses
}

// config reaches the server; pauses are noted and not slept.
func (s *vectorServer) config(embedder string) provider.EmbedderConfig {
	base := s.URL
	if !strings.HasPrefix(embedder, "ollama:") {
		base += "/v1"
	}
	return provider.EmbedderConfig{
		Embedder: embedder, APIKey: testKey, BaseURL: base, HTTPClient: s.Client(),
		Now: func() time.Time { return time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC) },
		Sleep: func(ctx context.Context, pause time.Duration) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.pauses = append(s.pauses, pause)
			return ctx.Err()
		},
	}
}

func openEmbedder(t testing.TB, c provider.EmbedderConfig) *embed.Embedder {
	t.Helper()
	e, err := provider.OpenEmbedder(t.Context(), c)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return e
}

// wantVectors fails unless v are those of the server for texts.
func wantVectors(t *testing.T, v [][]float32, texts ...string) {
	t.Helper()
	if len(v) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(v), len(texts))
	}
	for i, s := range texts {
		want := []float64{float64(len(s)), float64(s[0]), 1}
		length := math.Hypot(math.Hypot(want[0], want[1]), want[2])
		for j := range want {
			if math.Abs(float64(v[i][j])-want[j]/length) > 1e-6 {
				t.Errorf("text %d: got %v, want the direction of %v", i, v[i], want)
				break
			}
		}
	}
}
