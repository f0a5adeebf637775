package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
)

// browse sends a request as a browser does, without a key, and returns the answer's head.
func (s *service) browse(t *testing.T, method, path, body string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	must(t, err)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := s.Client().Do(r)
	must(t, err)
	_ = resp.Body.Close()
	return resp
}

// A browser signs in with a key and has a cookie that no script reads; what changes something needs the page's own header besides, which no other site can send.
func TestABrowserSignsIn(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	own := []string{"X-Mneme-Page", "1", "Content-Type", "application/json"}
	for _, bad := range []struct {
		body    string
		headers []string
		want    int
	}{
		{`{"access_key":"wrong-but-long-enough-0123"}`, own, http.StatusUnauthorized},
		{`{"access_key":`, own, http.StatusUnprocessableEntity},
		{`{"access_key":"` + s.key + `"}`, nil, http.StatusUnprocessableEntity},
		{strings.Repeat("x", 1<<20), own, http.StatusUnprocessableEntity},
	} {
		if got := s.browse(t, "POST", "/page/session", bad.body, bad.headers...); got.StatusCode != bad.want || len(got.Cookies()) > 0 {
			t.Errorf("%.40s: %d, %v", bad.body, got.StatusCode, got.Cookies())
		}
	}
	in := s.browse(t, "POST", "/page/session", `{"access_key":"`+s.key+`"}`, own...)
	if in.StatusCode != http.StatusNoContent || len(in.Cookies()) != 1 {
		t.Fatalf("%d, %v", in.StatusCode, in.Cookies())
	}
	c := in.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.MaxAge <= 0 {
		t.Errorf("%+v", c)
	}
	cookie := c.Name + "=" + c.Value
	for _, ask := range []struct {
		method, path, body string
		headers            []string
		want               int
	}{
		{"GET", "/api/v1/affairs", "", []string{"Cookie", cookie}, http.StatusOK},
		{"POST", "/api/v1/affairs", `{"title":"Car"}`, []string{"Cookie", cookie, "Content-Type", "application/json"}, http.StatusForbidden},
		{"POST", "/api/v1/affairs", `{"title":"Car"}`, append([]string{"Cookie", cookie}, own...), http.StatusCreated},
		{"GET", "/api/v1/affairs", "", own, http.StatusUnauthorized},
	} {
		if got := s.browse(t, ask.method, ask.path, ask.body, ask.headers...); got.StatusCode != ask.want {
			t.Errorf("%s %s with %q: %d, want %d", ask.method, ask.path, ask.headers, got.StatusCode, ask.want)
		}
	}
	if out := s.browse(t, "DELETE", "/page/session", "", own...); out.StatusCode != http.StatusNoContent || len(out.Cookies()) != 1 || out.Cookies()[0].MaxAge >= 0 {
		t.Errorf("%d, %v", out.StatusCode, out.Cookies())
	}
	if got := s.browse(t, "PUT", "/page/session", "", own...); got.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("%d", got.StatusCode)
	}
}

// Any address that a browser opens has the document of the page, with a policy that runs nothing of others; the API's addresses do not.
func TestThePageIsServed(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	for path, want := range map[string]int{"/": 200, "/s/monday/t/1": 200, "/page/index.html": 200, "/page/../page.go": 404, "/page/none.js": 404, "/page/": 404, "/api/v1/affairs": 401, "/api/v1/none": 401, "/docs": 401} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
		must(t, err)
		r.URL.Path = path
		r.Header.Set("Accept", "text/html,application/xhtml+xml")
		resp, err := s.Client().Do(r)
		must(t, err)
		_ = resp.Body.Close()
		if policy := resp.Header.Get("Content-Security-Policy"); resp.StatusCode != want || !strings.HasPrefix(policy, "default-src 'none'") || want == 200 && !strings.Contains(policy, "script-src 'self'") {
			t.Errorf("%s: %d, want %d, %s", path, resp.StatusCode, want, policy)
		}
	}
}

// What is asked for again is not sent again, and what a browser can unpack is packed.
func TestThePageIsSentOnce(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	get := func(headers ...string) *http.Response { return s.browse(t, "GET", "/page/app.js", "", headers...) }
	plain, packed := get("Accept-Encoding", "identity"), get("Accept-Encoding", "br, gzip")
	if plain.Header.Get("Content-Encoding") != "" || packed.Header.Get("Content-Encoding") != "gzip" || packed.ContentLength >= plain.ContentLength {
		t.Errorf("%d and %d bytes, %v", plain.ContentLength, packed.ContentLength, packed.Header)
	}
	if again := get("Accept-Encoding", "gzip", "If-None-Match", packed.Header.Get("Etag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("%d", again.StatusCode)
	}
}
