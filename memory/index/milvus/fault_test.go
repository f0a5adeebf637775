package milvus_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/milvus-io/milvus-proto/go-api/v2/commonpb"
	"github.com/milvus-io/milvus-proto/go-api/v2/milvuspb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/milvus"
	"github.com/mneme-graph/mneme/state"
)

func anOwner() index.Owner { return index.Owner{Client: "c", User: "u"} }

func anEntry(id string) index.Entry { return index.Entry{ID: id, Vector: []float32{1, 0}} }

func busy() *milvuspb.MutationResult {
	return &milvuspb.MutationResult{Status: failed(8, "rate limit exceeded[rate=0.1]")}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	ms := func(of ...int) (all []time.Duration) {
		for _, n := range of {
			all = append(all, time.Duration(n)*time.Millisecond)
		}
		return all
	}
	unavailable := status.Error(codes.Unavailable, "connection refused")
	for _, tt := range []struct {
		name   string
		answer func(n int) (proto.Message, error)
		want   error
		pauses []time.Duration
	}{
		{"busy, then not", func(n int) (proto.Message, error) {
			if n < 4 {
				return busy(), nil
			}
			return nil, nil
		}, nil, ms(50, 100, 200)},
		{"busy as older servers say it", func(n int) (proto.Message, error) {
			if n == 1 {
				s := &commonpb.Status{ErrorCode: commonpb.ErrorCode_RateLimit} //nolint:staticcheck // it is what older servers send
				return &milvuspb.MutationResult{Status: s}, nil
			}
			return nil, nil
		}, nil, ms(50)},
		{"busy for ever", func(int) (proto.Message, error) { return busy(), nil }, state.ErrUnavailable, ms(50, 100, 200, 400, 800, 1600)},
		{"away, then not", func(n int) (proto.Message, error) {
			if n == 1 {
				return nil, unavailable
			}
			return nil, nil
		}, nil, ms(50)},
		{"away for ever", func(int) (proto.Message, error) { return nil, unavailable }, state.ErrUnavailable, ms(50, 100, 200, 400, 800, 1600)},
		{"retriable, says the server", func(n int) (proto.Message, error) {
			if n == 1 {
				s := failed(905, "node not available")
				s.Retriable = true
				return &milvuspb.MutationResult{Status: s}, nil
			}
			return nil, nil
		}, nil, ms(50)},
		{"refused for good", func(int) (proto.Message, error) {
			return &milvuspb.MutationResult{Status: failed(1100, "invalid parameter")}, nil
		}, state.ErrInternal, nil},
		{"full", func(int) (proto.Message, error) {
			return &milvuspb.MutationResult{Status: failed(9, "quota exceeded")}, nil
		}, state.ErrUnavailable, nil},
		{"the user may not", func(int) (proto.Message, error) {
			return &milvuspb.MutationResult{Status: failed(1401, "privilege not permitted")}, nil
		}, state.ErrDenied, nil},
		{"collection gone", func(int) (proto.Message, error) {
			return &milvuspb.MutationResult{Status: failed(100, "not found")}, nil
		}, state.ErrNotFound, nil},
		{"no such database", func(int) (proto.Message, error) {
			return &milvuspb.MutationResult{Status: failed(800, "not found")}, nil
		}, state.ErrInvalid, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			_, v := f.open(t)
			f.answer("Upsert", tt.answer)
			if err := v.Put(t.Context(), anOwner(), anEntry("a")); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Errorf("Put = %v, want %v", err, tt.want)
			}
			if diff := gocmp.Diff(tt.pauses, f.pauses()); diff != "" {
				t.Errorf("pauses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRetryIsBounded(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*milvus.Config){
		"by time":  func(c *milvus.Config) { c.RetryFor = 200 * time.Millisecond },
		"by count": func(c *milvus.Config) { c.Retries = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			cfg := f.config()
			change(&cfg)
			shelf, err := milvus.Open(t.Context(), cfg)
			must(t, err)
			t.Cleanup(func() { _ = shelf.Close() })
			v := openSpace(t, shelf, plane())
			f.answer("Upsert", func(int) (proto.Message, error) { return busy(), nil })
			if err := v.Put(t.Context(), anOwner(), anEntry("a")); !errors.Is(err, state.ErrUnavailable) {
				t.Errorf("Put = %v, want state.ErrUnavailable", err)
			}
			if got := f.pauses(); len(got) != 2 {
				t.Errorf("paused %v, want twice", got)
			}
		})
	}
}

// TestSlow meets a server that never answers: the caller's deadline ends the wait, or the request's own.
func TestSlow(t *testing.T) {
	t.Parallel()
	for name, timeout := range map[string]time.Duration{"the caller's deadline": 0, "the request's": 20 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			cfg := f.config()
			shelf, err := milvus.Open(t.Context(), cfg)
			must(t, err)
			openSpace(t, shelf, plane())
			_ = shelf.Close()
			cfg.Timeout = timeout
			if shelf, err = milvus.Open(t.Context(), cfg); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = shelf.Close() })
			v := openSpace(t, shelf, plane())
			release := make(chan struct{})
			defer close(release)
			f.answer("Search", func(int) (proto.Message, error) {
				<-release
				return nil, status.Error(codes.Unavailable, "too late")
			})
			ctx := t.Context()
			if timeout == 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 20*time.Millisecond)
				defer cancel()
			}
			_, err = v.Search(ctx, anOwner(), index.Query{Vector: []float32{1, 0}, Limit: 5})
			if !errors.Is(err, state.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Search = %v, want state.ErrUnavailable because of the deadline", err)
			}
			if got := f.pauses(); len(got) > 0 {
				t.Errorf("a request that took too long was tried again after %v", got)
			}
		})
	}
}

