package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/bolt"
	"github.com/mneme-graph/mneme/state/store/mongo"
)

// openStore opens the store at an address: a folder, or mongodb:// and what follows. The caller closes it
// with the function returned. A folder without a store gets one.
func openStore(ctx context.Context, address string) (store.Store, func() error, error) {
	if isServer(address) {
		s, err := mongo.Open(ctx, mongo.Config{URI: address})
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", masked(address), err)
		}
		return s, s.Close, nil
	}
	s, err := bolt.Open(ctx, bolt.Config{Dir: address})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// isServer reports whether an address names a server and not a folder.
func isServer(address string) bool {
	return strings.HasPrefix(address, "mongodb://") || strings.HasPrefix(address, "mongodb+srv://")
}

// masked is an address without its password, to be printed. A server's that cannot be read shows nothing.
func masked(address string) string {
	if !isServer(address) {
		return address
	}
	scheme, rest, _ := strings.Cut(address, "://")
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		rest = rest[at+1:]
	}
	rest, _, _ = strings.Cut(rest, "?") // options may hold secrets too
	if _, err := url.PathUnescape(rest); err != nil {
		rest = "..."
	}
	return scheme + "://" + rest
}

// mustHoldStore refuses a folder in which opening would make an empty store.
func mustHoldStore(address, way string) error {
	if isServer(address) {
		return nil
	}
	_, err := os.Stat(filepath.Join(address, "store.db"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return state.Errorf(state.NotFound, "folder "+address, "holds no store; %s", way)
	case err != nil:
		return state.Errorf(state.Unavailable, "folder "+address, "cannot be read: %w", err)
	}
	return nil
}
