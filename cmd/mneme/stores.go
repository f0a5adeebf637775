package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/sealed"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// keysVariable holds the keys of the seal.
const keysVariable = "MNEME_ENCRYPTION_KEYS"

// keeping is an open store. What it embeds is read and written through: the driver, or the seal before it.
type keeping struct {
	store.Store
	driver store.Store
	close  func() error
}

// openStore opens the store at an address: a folder, or mongodb:// and what follows. A folder without a store
// gets one. With keys everything in it is encrypted. The caller closes it.
func openStore(ctx context.Context, address, keys string) (*keeping, error) {
	v, err := openDriver(ctx, address)
	if err != nil {
		return nil, err
	}
	if v.Store, err = seal(ctx, v.driver, masked(address), keys); err != nil {
		return nil, errors.Join(err, v.close())
	}
	return v, nil
}

// openSource opens a store to be copied: one that is not encrypted is read as it is, keys or not. Of a folder that is damaged it opens
// what can be read.
func openSource(ctx context.Context, address, keys string, damaged bool) (*keeping, error) {
	open := openDriver
	if damaged {
		open = openDamaged
	}
	v, err := open(ctx, address)
	if err != nil {
		return nil, err
	}
	first, err := firstOf(ctx, v.driver)
	if err == nil && first != nil && isSealed(*first) {
		v.Store, err = seal(ctx, v.driver, masked(address), keys)
	}
	if err != nil {
		return nil, errors.Join(err, v.close())
	}
	return v, nil
}

// openDamaged opens what can be read of a folder.
func openDamaged(ctx context.Context, dir string) (*keeping, error) {
	if isServer(dir) {
		return nil, state.Errorf(state.Invalid, "copy", "%s is no folder; what is damaged is skipped only in folders", masked(dir))
	}
	s, err := sqlite.Salvage(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &keeping{s, s, s.Close}, nil
}

// openDriver opens a store as it lies there.
func openDriver(ctx context.Context, address string) (*keeping, error) {
	if isServer(address) {
		s, err := mongo.Open(ctx, mongo.Config{URI: address})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", masked(address), err)
		}
		return &keeping{s, s, s.Close}, nil
	}
	if err := mustBeAddress(address); err != nil {
		return nil, err
	}
	s, err := sqlite.Open(ctx, sqlite.Config{Dir: address})
	if err != nil {
		return nil, err
	}
	return &keeping{s, s, s.Close}, nil
}

// seal puts a seal before a driver when there are keys. A store that is not as the keys say is refused before anything
// is read or written by mistake: one that is encrypted without keys or with others, and one that is not, with keys.
func seal(ctx context.Context, driver store.Store, where, keys string) (store.Store, error) {
	// The first document tells whether the store is encrypted.
	first, err := firstOf(ctx, driver)
	if err != nil {
		return nil, err
	}
	switch {
	case keys == "" && first != nil && isSealed(*first):
		return nil, state.Errorf(state.Denied, "store "+where, "is encrypted, and there are no keys; set "+keysVariable)
	case keys == "":
		return driver, nil
	case first != nil && !isSealed(*first):
		return nil, state.Errorf(state.Invalid, "store "+where, "is not encrypted, but "+keysVariable+" is set; "+
			"`mneme copy --from STORE --to NEW` writes an encrypted copy, or unset the keys")
	}

	// The keys must open that document; a wrong key is told now, not in the middle of a turn.
	ring, err := parseKeys(keys)
	if err != nil {
		return nil, err
	}
	s, err := sealed.New(sealed.Config{Store: driver, Keys: ring})
	if err != nil || first == nil {
		return s, err
	}
	if _, err := s.Get(ctx, first.Collection, first.ID); err != nil && !errors.Is(err, state.ErrNotFound) {
		return nil, fmt.Errorf("store %s: %w", where, err)
	}
	return s, nil
}

// parseKeys reads a keyring; no text is an empty one.
func parseKeys(keys string) (sealed.Keyring, error) {
	if keys == "" {
		return sealed.Keyring{}, nil
	}
	ring, err := sealed.ParseKeys(keys)
	if err != nil {
		return ring, fmt.Errorf("%s: %w; `mneme keys new` makes a key", keysVariable, err)
	}
	return ring, nil
}

