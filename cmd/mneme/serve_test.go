package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
)

const servedKey = "a-key-for-the-tests-of-serve"

// served is mneme serve in a process of its own.
type served struct {
	cmd  *exec.Cmd
	at   string
	said *bytes.Buffer // its log
	out  *bufio.Reader
}

// startServe starts it on a folder and waits until it answers. It is killed at the end of the test at the latest.
func startServe(t *testing.T, dir string, environ ...string) *served {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	s := &served{said: &bytes.Buffer{}}
	s.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), self, "serve", "--listen", "127.0.0.1:0", "--json")
	s.cmd.Env = append([]string{"MNEME_ACCESS_KEY=" + servedKey, "MNEME_DIR=" + dir, "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, environ...)
	s.cmd.Stderr = s.said
	out, err := s.cmd.StdoutPipe()
	must(t, err)
	must(t, s.cmd.Start())
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() })
	s.out = bufio.NewReader(out)
	line, err := s.out.ReadString('\n')
	var greeting struct{ Address string }
	if err != nil || json.Unmarshal([]byte(line), &greeting) != nil || greeting.Address == "" {
		t.Fatalf("it does not answer: %q, %v\n%s", line, err, s.said)
	}
	s.at = greeting.Address
	return s
}

// turn says something; last is where a stream is taken up, "-" asks for JSON.
func (s *served) turn(ctx context.Context, body map[string]any, last string) (status int, raw []byte, err error) {
	in, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.at+"/api/v1/turns", bytes.NewReader(in))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+servedKey)
	r.Header.Set("Content-Type", "application/json")
	if last != "-" {
		r.Header.Set("Accept", "text/event-stream")
		r.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err = io.ReadAll(resp.Body)
	return resp.StatusCode, raw, err
}

func (s *served) get(t *testing.T, path string, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.at+path, nil)
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+servedKey)
	resp, err := http.DefaultClient.Do(r)
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, resp.StatusCode, err)
	}
}

