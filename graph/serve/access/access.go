// Package access keeps the keys by which the clients of a service are known.
//
//	keys := access.New(access.Config{Store: s})
//	made, secret, err := keys.Create(ctx, access.Key{Client: "acme", Roles: []access.Role{access.Read, access.Write}})
//	...
//	key, err := keys.Check(ctx, secret) // whose request it is, and what it may do
package access

// Design:
//
//   - A secret is shown once, when it is made. The store has its SHA-256 alone: a secret has 256 bits of chance, so no slow hash is needed.
//   - A key that is unknown, wrong, expired or revoked is refused with one text: who guesses learns nothing.
//   - Checks are answered from RAM for a second. So a key that is revoked is refused by every replica within that time.
import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Role is what a key may do.
type Role string

// The roles. Each is given by itself.
const (
	Read       Role = "read"       // look at memory
	Write      Role = "write"      // say something, and change memory
	Admin      Role = "admin"      // keys, settings of the client, erasing a whole client, holding records, figures
	Delegating Role = "delegating" // name the user whose memory a request is about
)

// Roles returns all roles.
func Roles() []Role { return []Role{Read, Write, Admin, Delegating} }

// Key is what is known of a key.
type Key struct {
	ID       string    `bson:"_id" json:"id"`
	Client   string    `bson:"client" json:"client_id" doc:"Whose memory it opens; nothing of another client can be reached with it"`
	User     string    `bson:"user,omitempty" json:"user_id,omitempty" doc:"The one user whose memory it opens; empty = the one that the request names, with the role delegating, else \"default\""`
	Roles    []Role    `bson:"roles" json:"roles"`
	Note     string    `bson:"note,omitempty" json:"note,omitempty"`
	Created  time.Time `bson:"created" json:"created_at"`
	Expires  time.Time `bson:"expires,omitempty" json:"expires_at,omitzero" doc:"Zero = never"`
	LastUsed time.Time `bson:"last_used,omitempty" json:"last_used_at,omitzero" doc:"To the minute"`
	Revoked  time.Time `bson:"revoked,omitempty" json:"revoked_at,omitzero"`
	Hash     []byte    `bson:"hash" json:"-"`
}

// May reports whether the key has a role.
func (k Key) May(r Role) bool { return slices.Contains(k.Roles, r) }

// Config says what Keys work with. Store is required.
type Config struct {
	Store store.Store
	Now   func() time.Time // default time.Now in UTC
}

// Keys are the access keys of a store. They are safe for concurrent use, also by several processes.
type Keys struct {
	c     Config
	mu    sync.Mutex
	known map[string]cached // by id
}

type cached struct {
	key Key
	at  time.Time
}

// Bounds of what is kept in RAM, and of a secret.
const (
	fresh       = time.Second // that a check is answered from RAM
	mostKnown   = 4096        // keys in RAM
	usedWithin  = time.Minute // how exactly the last use is kept
	shortSecret = 16          // bytes that a secret of an operator's own has at least
	longSecret  = 512
)

// New makes Keys. It does no I/O.
func New(c Config) *Keys {
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().UTC() }
	}
	return &Keys{c: c, known: map[string]cached{}}
}

const prefix = "access/" // of the documents' ids among those of state.Meta

// errRefused returns what a bad key is told, whatever is wrong with it.
func errRefused() error {
	return state.Errorf(state.Denied, "access key", "is missing, unknown, expired or revoked; send it as Authorization: Bearer KEY")
}

// idOf returns the id of a secret's key.
func idOf(secret string) string {
	sum := sha256.Sum256([]byte("mneme access\x00" + secret))
	return hex.EncodeToString(sum[:8])
}

