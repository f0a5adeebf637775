package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// etag returns what tells whether something has changed.
func etag(v any) string {
	raw, _ := json.Marshal(v) // what was read from a store can be
	sum := sha256.Sum256(raw)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

// matches refuses an edit of what has changed since its editor saw it.
func matches(want, now string) error {
	if want == "" || want == "*" || slices.ContainsFunc(strings.Split(want, ","), func(t string) bool { return strings.TrimSpace(t) == now }) {
		return nil
	}
	return hasChanged()
}

// hasChanged returns the problem of who edits what is not as he saw it any more.
func hasChanged() *Problem {
	return (&Problem{Status: http.StatusPreconditionFailed, Code: string(state.Conflict), Detail: "it has changed since; read it again, and send its new ETag as If-Match"}).named()
}
