package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// send asks with the key and reads the answer; told that it asks too often it waits, as a client does.
func (s *served) send(ctx context.Context, method, path string, body map[string]any) (status int, raw []byte, err error) {
	for status, raw, err = s.sendOnce(ctx, method, path, body); status == http.StatusTooManyRequests; status, raw, err = s.sendOnce(ctx, method, path, body) {
		time.Sleep(10 * time.Millisecond)
	}
	return status, raw, err
}

func (s *served) sendOnce(ctx context.Context, method, path string, body map[string]any) (status int, raw []byte, err error) {
	in, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, s.at+path, bytes.NewReader(in))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+servedKey)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err = io.ReadAll(resp.Body)
	return resp.StatusCode, raw, err
}

// What was acknowledged as indexed is found by the next process, wherever the one that took it was killed.
func TestIngestedOutlivesAKill(t *testing.T) {
	t.Parallel()
	dir, kills := t.TempDir(), 4
	if os.Getenv("MNEME_LONG") != "" {
		kills = 40
	}
	var acknowledged []string
	s := startServe(t, dir)
	for k := range kills {
		at, process := time.Duration(100+37*k%200)*time.Millisecond, s.cmd.Process
		end := time.AfterFunc(at, func() { _ = process.Kill() })
		for n := 0; ; n++ {
			code := fmt.Sprintf("QX-%d-%d", 1000+k, 1000+n)
			status, _, err := s.send(t.Context(), http.MethodPost, "/api/v1/ingest-immediate",
				map[string]any{"content": "The parcel " + code + " is with the carrier.", "sourceUrn": "doc:" + code, "priority": 1})
			if err != nil {
				break
			}
			if status != http.StatusOK {
				t.Fatalf("%s: %d", code, status)
			}
			acknowledged = append(acknowledged, code)
		}
		end.Stop()
		_ = s.cmd.Wait()
		s = startServe(t, dir)
		began := time.Now()
		for _, code := range acknowledged[max(0, len(acknowledged)-20):] {
			status, raw, err := s.send(t.Context(), http.MethodPost, "/api/v1/recall", map[string]any{"text": "Where is the parcel " + code + "?"})
			if err != nil || status != http.StatusOK || !strings.Contains(string(raw), code+" is with the carrier") {
				t.Fatalf("%s was acknowledged and is gone: %d %s, %v", code, status, raw, err)
			}
		}
		const most = 3 * time.Second // seed 000: what was written as critical is found within it
		if took := time.Since(began); took > 10*most {
			t.Errorf("found after %v", took)
		}
	}
	t.Logf("%d acknowledged over %d kills, the last 20 before each asked for: all found", len(acknowledged), kills)
}

// A hundred affairs and a thousand questions stay within the RAM that seed 000 grants its caches together: 100, 50 and 500 MB.
func TestRAMOfAThousandQuestions(t *testing.T) {
	t.Parallel()
	affairs, questions := 20, 100
	if os.Getenv("MNEME_LONG") != "" {
		affairs, questions = 100, 1000
	}
	s := startServe(t, t.TempDir())
	for a := range affairs {
		for path, body := range map[string]map[string]any{
			"/api/v1/affairs": {"title": fmt.Sprint("Order ", a), "key_facts": map[string]string{"order number": fmt.Sprint("7000-", a)}, "topics": []string{"order"}},
			"/api/v1/ingest":  {"content": strings.Repeat(fmt.Sprintf("The carrier of order 7000-%d insures each parcel up to %d euro. ", a, 100+a), 30), "sourceUrn": fmt.Sprint("doc:", a)},
		} {
			if status, raw, err := s.send(t.Context(), http.MethodPost, path, body); err != nil || status >= http.StatusBadRequest {
				t.Fatalf("%s: %d %s, %v", path, status, raw, err)
			}
		}
	}
	for q := range questions {
		status, raw, err := s.send(t.Context(), http.MethodPost, "/api/v1/recall", map[string]any{"text": fmt.Sprintf("Up to how much is order 7000-%d insured, question %d?", q%affairs, q)})
		if err != nil || status != http.StatusOK || !strings.Contains(string(raw), fmt.Sprint("7000-", q%affairs)) {
			t.Fatalf("question %d: %d %s, %v", q, status, raw, err)
		}
	}
	proc, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Skip("tells what RAM a process took on Linux alone:", err)
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(proc)
	if m == nil {
		t.Fatalf("%s", proc)
	}
	kB, _ := strconv.Atoi(string(m[1]))
	const most = 650
	if t.Logf("%d affairs, %d questions: %d MB at most", affairs, questions, kB>>10); kB>>10 > most {
		t.Errorf("%d MB", kB>>10)
	}
}
