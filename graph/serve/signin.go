package serve

import (
	"encoding/json"
	"net/http"
	"strings"

	webpage "github.com/mneme-graph/mneme/graph/serve/page"
	"github.com/mneme-graph/mneme/state"
)

// signInPath is where the page turns an access key into a browser's cookie, and gives it back.
const signInPath = webpage.Prefix + "session"

// signIn answers the page's own requests: a key for a cookie, or the end of one. Whoever can reach the service may ask.
func (g *guard) signIn(w http.ResponseWriter, r *http.Request) {
	const most = 1 << 10
	secure := r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
	switch r.Method {
	case http.MethodPost:
		var in struct {
			Key string `json:"access_key"`
		}
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, most)).Decode(&in); err != nil || r.Header.Get(webpage.Header) == "" {
			g.refuse(w, r, state.Errorf(state.Invalid, "sign-in", `is POST {"access_key": "..."} with the header %s`, webpage.Header), http.StatusUnprocessableEntity)
			return
		}
		secret := strings.TrimSpace(in.Key)
		if _, err := g.c.Keys.Check(r.Context(), secret); err != nil {
			g.refuse(w, r, err, http.StatusUnauthorized)
			return
		}
		webpage.SignIn(w, secret, secure)
	case http.MethodDelete:
		webpage.SignIn(w, "", secure)
	default:
		w.Header().Set("Allow", "POST, DELETE")
		g.refuse(w, r, state.Errorf(state.Invalid, r.Method+" "+r.URL.Path, "is none; POST signs in, DELETE out"), http.StatusMethodNotAllowed)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// refuse answers with a problem; what the requester may not do has the status denied.
func (g *guard) refuse(w http.ResponseWriter, r *http.Request, err error, denied int) {
	p := problemOf(err)
	if code := state.CodeOf(err); code == state.Denied || code == state.Invalid {
		p.Status = denied
	}
	writeRefusal(w, r, p.named())
}

// secretOf returns the access key that a request has: in its header, or in the cookie of a browser that has signed in.
func secretOf(r *http.Request) (string, error) {
	if given := r.Header.Get("Authorization"); given != "" {
		secret, _ := strings.CutPrefix(given, "Bearer ")
		return strings.TrimSpace(secret), nil
	}
	return webpage.Secret(r)
}