func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// Check returns the key of a secret; state.ErrDenied when there is none that holds. It notes when the key was used.
func (k *Keys) Check(ctx context.Context, secret string) (Key, error) {
	if len(secret) < shortSecret || len(secret) > longSecret {
		return Key{}, errRefused()
	}
	id, now := idOf(secret), k.c.Now()
	k.mu.Lock()
	seen, ok := k.known[id]
	k.mu.Unlock()
	if !ok || now.Sub(seen.at) >= fresh || now.Before(seen.at) {
		key, err := k.read(ctx, id)
		if err != nil {
			return Key{}, err
		}
		seen = cached{key, now}
		k.keep(seen)
	}
	key := seen.key
	same := subtle.ConstantTimeCompare(key.Hash, hashOf(secret)) == 1
	if !same || !key.Revoked.IsZero() && !now.Before(key.Revoked) || !key.Expires.IsZero() && !now.Before(key.Expires) {
		return Key{}, errRefused()
	}
	if now.Sub(key.LastUsed) >= usedWithin {
		k.use(ctx, id, now)
	}
	return key, nil
}

// read returns a key from the store. One that is not there has no hash.
func (k *Keys) read(ctx context.Context, id string) (key Key, err error) {
	doc, err := k.c.Store.Get(ctx, state.Meta, prefix+id)
	if errors.Is(err, state.ErrNotFound) {
		return Key{}, nil
	}
	if err == nil {
		err = bson.Unmarshal(doc.Body, &key)
	}
	return key, err
}

func (k *Keys) keep(c cached) {
	if c.key.ID == "" {
		return // a guess takes no room
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.known) >= mostKnown {
		clear(k.known)
	}
	k.known[c.key.ID] = c
}

// use notes that a key was used. Where another writer is first, that one has noted it.
func (k *Keys) use(ctx context.Context, id string, now time.Time) {
	_, err := k.edit(ctx, id, func(key *Key) error { key.LastUsed = now.Truncate(usedWithin); return nil })
	_ = err // the request is not refused for it
}

// edit changes a key in the store.
func (k *Keys) edit(ctx context.Context, id string, change func(*Key) error) (key Key, err error) {
	const tries = 8
	for range tries {
		doc, err := k.c.Store.Get(ctx, state.Meta, prefix+id)
		if err != nil {
			return key, err
		}
		key = Key{}
		if err := bson.Unmarshal(doc.Body, &key); err != nil {
			return key, err
		}
		if err := change(&key); err != nil {
			return key, err
		}
		if doc.Body, err = bson.Marshal(key); err != nil {
			return key, err
		}
		err = k.c.Store.Write(ctx, doc)
		switch {
		case err == nil:
			k.keep(cached{key, k.c.Now()})
			return key, nil
		case !errors.Is(err, state.ErrConflict):
			return key, err
		}
	}
	return key, state.Errorf(state.Conflict, "access key "+id, "is being changed by others; try again")
}

// Create makes a key and returns its secret, which nobody can find out again.
func (k *Keys) Create(ctx context.Context, key Key) (Key, string, error) {
	return k.make(ctx, key, newSecret())
}

func newSecret() string {
	var chance [32]byte
	_, _ = rand.Read(chance[:]) // it never fails
	return "mneme_" + base64.RawURLEncoding.EncodeToString(chance[:])
}

func (k *Keys) make(ctx context.Context, key Key, secret string, besides ...store.Doc) (Key, string, error) {
	if err := key.validate(k.c.Now()); err != nil {
		return key, "", err
	}
	key.ID, key.Hash, key.Created, key.LastUsed, key.Revoked = idOf(secret), hashOf(secret), k.c.Now().UTC().Truncate(time.Millisecond), time.Time{}, time.Time{}
	body, err := bson.Marshal(key)
	if err != nil {
		return key, "", err
	}
	return key, secret, k.c.Store.Write(ctx, append(besides, store.Doc{Collection: state.Meta, ID: prefix + key.ID, Body: body})...)
}

