package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const webhookKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwFRIdZi2vZYE="

// mneme serve tells the addresses of its environment what waits, doctor names one that fails, and neither says what it is signed with or what stands in the address.
func TestServeTellsWebhooks(t *testing.T) {
	t.Parallel()
	arrived := make(chan http.Header, 10)
	to := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusGone)
		arrived <- r.Header
	}))
	t.Cleanup(to.Close)
	dir := t.TempDir()
	environ := []string{"MNEME_WEBHOOKS=" + to.URL + "/in?token=hidden", "MNEME_WEBHOOK_KEYS=" + webhookKey, "MNEME_AUTONOMY=1"}
	s := startServe(t, dir, environ...)
	if status, raw, err := s.turn(t.Context(), map[string]any{"message": "Please remember that I park at level 3.", "session_id": "s1"}, "-"); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, raw, err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.at+"/api/v1/records", strings.NewReader(`{"content":"I drink tea without milk"}`))
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+servedKey)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	must(t, err)
	must(t, resp.Body.Close())
	if h := <-arrived; !strings.HasPrefix(h.Get("Webhook-Signature"), "v1,") || !strings.HasPrefix(h.Get("Webhook-Id"), "msg_") {
		t.Errorf("%v", h)
	}
	var health struct{ Notes []struct{ Name, Text string } }
	for found := false; !found; { // it is noted behind the answer
		time.Sleep(10 * time.Millisecond) // as a page asks again
		s.get(t, "/api/v1/health", &health)
		for _, n := range health.Notes {
			found = found || n.Name == "webhooks" && strings.Contains(n.Text, "410")
		}
	}
	got := mneme(t, "", append(environ, "MNEME_DIR="+dir), "doctor")
	if text := strings.Join(strings.Fields(got.out+got.err), " "); got.code != 0 || !strings.Contains(text, "is told nothing any more") || strings.Contains(text, "token=hidden") || strings.Contains(text, webhookKey) {
		t.Errorf("%+v", got)
	}
}

func TestServeRefusesWebhooks(t *testing.T) {
	t.Parallel()
	for name, environ := range map[string][]string{
		"without keys":       {"MNEME_WEBHOOKS=https://a.example"},
		"http":               {"MNEME_WEBHOOKS=http://a.example", "MNEME_WEBHOOK_KEYS=" + webhookKey},
		"a private address":  {"MNEME_WEBHOOKS=https://10.0.0.1", "MNEME_WEBHOOK_KEYS=" + webhookKey},
		"a key that is none": {"MNEME_WEBHOOKS=https://a.example", "MNEME_WEBHOOK_KEYS=secret-words"},
		"perhaps":            {"MNEME_WEBHOOKS_INSIDE=perhaps"},
	} {
		got := mneme(t, "", append(environ, "MNEME_DIR="+t.TempDir()), "serve", "--listen", "127.0.0.1:0")
		if got.code != 2 || !strings.Contains(got.err, "webhook") || strings.Contains(got.err, "secret-words") || got.out != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