// The lines that mneme serve prints work as they stand, and it ends in order.
func TestServePrintsLinesThatWork(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("needs curl")
	}
	self, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), self, "serve", "--dir", filepath.Join(t.TempDir(), "new"), "--listen", "127.0.0.1:0")
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	var lines []string
	in := bufio.NewScanner(out)
	for in.Scan() && !strings.HasPrefix(in.Text(), "GET /docs,") {
		if line := strings.TrimSpace(in.Text()); strings.HasPrefix(line, "curl ") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 3 {
		t.Fatalf("%q", lines)
	}
	for i, want := range []string{"Brake pads", "07-14244-53150", "07-14244-53150"} {
		got, err := exec.CommandContext(t.Context(), "bash", "-c", lines[i]).Output()
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s\n%s, %v; want %s in it", lines[i], got, err, want)
		}
	}
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// Two replicas on one store, one of which is killed again and again: what was acknowledged is there once, and what was not is gone on with when it is sent again.
func TestReplicasAreKilled(t *testing.T) {
	t.Parallel()
	for name, environ := range map[string]func(t *testing.T) []string{
		"on a folder":  func(*testing.T) []string { return nil },
		"on a MongoDB": func(t *testing.T) []string { t.Helper(); return []string{"MNEME_MONGO_URI=" + mongotest.Shared(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killReplicas(t, environ(t))
		})
	}
}

func killReplicas(t *testing.T, environ []string) {
	t.Helper()
	dir := t.TempDir()
	const sessions, turns, kills = 4, 6, 4
	var mu sync.Mutex
	replicas := []*served{startServe(t, dir, environ...), startServe(t, dir, environ...)}
	pick := func(n int) *served {
		mu.Lock()
		defer mu.Unlock()
		return replicas[n%2]
	}
	done := make(chan struct{})
	var all sync.WaitGroup
	for c := range sessions {
		all.Go(func() {
			for n := range turns {
				body := map[string]any{"message": fmt.Sprintf("Part %d of order %d-%d has come.", n, 100+c, 1000+n), "session_id": fmt.Sprint("s", c), "message_id": fmt.Sprintf("q-%d-%d", c, n), "user_id": fmt.Sprint("u", c)}
				for try := 0; ; try++ {
					status, raw, err := pick(c+try).turn(t.Context(), body, "-")
					if err == nil && status == http.StatusOK {
						break
					}
					if try > 200 || err == nil && !slices.Contains([]int{http.StatusConflict, http.StatusServiceUnavailable, http.StatusTooManyRequests}, status) {
						t.Errorf("session %d, turn %d: %d %s, %v", c, n, status, raw, err)
						return
					}
					time.Sleep(50 * time.Millisecond) // as a client waits before it sends again
				}
			}
		})
	}
	go func() { all.Wait(); close(done) }()
	for k := range kills {
		select {
		case <-done:
		case <-time.After(300 * time.Millisecond):
		}
		old := pick(k)
		_ = old.cmd.Process.Kill()
		_ = old.cmd.Wait()
		next := startServe(t, dir, environ...)
		mu.Lock()
		replicas[k%2] = next
		mu.Unlock()
	}
	<-done
	for c := range sessions {
		var list struct {
			Items []struct{ Role, Text, Turn string }
		}
		replicas[0].get(t, fmt.Sprintf("/api/v1/sessions/s%d/messages?limit=500&user_id=u%d", c, c), &list)
		said := map[string]int{}
		for _, m := range list.Items {
			said[m.Role+" "+m.Turn]++
		}
		for n := range turns {
			if id := fmt.Sprintf("q-%d-%d", c, n); said["user "+id] != 1 || said["assistant "+id] != 1 {
				t.Errorf("session %d, turn %d: said %d times, answered %d times", c, n, said["user "+id], said["assistant "+id])
			}
		}
	}
}

// A client whose stream was cut by a kill takes it up at the next process, and hears its end once.
func TestAStreamIsTakenUpBehindAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startServe(t, dir)
	body := map[string]any{"message": "I ordered brake pads, order number 07-14244-53150.", "session_id": "s1", "message_id": "cut-1"}
	_, whole, err := s.turn(t.Context(), body, "")
	if err != nil || !strings.Contains(string(whole), "event: run.end") {
		t.Fatalf("%s, %v", whole, err)
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s = startServe(t, dir)
	_, rest, err := s.turn(t.Context(), body, "cut-1:3")
	if err != nil || strings.Count(string(rest), "event: run.end") != 1 || !strings.HasPrefix(string(rest), "id: cut-1:4\n") {
		t.Errorf("%s, %v", rest, err)
	}
}

// Who sends his head a byte at a time is cut off, and others are answered meanwhile.
func TestSlowClientsAreCutOff(t *testing.T) {
	t.Parallel()
	if os.Getenv("MNEME_LONG") == "" {
		t.Skip("takes ten seconds; MNEME_LONG=1 runs it")
	}
	s := startServe(t, t.TempDir())
	var slow []net.Conn
	for range 100 {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.at, "http://"))
		must(t, err)
		defer func() { _ = conn.Close() }()
		if _, err := io.WriteString(conn, "POST /api/v1/turns HTTP/1.1\r\nHost: x\r\nX-Slow: "); err != nil {
			t.Fatal(err)
		}
		slow = append(slow, conn)
	}
	if status, raw, err := s.turn(t.Context(), map[string]any{"message": "Hello"}, "-"); err != nil || status != http.StatusOK {
		t.Errorf("beside slow ones: %d %s, %v", status, raw, err)
	}
	for _, conn := range slow {
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("a slow client keeps its connection")
		}
	}
}

func TestServeRefusesTheNetworkInClearText(t *testing.T) {
	t.Parallel()
	for _, bad := range [][]string{{"--listen", "0.0.0.0:0"}, {"--listen", "nonsense"}, {"--listen", "127.0.0.1:0", "--tls-cert", "x"}} {
		var out, said bytes.Buffer
		if code := run(t.Context(), append([]string{"serve", "--dir", t.TempDir()}, bad...), nil, strings.NewReader(""), &out, &said); code != 2 || !strings.Contains(said.String(), "TLS") && !strings.Contains(said.String(), "HOST:PORT") {
			t.Errorf("%q: %d, %s", bad, code, said.String())
		}
	}
}

func TestAccessKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ask := func(want int, args ...string) string {
		t.Helper()
		var out, said bytes.Buffer
		if code := run(t.Context(), append(append([]string{"access"}, args...), "--dir", dir), nil, strings.NewReader(""), &out, &said); code != want {
			t.Fatalf("%q: %d, %s", args, code, said.String())
		}
		return out.String()
	}
	var made struct {
		ID  string
		Key string `json:"access_key"`
	}
	if err := json.Unmarshal([]byte(ask(0, "create", "--for", "ann", "--role", "read", "--json")), &made); err != nil || made.Key == "" {
		t.Fatal(err, made)
	}
	if list := ask(0, "list"); !strings.Contains(list, made.ID) || !strings.Contains(list, "ann") || strings.Contains(list, made.Key) {
		t.Errorf("%s", list)
	}
	ask(0, "rotate", made.ID)
	ask(0, "revoke", made.ID)
	ask(3, "revoke", "0123456789abcdef")
	ask(2, "create", "--role", "root")
}

var must, same = statetest.Must, statetest.Same
