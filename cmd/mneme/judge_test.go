package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mneme-graph/mneme/memory/score"
	"github.com/mneme-graph/mneme/state"
)

// judgeServer answers detection as the gold of a file says, over HTTP as models do. It looks the message up behind the
// last one it was asked about.
type judgeServer struct {
	*httptest.Server
	lines []score.Line

	mu    sync.Mutex
	at    int
	asked []string // prompts
	fails int      // so many calls get no answer first
}

func newJudge(t *testing.T, file string) *judgeServer {
	t.Helper()
	in, err := os.Open(file)
	must(t, err)
	defer in.Close()
	read, err := score.Read(in)
	must(t, err)
	j := &judgeServer{lines: slices.Concat(read...)}
	j.Server = httptest.NewServer(http.HandlerFunc(j.serve))
	t.Cleanup(j.Close)
	return j
}

// environ names the judge as the small model.
func (j *judgeServer) environ() []string {
	return []string{"MNEME_SMALL_MODEL=openai:judge", "MNEME_SMALL_MODEL_BASE_URL=" + j.URL + "/v1"}
}

func (j *judgeServer) serve(w http.ResponseWriter, r *http.Request) {
	var request struct{ Messages []struct{ Content string } }
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	prompt := request.Messages[0].Content
	j.asked = append(j.asked, prompt)
	answer := j.answer(prompt)
	if j.fails > 0 {
		j.fails--
		answer = "I would rather not."
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`, answer)
}

// answer is what gold says of the message in the prompt.
func (j *judgeServer) answer(prompt string) string {
	if !strings.HasPrefix(prompt, "Task: detect\n") {
		return "I only judge."
	}
	_, message, _ := strings.Cut(prompt, "\n## New message")
	_, message, _ = strings.Cut(message, "\n\n")
	var said string
	if err := json.Unmarshal([]byte(strings.TrimSpace(message)), &said); err != nil {
		return err.Error()
	}
	for ; j.at < len(j.lines); j.at++ {
		l := j.lines[j.at]
		if l.Role != state.RoleUser || l.Text != said {
			continue
		}
		j.at++
		target := l.Gold.Affair
		if l.Gold.Type == state.NewAffair || l.Gold.Type == state.Continue {
			target = ""
		}
		return fmt.Sprintf(`{"type":%q,"target_affair":%q,"confidence":0.99}`, l.Gold.Type, target)
	}
	return "there is no such message"
}

// figures runs eval detect on a file and reads what it prints.
func figures(t *testing.T, environ []string, args ...string) (score.Figures, result) {
	t.Helper()
	got := mneme(t, "", environ, append([]string{"eval", "detect", "--json"}, args...)...)
	var f score.Figures
	if err := json.Unmarshal([]byte(got.out), &f); err != nil || got.code != 0 {
		t.Fatalf("eval detect %v = %d, %q, %q: %v", args, got.code, got.out, got.err, err)
	}
	return f, got
}

const talked = "../../memory/internal/detect/testdata/dialogues/en-w1.jsonl"

// What is measured is the product's own decision, with a model over HTTP that knows what is right.
func TestEvalDetectWithAPerfectJudge(t *testing.T) {
	t.Parallel()
	for _, detect := range []string{"rules", "hybrid", "model"} {
		t.Run(detect, func(t *testing.T) {
			t.Parallel()
			j := newJudge(t, talked)
			out := filepath.Join(t.TempDir(), "p.jsonl")
			f, got := figures(t, j.environ(), "--data", talked, "--detect", detect, "--predictions", out)

			// What was asked is what is told, in figures and predictions.
			counted, all := 0, 0
			raw, err := os.ReadFile(out)
			must(t, err)
			for line := range strings.Lines(string(raw)) {
				counted += strings.Count(line, `"asked":true`)
				all++
			}
			if counted != len(j.asked) || all <= f.N || f.Failed != 0 {
				t.Errorf("asked %d times, %d of %d predictions say so, %d failed (%s)", len(j.asked), counted, all, f.Failed, f.LastError)
			}
			if !strings.Contains(got.err, "7 of 7 conversations") {
				t.Errorf("stderr %q does not say how far it is", got.err)
			}
			switch detect {
			case "rules":
				if f.Asked != 0 || f.SureWrong < 1-f.Accuracy-1e-9 {
					t.Errorf("asked %v, sure and wrong %v, accuracy %v; want nobody asked and every mistake sure", f.Asked, f.SureWrong, f.Accuracy)
				}
			case "model":
				if f.Asked != 1 || f.Accuracy != 1 || f.RightAffair != 1 || f.SureWrong != 0 {
					t.Errorf("asked %v, accuracy %v, right affair %v; want all asked and right", f.Asked, f.Accuracy, f.RightAffair)
				}
			case "hybrid":
				if f.Asked == 0 || f.Asked == 1 || f.Accuracy < 1-f.SureWrong-1e-9 {
					t.Errorf("asked %v, accuracy %v, sure and wrong %v; want no mistake but the sure ones", f.Asked, f.Accuracy, f.SureWrong)
				}
			}

			// The ids of affairs are the labels of the file.
			for _, prompt := range j.asked {
				_, shown, _ := strings.Cut(prompt, "## Current affair")
				if strings.Contains(shown, `id "`) && !strings.Contains(shown, `id "a`) {
					t.Fatalf("the prompt names affairs otherwise:\n%s", shown)
				}
			}
		})
	}
}

func TestEvalDetectSaysWhatFailed(t *testing.T) {
	t.Parallel()
	j := newJudge(t, talked)
	j.fails = 3
	f, got := figures(t, j.environ(), "--data", talked, "--detect", "model")
	if f.Failed != 3 || f.Asked != 1 || !strings.Contains(got.err, "3 times the model gave no answer") || !strings.Contains(got.err, "I would rather not") {
		t.Errorf("%d failed, asked %v, stderr %q; want 3, all asked and the last error", f.Failed, f.Asked, got.err)
	}
	if got := mneme(t, "", nil, "eval", "detect", "--data", talked, "--detect", "model"); got.code != 2 || !strings.Contains(got.err, "--small-model") {
		t.Errorf("without a model: %d, %q; want usage and the way out", got.code, got.err)
	}
	if got := mneme(t, "", j.environ(), "eval", "detect", "--data", talked); !strings.Contains(got.out, "the model was asked") || !strings.Contains(got.out, "wrong without asking") {
		t.Errorf("the table does not tell what was asked:\n%s", got.out)
	}
}

// TestJudgedDialogues prints how hybrid does with a perfect judge, of each of the files that MNEME_TEST_JUDGED names (a glob), and of
// all of them together.
func TestJudgedDialogues(t *testing.T) {
	t.Parallel()
	pattern := os.Getenv("MNEME_TEST_JUDGED")
	if pattern == "" {
		t.Skip("set MNEME_TEST_JUDGED to the files, as '../../memory/internal/detect/testdata/dialogues/*-w[56].jsonl'")
	}
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	all, of := 0.0, [5]float64{}
	for _, file := range files {
		f, _ := figures(t, newJudge(t, file).environ(), "--data", file, "--detect", "hybrid")
		figures, n := [5]float64{f.Accuracy, f.RightAffair, f.FalsePark, f.Asked, f.SureWrong}, float64(f.N)
		t.Logf("%s: n %d, accuracy, right affair, false park, asked, sure and wrong %.3f", filepath.Base(file), f.N, figures)
		for i, x := range figures {
			of[i] = (of[i]*all + x*n) / (all + n)
		}
		all += n
	}
	t.Logf("all: n %.0f, accuracy, right affair, false park, asked, sure and wrong %.3f", all, of)
}