// TestNotLoaded meets a server that was started again and has nothing in memory.
func TestNotLoaded(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	_, v := f.open(t)
	f.answer("Search", func(n int) (proto.Message, error) {
		if n == 1 {
			return &milvuspb.SearchResults{Status: failed(101, "collection not loaded")}, nil
		}
		return nil, nil
	})
	f.answer("GetLoadState", func(n int) (proto.Message, error) {
		loaded := commonpb.LoadState_LoadStateNotLoad
		if n == 2 || n == 3 {
			loaded = commonpb.LoadState_LoadStateLoading
		}
		if n > 3 {
			loaded = commonpb.LoadState_LoadStateLoaded
		}
		return &milvuspb.GetLoadStateResponse{Status: &commonpb.Status{}, State: loaded}, nil
	})
	f.answer("GetLoadingProgress", func(int) (proto.Message, error) {
		return &milvuspb.GetLoadingProgressResponse{Status: &commonpb.Status{}, Progress: 50}, nil
	})
	before := len(requests[*milvuspb.LoadCollectionRequest](f, "LoadCollection"))
	query := index.Query{Vector: []float32{1, 0}, Limit: 5}
	if _, err := v.Search(t.Context(), anOwner(), query); err != nil {
		t.Errorf("Search = %v, want the collection loaded and the search repeated", err)
	}
	if got := len(requests[*milvuspb.LoadCollectionRequest](f, "LoadCollection")) - before; got != 1 {
		t.Errorf("loaded %d times, want once", got)
	}
	if got := f.pauses(); len(got) != 2 {
		t.Errorf("paused %v while it was loading, want twice", got)
	}
	f.answer("Search", func(int) (proto.Message, error) {
		return &milvuspb.SearchResults{Status: failed(101, "collection not loaded")}, nil
	})
	if _, err := v.Search(t.Context(), anOwner(), query); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("Search of what cannot be loaded = %v, want state.ErrUnavailable", err)
	}
}

func TestConnectFails(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	silent, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0") // and never accepts
	must(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	for name, cfg := range map[string]milvus.Config{
		"nobody listens": {Address: "192.0.2.1:19530", Dial: func(context.Context, string) (net.Conn, error) { return nil, errors.New("connection refused") }},
		"nobody answers": {Address: silent.Addr().String()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg.ConnectTimeout, cfg.Password, cfg.APIKey = 50*time.Millisecond, "hunter2", "hunter2"
			shelf, err := milvus.Open(t.Context(), cfg)
			if shelf != nil || !errors.Is(err, state.ErrUnavailable) || !strings.Contains(err.Error(), cfg.Address) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("Open = %v, want state.ErrUnavailable that names %s and no password", err, cfg.Address)
			}
		})
	}
}

func TestConnectDenied(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.answer("GetVersion", func(int) (proto.Message, error) {
		return nil, status.Error(codes.Unauthenticated, "auth check failure")
	})
	if _, err := milvus.Open(t.Context(), f.config()); !errors.Is(err, state.ErrDenied) {
		t.Errorf("Open = %v, want state.ErrDenied", err)
	}
}

