package batch

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/state"
)

// FuzzAnswers hands each service any answer: nothing panics, and every error has a code.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"id":"b1","status":"completed","output_file_id":"f"}`, `{"custom_id":"a","result":{"type":"succeeded"}}`, "", "null", "[]", "{", "\n\n{}",
		`{"name":"batches/x","metadata":{"state":"BATCH_STATE_SUCCEEDED"},"response":{"inlinedResponses":{"inlinedResponses":[1,{}]}}}`,
		`{"custom_id":"a","response":{"status_code":200,"body":{"choices":[{"message":{"content":"x"}}]}}}`, `{"data":[{"id":"x"}],"has_more":true}`,
		`{"response":{"responsesFile":"files/../../x"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(raw) }))
		defer server.Close()
		for _, v := range vendors() {
			s, err := Open(Config{Provider: v.name, BaseURL: server.URL, Retries: -1})
			if err != nil {
				t.Fatal(err)
			}
			b := extraction.Batch{ID: "job", Model: "m", Count: 1, Items: []extraction.Item{{ID: "a", Prompt: "?"}}}
			_, no1 := s.Submit(t.Context(), b)
			_, no2 := s.Find(t.Context(), b)
			_, no3 := s.Status(t.Context(), "x")
			no4 := s.Results(t.Context(), "x", func(extraction.Result) error { return nil })
			for i, err := range []error{no1, no2, no3, no4} {
				if typed := (*state.Error)(nil); err != nil && !errors.As(err, &typed) {
					t.Errorf("%s, call %d: %v", v.name, i, err)
				}
			}
		}
	})
}
