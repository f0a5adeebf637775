package milvus

import (
	"context"
	"errors"
	"time"

	"github.com/milvus-io/milvus/pkg/v2/log"
	"github.com/milvus-io/milvus/pkg/v2/util/merr"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mneme-graph/mneme/state"
)

// call makes one request, which must be safe to repeat: it has a deadline, is tried again after a pause while the server is
// busy or away, and its error is a state.Error that wraps the server's.
func (s *Shelf) call(ctx context.Context, op string, request func(context.Context) error) error {
	var paused time.Duration
	for try := 0; ; try++ {
		err := s.attempt(ctx, request)
		if err == nil {
			return nil
		}
		pause := s.pause(try)
		paused += pause
		if try >= s.cfg.Retries || paused > s.cfg.RetryFor || !transient(err) || ctx.Err() != nil {
			return s.explain(op, err)
		}
		s.cfg.Logger.DebugContext(ctx, "milvus tried again", "request", op, "try", try+1, "ms", pause.Milliseconds(), "err", err)
		if s.cfg.Sleep(ctx, pause) != nil {
			return s.explain(op, err)
		}
	}
}

func (s *Shelf) attempt(ctx context.Context, request func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(quiet(ctx), s.cfg.Timeout)
	defer cancel()
	return request(ctx)
}

// pause returns how long to wait before the next try: twice as long each time, give or take half.
func (s *Shelf) pause(try int) time.Duration {
	const first, longest = 50 * time.Millisecond, 2 * time.Second
	wait := min(first<<min(try, 10), longest)
	return wait/2 + time.Duration(s.cfg.Jitter()*float64(wait))
}

// quiet keeps the client's library from writing its own log to the standard output.
func quiet(ctx context.Context) context.Context { return log.WithFatalLevel(ctx) }

// transient says that the same request may succeed a moment later. The flag is the server's word; the codes are for servers
// that forget it. "Not ready", code 1, is not among them: milvus-lite uses it for everything unexpected.
func transient(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.ResourceExhausted:
		return true
	}
	return merr.IsRetryableErr(err) || isAny(err, merr.ErrServiceRateLimit, merr.ErrServiceTooManyRequests, merr.ErrServiceUnavailable,
		merr.ErrServiceTimeTickLongDelay, merr.ErrCollectionNotFullyLoaded, merr.ErrCollectionOnRecovering, merr.ErrPartitionNotFullyLoaded)
}

func isAny(err error, targets ...error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// explain gives a server's error its code and says the way out.
func (s *Shelf) explain(op string, err error) error {
	op += " (milvus at " + s.cfg.Address + ")"
	code := status.Code(err)
	switch {
	case errors.Is(err, context.Canceled), code == codes.Canceled:
		return state.Errorf(state.Unavailable, op, "given up: %w", err)
	case errors.Is(err, context.DeadlineExceeded), code == codes.DeadlineExceeded:
		return state.Errorf(state.Unavailable, op, "the server did not answer in time: %w", errors.Join(err, context.DeadlineExceeded))
	case code == codes.Unauthenticated, code == codes.PermissionDenied,
		isAny(err, merr.ErrPrivilegeNotAuthenticated, merr.ErrPrivilegeNotPermitted, merr.ErrNeedAuthenticate):
		return state.Errorf(state.Denied, op, "the server refuses the user: %w; check user and password or the API key, and the user's rights", err)
	case errors.Is(err, merr.ErrDatabaseNotFound):
		return state.Errorf(state.Invalid, op, "there is no database %q: %w; create it, or name another", s.cfg.Database, err)
	case errors.Is(err, merr.ErrCollectionNotFound):
		return state.Errorf(state.NotFound, op, "the collection is gone: %w; `mneme reindex` builds it again", err)
	case isAny(err, merr.ErrServiceRateLimit, merr.ErrServiceTooManyRequests):
		return state.Errorf(state.Unavailable, op, "the server is busy: %w; try again later, or raise its limits", err)
	case isAny(err, merr.ErrServiceQuotaExceeded, merr.ErrServiceMemoryLimitExceeded, merr.ErrServiceDiskLimitExceeded):
		return state.Errorf(state.Unavailable, op, "the server is full: %w; give it more memory or disk, or raise its quota", err)
	case transient(err), errors.Is(err, merr.ErrCollectionNotLoaded):
		return state.Errorf(state.Unavailable, op, "the server does not answer: %w; check that it runs, then try again", err)
	}
	return state.Errorf(state.Internal, op, "the server refuses: %w", err)
}