func TestBadConfig(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]milvus.Config{
		"no address":          {},
		"no host":             {Address: ":19530"},
		"a bad port":          {Address: "host:port"},
		"another protocol":    {Address: "mongodb://host"},
		"a password in it":    {Address: "https://root:hunter2@host"},
		"a prefix with signs": {Address: "host", Prefix: "my-prefix"},
		"a prefix of digits":  {Address: "host", Prefix: "1"},
		"a long prefix":       {Address: "host", Prefix: strings.Repeat("a", 65)},
		"an unknown index":    {Address: "host", Index: "IVF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := milvus.Open(t.Context(), cfg)
			if !errors.Is(err, state.ErrInvalid) || strings.Contains(fmt.Sprint(err), "hunter2") {
				t.Errorf("Open = %v, want state.ErrInvalid without the password", err)
			}
		})
	}
}

// TestRaces plays another process that is faster.
func TestRaces(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	t.Run("the alias is made in between", func(t *testing.T) {
		t.Parallel()
		f := newFake(t)
		shelf, _ := f.open(t)
		other := index.Space{Model: "test:other", Dim: 2}
		openSpace(t, shelf, other)
		f.answer("CreateAlias", func(int) (proto.Message, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.aliases["mneme_live"] = milvus.CollectionName(shelf, other)
			return failed(1602, "alias already exists"), nil
		})
		if err := shelf.Promote(ctx, plane()); err != nil {
			t.Errorf("Promote = %v", err)
		}
		if live, ok, err := shelf.Live(ctx); live != plane() || !ok || err != nil {
			t.Errorf("Live = %v, %t, %v", live, ok, err)
		}
	})
	t.Run("promoting fails for good", func(t *testing.T) {
		t.Parallel()
		f := newFake(t)
		shelf, _ := f.open(t)
		f.answer("CreateAlias", func(int) (proto.Message, error) { return failed(65535, "no"), nil })
		if err := shelf.Promote(ctx, plane()); !errors.Is(err, state.ErrInternal) {
			t.Errorf("Promote = %v, want state.ErrInternal", err)
		}
	})
	t.Run("promoted while it is dropped", func(t *testing.T) {
		t.Parallel()
		f := newFake(t)
		shelf, _ := f.open(t)
		other := index.Space{Model: "test:other", Dim: 2}
		openSpace(t, shelf, other)
		must(t, shelf.Promote(ctx, other))
		f.answer("DropCollection", func(int) (proto.Message, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.aliases["mneme_live"] = milvus.CollectionName(shelf, plane())
			return failed(65535, "cannot drop a collection that an alias names"), nil
		})
		if _, err := shelf.Drop(ctx); !errors.Is(err, state.ErrConflict) {
			t.Errorf("Drop = %v, want state.ErrConflict", err)
		}
	})
	t.Run("dropped by another while it is dropped", func(t *testing.T) {
		t.Parallel()
		f := newFake(t)
		shelf, _ := f.open(t)
		other := index.Space{Model: "test:other", Dim: 2}
		openSpace(t, shelf, other)
		must(t, shelf.Promote(ctx, other))
		f.answer("DropCollection", func(int) (proto.Message, error) { return failed(100, "collection not found"), nil })
		if dropped, err := shelf.Drop(ctx); err != nil || len(dropped) != 1 {
			t.Errorf("Drop = %v, %v, want it gone all the same", dropped, err)
		}
	})
	t.Run("collection and index are made in between", func(t *testing.T) {
		t.Parallel()
		f := newFake(t)
		shelf, _ := f.open(t)
		f.answer("DescribeCollection", func(n int) (proto.Message, error) {
			if n < 4 {
				return &milvuspb.DescribeCollectionResponse{Status: failed(100, "collection not found")}, nil
			}
			return nil, nil
		})
		f.answer("CreateIndex", func(int) (proto.Message, error) {
			f.answer("DescribeIndex", func(int) (proto.Message, error) {
				return &milvuspb.DescribeIndexResponse{
					Status: &commonpb.Status{}, IndexDescriptions: []*milvuspb.IndexDescription{{IndexName: "vec", FieldName: "vec"}},
				}, nil
			})
			return failed(35, "index already exists"), nil
		})
		if _, err := shelf.Open(ctx, plane()); err != nil {
			t.Errorf("Open = %v", err)
		}
	})
}
