package mongo

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/auth"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"github.com/mneme-graph/mneme/state"
)

// The server's codes that mean something to us.
const (
	codeUnauthorized    = 13
	codeAuthFailed      = 18
	codeNoNamespace     = 26
	codeMaxTime         = 50
	codeCommandNotFound = 59
	codeIndexOptions    = 85
	codeIndexKeys       = 86
	codeTooLarge        = 10334
	codeDuplicate       = 11000
)

// errForeignReply is about a reply that does not count the documents of its insert.
var errForeignReply = errors.New("the reply belongs to another command; something between here and the server sent one twice")

func hasCode(err error, code int) bool {
	var s mongo.ServerError
	return errors.As(err, &s) && s.HasErrorCode(code)
}

// explain gives an error its code and says the way out. Errors that have a code keep it.
func explain(op string, err error) error {
	var coded *state.Error
	if err == nil || errors.As(err, &coded) {
		return err
	}

	// The more telling reason comes first: a timeout may have any of those before it as its cause.
	switch {
	case hasCode(err, codeUnauthorized), hasCode(err, codeAuthFailed), noLogin(err):
		return state.Errorf(state.Denied, op, "the server refuses the user: %w; check user, password and authSource of the URI, and the user's rights", err)
	case errors.Is(err, driver.ErrDocumentTooLarge), hasCode(err, codeTooLarge):
		return state.Errorf(state.Invalid, op, "the server takes no document so large: %w; split it, or lower MaxDocBytes", err)
	case errors.Is(err, mongo.ErrClientDisconnected):
		return state.Errorf(state.Unavailable, op, "the client is closed: %w; open it again", err)
	case errors.Is(err, context.Canceled):
		return state.Errorf(state.Unavailable, op, "given up: %w", err)
	case unsent(err):
		return state.Errorf(state.Unavailable, op, "the server does not answer: %w; check that it runs and that its address is right", err)
	case mongo.IsTimeout(err):
		return state.Errorf(state.Unavailable, op, "the server did not answer in time: %w", timedOut(err))
	case transient(err):
		return state.Errorf(state.Unavailable, op, "the connection broke or the server changed its role: %w; try again", err)
	}
	return state.Errorf(state.Internal, op, "the server refuses: %w", err)
}

// noLogin says that the server does not let the user in. A call that waited for the connection of another one, which was
// refused, gets an error of the pool that tells so in its text alone.
func noLogin(err error) bool {
	var refused *auth.Error
	var cleared poolCleared
	return errors.As(err, &refused) || errors.As(err, &cleared) && strings.Contains(err.Error(), ": auth error: ")
}

// poolCleared is the error of a call that found no connection, when another call met a broken one.
type poolCleared interface {
	error
	Retryable() bool
}

// timedOut lets errors.Is find context.DeadlineExceeded in a timeout that the driver reports in another way.
func timedOut(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return errors.Join(err, context.DeadlineExceeded)
}

// unknown returns the error of a change whose reply was lost: it may have been made.
func unknown(op string, err error) error {
	if !errors.Is(err, context.Canceled) && mongo.IsTimeout(err) {
		err = timedOut(err)
	}
	return state.Errorf(state.Unavailable, op, "the outcome is unknown, as the reply was lost: %w; read back and compare", err)
}

// unsent says that a call did not get as far as sending its command: no server, no connection, no place in
// the pool. Nothing was changed by it.
func unsent(err error) bool {
	var (
		selection topology.ServerSelectionError
		queue     topology.WaitQueueTimeoutError
		cleared   poolCleared
		connected topology.ConnectionError
		dial      *net.OpError
	)
	switch {
	case errors.As(err, &selection), errors.As(err, &queue), errors.Is(err, mongo.ErrClientDisconnected),
		errors.Is(err, driver.ErrDeadlineWouldBeExceeded):
		return true
	case errors.As(err, &cleared):
		return cleared.Retryable()
	case errors.As(err, &dial) && dial.Op == "dial":
		return true
	}
	return errors.As(err, &connected) && strings.Contains(err.Error(), "connection handshake")
}

// transient says that the same call may succeed a moment later.
func transient(err error) bool {
	if mongo.IsNetworkError(err) || unsent(err) {
		return true
	}

	var labelled mongo.LabeledError
	if errors.As(err, &labelled) && labelled.HasErrorLabel("RetryableWriteError") {
		return true
	}

	var s mongo.ServerError
	if !errors.As(err, &s) {
		return false
	}
	for _, code := range s.ErrorCodes() {
		switch code {
		case 6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436: // hosts, shutdown, steps down
			return true
		}
	}
	return false
}

// doubtful says that a command was sent and that nobody knows whether its change was made.
func doubtful(err error) bool {
	if unsent(err) {
		return false
	}
	var w mongo.WriteException
	if errors.As(err, &w) && w.WriteConcernError != nil {
		return true // made on the primary, perhaps not kept
	}
	return transient(err) || errors.Is(err, errForeignReply) || mongo.IsTimeout(err) || hasCode(err, codeMaxTime) || errors.Is(err, context.Canceled)
}

// retry calls f until it succeeds, fails for good, or the tries or the time are used up. f must be safe to
// repeat.
func (s *Store) retry(ctx context.Context, f func() error) error {
	for try := 0; ; try++ {
		err := f()
		if err == nil || try >= s.cfg.Retries || !transient(err) || !s.pause(ctx, try) {
			return err
		}
	}
}

// pause waits before the next try, twice as long each time, give or take half; false when the time is up.
func (s *Store) pause(ctx context.Context, try int) bool {
	const first, longest = 20 * time.Millisecond, time.Second
	wait := min(first<<min(try, 10), longest)
	timer := time.NewTimer(wait/2 + time.Duration(s.cfg.Jitter()*float64(wait)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// refuseURI returns the error of a connection string that cannot be used. It does not wrap err, whose text may
// quote the password.
func refuseURI(uri string, err error) error {
	var lookup *net.DNSError
	if errors.As(err, &lookup) {
		return state.Errorf(state.Unavailable, "open store", "the name in the URI cannot be looked up: %s", mask(uri, err.Error()))
	}
	return state.Errorf(state.Invalid, "open store", "the URI is not a connection string: %s; it looks like mongodb://user:password@host:27017/database",
		mask(uri, err.Error()))
}

// mask removes from a text what a connection string says about user and password. It does not rely on the
// string being well-formed.
func mask(uri, text string) string {
	_, rest, found := strings.Cut(uri, "://")
	if !found {
		rest = uri
	}
	at := strings.LastIndex(rest, "@")
	if at < 0 {
		return strings.ReplaceAll(text, uri, "***")
	}

	info := rest[:at]
	user, password, _ := strings.Cut(info, ":")
	whole := []string{uri, rest, info, password}
	if !found {
		whole = append(whole, user)
	}

	parts := strings.FieldsFunc(password, func(r rune) bool { return strings.ContainsRune(":@/?", r) })
	return hide(hide(text, whole), parts)
}

// hide replaces each of the secrets, as it is and unescaped, in one pass, the longest first.
func hide(text string, secrets []string) string {
	for _, secret := range secrets {
		if plain, err := url.PathUnescape(secret); err == nil {
			secrets = append(secrets, plain)
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, secret := range slices.Compact(secrets) {
		if secret != "" {
			pairs = append(pairs, secret, "***")
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