// firstOf returns a document of the store, nil when it is empty.
func firstOf(ctx context.Context, s store.Store) (*store.Doc, error) {
	for _, c := range store.Collections() {
		docs, err := s.Scan(ctx, store.Query{Collection: c, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(docs) > 0 {
			return &docs[0], nil
		}
	}
	return nil, nil
}

// mostNames is how many names namesUnder looks up.
const mostNames = 4

// namesUnder returns the first names by which sessions are kept below a prefix, but for default, and whether that is one. Each costs one look.
func namesUnder(ctx context.Context, s store.Store, prefix string) (names []string, byDefault bool, err error) {
	q := store.Query{Collection: state.Sessions, Prefix: prefix, Limit: 1}
	one := state.Scope{}.Default().User
	here, err := s.Scan(ctx, store.Query{Collection: state.Sessions, Prefix: prefix + one + "/", Limit: 1})
	if err != nil {
		return nil, false, err
	}
	for len(names) < mostNames {
		docs, err := s.Scan(ctx, q)
		if err != nil || len(docs) == 0 {
			return names, len(here) > 0, err
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(docs[0].ID, prefix), "/")
		if name != one && !strings.HasPrefix(name, "$") {
			names = append(names, name)
		}
		q.After = prefix + name + "0" // the sign behind the slash: past all that is below the name
	}
	return names, len(here) > 0, nil
}

// isSealed reports whether a document, as it lies in a driver, was written through a seal.
func isSealed(d store.Doc) bool {
	_, err := d.Body.LookupErr("_sealed")
	return err == nil
}

// mustHoldStore refuses a folder in which opening would make an empty store.
func mustHoldStore(address, way string) error {
	if err := mustBeAddress(address); err != nil || isServer(address) {
		return err
	}
	if info, err := os.Stat(address); err == nil && !info.IsDir() {
		return state.Errorf(state.Invalid, address, "is no folder; %s", way)
	}
	_, err := os.Stat(filepath.Join(address, "store.db"))
	if _, mark := os.Stat(filepath.Join(address, "store.mark")); mark == nil && errors.Is(err, fs.ErrNotExist) {
		return nil // there was one: who opens it says what is missing
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return state.Errorf(state.NotFound, "folder "+address, "holds no store; %s", way)
	case err != nil:
		return state.Errorf(state.Unavailable, "folder "+address, "cannot be read: %w", err)
	}
	return nil
}

// onServer reports whether documents are kept on a server: its address is all it takes, unless the store is said to be
// embedded at least as near (flag, environment, file).
func (c config) onServer() bool {
	uri, store := c.values["mongo_uri"], c.values["store"]
	return uri.text != "" && (store.text != "embedded" || store.rank() < uri.rank())
}

// address returns where the store is: the server's, or the folder.
func (c config) address() string {
	if c.onServer() {
		return c.get("mongo_uri")
	}
	return c.get("dir")
}

// drivers refuses a store or an index that is not known or not named whole, so that nobody believes to be on a server.
func (c config) drivers() error {
	uri := c.values["mongo_uri"]
	switch store, index := c.get("store"), c.get("index"); {
	case store != "embedded" && store != "mongo":
		return state.Errorf(state.Invalid, "store "+store, "is not known; it is embedded or mongo")
	case store == "mongo" && uri.text == "":
		return state.Errorf(state.Invalid, "store mongo", "has no address; set MNEME_MONGO_URI=mongodb://HOST/DATABASE or --mongo-uri")
	case c.onServer() && !isServer(uri.text):
		return state.Errorf(state.Invalid, "mongo_uri ("+uri.origin+")", "is no address of a server; it is mongodb://HOST/DATABASE")
	case index != "local" && index != "milvus":
		return state.Errorf(state.Invalid, "index "+index, "is not known; it is local or milvus")
	case index == "milvus" && c.get("milvus_addr") == "":
		return state.Errorf(state.Invalid, "index milvus", "has no address; set MNEME_MILVUS_ADDR=HOST:19530 or --milvus-addr")
	case c.onMilvus():
		_, err := c.milvus()
		return err
	}
	return mustBeAddress(c.address())
}