// validate refuses a key that says nobody's memory or nothing that may be done.
func (k Key) validate(now time.Time) error {
	scope := state.Scope{Client: k.Client, User: k.User}.Default()
	scope.Session = "default"
	if err := scope.Validate(); err != nil {
		return err
	}
	if k.Client == "" || len(k.Roles) == 0 {
		return state.Errorf(state.Invalid, "access key", "needs a client and a role; the roles are %v", Roles())
	}
	for _, r := range k.Roles {
		if !slices.Contains(Roles(), r) {
			return state.Errorf(state.Invalid, "access key", "role %q is unknown; the roles are %v", r, Roles())
		}
	}
	if !k.Expires.IsZero() && !now.Before(k.Expires) {
		return state.Errorf(state.Invalid, "access key", "would have ended already, at %s", k.Expires.Format(time.RFC3339))
	}
	if k.User != "" && k.May(Delegating) {
		return state.Errorf(state.Invalid, "access key", "is for user %s alone, so it cannot have the role delegating too", k.User)
	}
	return nil
}

// First makes the first key of a store, with every role, and returns its secret; "" where the store has had one. A preset secret is
// that of a key with every role from then on, whether it is the first or not.
func (k *Keys) First(ctx context.Context, client, preset string) (secret string, err error) {
	all := Key{Client: cmp.Or(client, "default"), Roles: Roles(), Note: "made by the first start"}
	begun := store.Doc{Collection: state.Meta, ID: "access", Body: must(bson.D{{Key: "begun", Value: k.c.Now().UTC()}})}
	if preset != "" {
		if len(preset) < shortSecret || len(preset) > longSecret {
			return "", state.Errorf(state.Invalid, "preset access key", "has %d bytes; it needs %d to %d of chance", len(preset), shortSecret, longSecret)
		}
		all.Note = "preset"
		if known, err := k.read(ctx, idOf(preset)); err != nil || known.ID != "" {
			return "", err
		}
		_, secret, err = k.make(ctx, all, preset)
		if errors.Is(err, state.ErrConflict) {
			return "", nil // another replica was first
		}
		return secret, err
	}
	switch _, err := k.c.Store.Get(ctx, state.Meta, begun.ID); {
	case err == nil:
		return "", nil
	case !errors.Is(err, state.ErrNotFound):
		return "", err
	}
	_, secret, err = k.make(ctx, all, newSecret(), begun)
	if errors.Is(err, state.ErrConflict) {
		return "", nil
	}
	return secret, err
}

func must(d bson.D) bson.Raw {
	raw, err := bson.Marshal(d)
	if err != nil {
		panic(err) // a time always can be
	}
	return raw
}

// List returns the keys of a client, the oldest first; "" = of all.
func (k *Keys) List(ctx context.Context, client string) ([]Key, error) {
	docs, err := k.c.Store.Scan(ctx, store.Query{Collection: state.Meta, Prefix: prefix})
	if err != nil {
		return nil, err
	}
	keys := []Key{}
	for _, doc := range docs {
		var key Key
		if err := bson.Unmarshal(doc.Body, &key); err != nil {
			return nil, state.Errorf(state.Internal, "access key "+strings.TrimPrefix(doc.ID, prefix), "is damaged: %w", err)
		}
		if client == "" || key.Client == client {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b Key) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return keys, nil
}

// Revoke ends a key of a client at once. One of another client is state.ErrNotFound, as one that never was.
func (k *Keys) Revoke(ctx context.Context, client, id string) (Key, error) {
	return k.end(ctx, client, id, k.c.Now().UTC())
}

// Rotate makes a key with the roles of another, which holds for a while longer, so that nobody is locked out meanwhile.
func (k *Keys) Rotate(ctx context.Context, client, id string, overlap time.Duration) (Key, string, error) {
	old, err := k.end(ctx, client, id, k.c.Now().UTC().Add(overlap))
	if err != nil {
		return old, "", err
	}
	return k.Create(ctx, Key{Client: old.Client, User: old.User, Roles: old.Roles, Note: old.Note, Expires: old.Expires})
}

func (k *Keys) end(ctx context.Context, client, id string, at time.Time) (Key, error) {
	return k.edit(ctx, id, func(key *Key) error {
		if client != "" && key.Client != client {
			return store.NotFound(state.Meta, prefix+id)
		}
		if !key.Revoked.IsZero() && key.Revoked.Before(at) {
			return state.Errorf(state.Conflict, "access key "+id, "was revoked already")
		}
		key.Revoked = at
		return nil
	})
}
