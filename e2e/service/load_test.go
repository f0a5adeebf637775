package service_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// house runs the service, one process after the other, on one folder.
type house struct {
	dir, ledger string
	model       *stub

	mu     sync.Mutex
	up     chan struct{} // closed while a process answers at addr
	addr   string
	done   int      // turns
	sent   int      // requests
	wrong  []string // what no client should see
	passed chan int // told of each turn that is done
}

// start starts a process and lets the clients in.
func (h *house) start(t *testing.T) (*exec.Cmd, error) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], childWord, h.dir, h.model.URL, h.ledger)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(err, cmd.Wait())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.addr = "http://" + strings.TrimSpace(line)
	close(h.up)
	return cmd, nil
}

// stop ends the process while clients wait for it.
func (h *house) stop(cmd *exec.Cmd, by os.Signal) error {
	h.mu.Lock()
	h.up = make(chan struct{})
	h.mu.Unlock()
	if err := cmd.Process.Signal(by); err != nil {
		return err
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if by == os.Kill && errors.As(err, &exit) {
		return nil
	}
	return err
}

// at is where the service is; while it is not, at waits.
func (h *house) at(ctx context.Context) (string, error) {
	for {
		h.mu.Lock()
		up := h.up
		h.mu.Unlock()
		select {
		case <-up:
		case <-ctx.Done():
			return "", ctx.Err()
		}
		h.mu.Lock()
		same, addr := up == h.up, h.addr
		h.mu.Unlock()
		if same {
			return addr, nil
		}
	}
}

// post sends a request until it gets a 200, which is all that a naive client knows.
func (h *house) post(ctx context.Context, path string, r request) (a answer, err error) {
	body, err := json.Marshal(r)
	if err != nil {
		return a, err
	}
	for tries := 0; tries < 2000; tries++ {
		addr, err := h.at(ctx)
		if err != nil {
			return a, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, addr+path, bytes.NewReader(body))
		if err != nil {
			return a, err
		}
		h.mu.Lock()
		h.sent++
		h.mu.Unlock()
		got, err := http.DefaultClient.Do(req)
		if err != nil {
			continue
		}
		err = json.NewDecoder(got.Body).Decode(&a)
		_ = got.Body.Close()
		if got.StatusCode == http.StatusOK && err == nil {
			return a, nil
		}
	}
	return a, fmt.Errorf("%s of %s/%s, %s: no 200", path, r.Client, r.User, r.ID)
}

// chat is one user's turns, of which every fourth asks for a refund.
func (h *house) chat(ctx context.Context, client, user string, turns int) error {
	mark := "mark-" + client + "-" + user
	for n := 1; n <= turns; n++ {
		r := request{Client: client, User: user, ID: fmt.Sprintf("turn-%d", n), Text: fmt.Sprintf("%s: how is the weather in town %d?", mark, n)}
		order := fmt.Sprintf("%s-%s-%d", client, user, n)
		pays := n%4 == 0
		if pays {
			r.Text = fmt.Sprintf("%s: please refund order %s now", mark, order)
		}
		a, err := h.post(ctx, "/message", r)
		if err != nil {
			return err
		}
		if pays {
			if len(a.Waits) != 1 {
				h.note("%s %s: asked %v, said %q", mark, r.ID, a.Waits, a.Text)
				continue
			}
			r.Question = a.Waits[0]
			if a, err = h.post(ctx, "/answer", r); err != nil {
				return err
			}
		}
		want := map[bool]string{true: order, false: fmt.Sprintf("town %d?", n)}[pays]
		if len(a.Waits) > 0 || a.Cut || !strings.Contains(a.Text, want) {
			h.note("%s %s: said %q, cut %v, waits for %v, want it to hold %q", mark, r.ID, a.Text, a.Cut, a.Waits, want)
		}
		h.mu.Lock()
		h.done++
		done := h.done
		h.mu.Unlock()
		h.passed <- done
	}
	return nil
}

func (h *house) note(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wrong = append(h.wrong, fmt.Sprintf(format, args...))
}

// Users chat while the service is killed, and closed without a drain, again and again.
func TestAServiceThatIsStoppedAllTheTime(t *testing.T) {
	t.Parallel()
	users, turns, kills, terms := 4, 4, 2, 1
	if os.Getenv("MNEME_LONG") != "" {
		users, turns, kills, terms = 15, 10, 15, 5
	}
	clients := []string{"acme", "bolt"}
	all := len(clients) * users * turns
	h := &house{dir: t.TempDir(), ledger: filepath.Join(t.TempDir(), "ledger"), model: serveModel(t), up: make(chan struct{}), passed: make(chan int, all)}

	// The users; the same names are in both tenants.
	var crowd sync.WaitGroup
	for _, client := range clients {
		for i := range users {
			crowd.Go(func() {
				if err := h.chat(t.Context(), client, fmt.Sprintf("u%02d", i), turns); err != nil {
					t.Error(err)
				}
			})
		}
	}
	over := make(chan struct{})
	go func() { crowd.Wait(); close(over) }()

	// The stops, spread over the turns that are done. Every fourth is a SIGTERM.
	stops := kills + terms
	cmd, err := h.start(t)
	for i := 1; i <= stops && err == nil; i++ {
		h.waitFor(all*i/(stops+2), over)
		var by os.Signal = os.Kill
		if i%4 == 3 {
			by = syscall.SIGTERM
		}
		if err = h.stop(cmd, by); err == nil {
			cmd, err = h.start(t)
		}
	}
	must(t, err)
	<-over
	if err := h.stop(cmd, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
	h.check(t, clients, users, turns)
}

// waitFor waits until so many turns are done, or all users have gone.
func (h *house) waitFor(turns int, over <-chan struct{}) {
	for {
		select {
		case done := <-h.passed:
			if done >= turns {
				return
			}
		case <-over:
			return
		}
	}
}

// check looks at what is left when all is over.
func (h *house) check(t *testing.T, clients []string, users, turns int) {
	t.Helper()
	for _, wrong := range h.wrong {
		t.Error(wrong)
	}
	for _, leak := range h.model.leaks {
		t.Errorf("a prompt has the words of several users: %s", leak)
	}

	// What was paid, by order.
	keys, lines := map[string]map[string]bool{}, 0
	raw, err := os.ReadFile(h.ledger)
	must(t, err)
	for line := range strings.Lines(string(raw)) {
		var p paid
		must(t, json.Unmarshal([]byte(line), &p))
		if keys[p.Order] == nil {
			keys[p.Order] = map[string]bool{}
		}
		keys[p.Order][p.Key], lines = true, lines+1
		if want := strings.Join(strings.Split(p.Order, "-")[:2], "/"); p.User != want {
			t.Errorf("order %s was paid back by %s", p.Order, p.User)
		}
	}
	for order, by := range keys {
		if len(by) != 1 {
			t.Errorf("order %s was paid back under %d keys", order, len(by))
		}
	}
	if want := len(clients) * users * (turns / 4); len(keys) != want {
		t.Errorf("%d orders were paid back, want %d", len(keys), want)
	}

	// What is kept of the talk.
	g, err := open(t.Context(), h.dir, h.model.URL, h.ledger)
	must(t, err)
	defer g.Close()
	kept := 0
	for _, client := range clients {
		for i := range users {
			messages, err := g.Memory().Messages(t.Context(), request{Client: client, User: fmt.Sprintf("u%02d", i)}.scope().Default())
			must(t, err)
			said := map[string]int{}
			for _, m := range messages {
				if m.Role == state.RoleUser || m.Role == state.RoleAssistant && len(m.ToolCalls) == 0 {
					said[m.Turn+" "+string(m.Role)]++
				}
			}
			for n := 1; n <= turns; n++ {
				for _, role := range []state.Role{state.RoleUser, state.RoleAssistant} {
					if said[fmt.Sprintf("turn-%d %s", n, role)] != 1 {
						t.Errorf("%s/u%02d: turn %d has %d messages of the %s, want 1", client, i, n, said[fmt.Sprintf("turn-%d %s", n, role)], role)
					}
				}
			}
			kept += len(messages)
		}
	}
	t.Logf("%d turns done of %d, %d requests, %d prompts, %d refunds under %d keys, %d messages kept", h.done, len(clients)*users*turns, h.sent, h.model.prompts, lines, len(keys), kept)
}
