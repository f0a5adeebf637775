package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/state"
)

//go:embed dist
var files embed.FS

// Prefix is what the paths of the page's own files begin with.
const Prefix = "/page/"

// policy lets the page load its own files and talk to the service that it is from, and nothing else: no script or style in the document, no other origin,
// no frame around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Asks reports whether a request is for the page: one of its files, or an address that a browser opens, which is not of the API.
func Asks(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	if strings.HasPrefix(r.URL.Path, Prefix) {
		return true
	}
	for _, other := range []string{"/api/", "/docs", "/openapi", "/metrics", "/healthz", "/readyz", "/mcp", "/v1/"} {
		if strings.HasPrefix(r.URL.Path, other) {
			return false
		}
	}
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}

// Serve answers a request for the page: with a file below Prefix, else with the document, which finds what its address shows.
func Serve(w http.ResponseWriter, r *http.Request) {
	name, is := strings.CutPrefix(r.URL.Path, Prefix)
	if !is {
		name = "index.html"
	}
	body, err := files.ReadFile("dist/" + path.Clean(name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Vary", "Accept-Encoding")
	if h.Set("Cache-Control", "no-cache"); hashed.MatchString(name) { // its name changes with it
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && r.Header.Get("Range") == "" {
		body = packed(body)
		h.Set("Content-Encoding", "gzip")
	}
	sum := sha256.Sum256(body)
	h.Set("ETag", fmt.Sprintf(`"%x"`, sum[:8]))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
}

// hashed are the names of files that say what is in them.
var hashed = regexp.MustCompile(`-[A-Z0-9]{8}\.js$`)

func packed(body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(body) // into RAM
	_ = w.Close()
	return out.Bytes()
}

// Cookie is what a browser signs in with: an access key, which no script can read and no other site can send.
const Cookie = "mneme_access"

// Header is what the page sends with each request, and no form of another site can.
const Header = "X-Mneme-Page"

// Within is how long a browser stays signed in.
const Within = 12 * time.Hour

// SignIn gives a browser a cookie with the key, or takes it away again if it is "".
func SignIn(w http.ResponseWriter, secret string, secure bool) {
	c := &http.Cookie{Name: Cookie, Value: secret, Path: "/", HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode, MaxAge: int(Within.Seconds())}
	if secret == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// Secret returns the access key in a browser's cookie, "" if it has none. A request that changes something and does not have Header is not the page's own.
func Secret(r *http.Request) (string, error) {
	c, err := r.Cookie(Cookie)
	if err != nil {
		return "", nil //nolint:nilerr // there is none
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Header.Get(Header) == "" {
		return "", state.Errorf(state.Denied, "request", "comes from a browser and has no header %s: it is not the page's own", Header)
	}
	return c.Value, nil
}
