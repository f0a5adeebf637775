package main

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// mneme chat --page says where to open the page; its key lets a browser in, and ends with it.
func TestChatOnAPage(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	must(t, err)
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), self, "chat", "--page", "--dir", dir, "--user", "ann", "--session", "work")
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	m := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/s/work#key=(\S+)`).FindStringSubmatch(line)
	if err != nil || m == nil {
		t.Fatalf("%q, %v", line, err)
	}
	send := func(method, path, body string, headers ...string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, m[1]+path, strings.NewReader(body))
		must(t, err)
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		resp, err := http.DefaultClient.Do(r)
		must(t, err)
		_ = resp.Body.Close()
		return resp
	}
	if got := send("GET", "/s/work", "", "Accept", "text/html"); got.StatusCode != http.StatusOK || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
	in := send("POST", "/page/session", `{"access_key":"`+m[2]+`"}`, "X-Mneme-Page", "1")
	if in.StatusCode != http.StatusNoContent || len(in.Cookies()) != 1 {
		t.Fatalf("%d %v", in.StatusCode, in.Cookies())
	}
	cookie := in.Cookies()[0].Name + "=" + in.Cookies()[0].Value
	if got := send("POST", "/api/v1/turns", `{"message":"Hello.","session_id":"work"}`, "X-Mneme-Page", "1", "Content-Type", "application/json", "Cookie", cookie); got.StatusCode != http.StatusOK {
		t.Errorf("a turn: %d", got.StatusCode)
	}
	if got := send("GET", "/api/v1/affairs", "", "Cookie", cookie, "X-Mneme-User", "bob"); got.StatusCode != http.StatusForbidden {
		t.Errorf("another user: %d", got.StatusCode)
	}
	must(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait()

	st, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	must(t, err)
	defer func() { _ = st.Close() }()
	if _, err := access.New(access.Config{Store: st}).Check(t.Context(), m[2]); err == nil {
		t.Error("the key opens the store behind the process")
	}
}
