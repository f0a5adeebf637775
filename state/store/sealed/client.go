package sealed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

const (
	// clientKeyPrefix begins the ids of clients' keys among the documents of state.Meta: "~key/CLIENT/NUMBER", the highest number being the current
	// key. No other id of state.Meta is behind it in order.
	clientKeyPrefix = "~key/"

	// clientKeyLease is how long a process may use what it has read of a client's keys before it looks again.
	clientKeyLease = time.Second
)

// clientKeys are those of one client, oldest first, as they stood when they were read.
type clientKeys struct {
	all   []key
	until time.Time
}

func (c clientKeys) current() key { return c.all[len(c.all)-1] }

func (c clientKeys) find(id string) (key, bool) {
	i := slices.IndexFunc(c.all, func(k key) bool { return k.id == id })
	if i < 0 {
		return key{}, false
	}
	return c.all[i], true
}

// wrapped is a client's key as it is kept, in a document that the operator's key seals. Without its secret it is destroyed, and stands there until no
// byte of what it was is left.
type wrapped struct {
	Secret []byte `bson:"secret,omitempty"`
}

// clientOf returns whose key seals a document; "" = the operator's own does: what belongs to no client, the keys themselves, and orders to erase, which
// have no text and are to be read when the client's key is gone.
func clientOf(d store.Doc) string {
	client, _, within := strings.Cut(d.ID, "/")
	if !within || d.Collection == state.Meta || d.Collection == state.Orders {
		return ""
	}
	return client
}

// clientKeys returns the keys of a client, from RAM where they were read a moment ago and fresh does not ask for more.
func (s *Store) clientKeys(ctx context.Context, client string, fresh bool) (clientKeys, error) {
	s.mu.Lock()
	known, ok := s.clients[client]
	s.mu.Unlock()
	if ok && !fresh && s.now().Before(known.until) {
		return known, nil
	}

	read := clientKeys{until: s.now().Add(clientKeyLease)} // by the time before it is read
	prefix := clientKeyPrefix + client + "/"
	docs, err := s.below.Scan(ctx, store.Query{Collection: state.Meta, Prefix: prefix})
	if err != nil {
		return clientKeys{}, fmt.Errorf("key of client %s: %w", client, err)
	}
	for _, d := range docs {
		if d.Collection != state.Meta || !strings.HasPrefix(d.ID, prefix) {
			return clientKeys{}, refuse(d, "the query did not ask for it")
		}
		k, err := s.unwrap(ctx, d)
		if err != nil {
			return clientKeys{}, err
		}
		if k.root != nil {
			read.all = append(read.all, k)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(read.all) > 0 {
		s.clients[client] = read
	} else {
		delete(s.clients, client)
	}
	return read, nil
}

// unwrap reads a client's key; one that is destroyed has no root.
func (s *Store) unwrap(ctx context.Context, d store.Doc) (key, error) {
	body, err := s.open(ctx, d)
	if err != nil {
		return key{}, err
	}
	var w wrapped
	switch err := bson.Unmarshal(body, &w); {
	case err == nil && w.Secret == nil:
		return key{}, nil
	case err != nil || len(w.Secret) != keySize:
		return key{}, refuse(d, "it is no key of a client")
	}
	return newKey(d.ID[strings.LastIndex(d.ID, "/")+1:], w.Secret)
}

// keyOf returns the key that seals a document from now on, and the version that says whose it is. A client's first key is made here.
func (s *Store) keyOf(ctx context.Context, d store.Doc) (key, byte, error) {
	client := clientOf(d)
	if client == "" {
		return s.keys.current(), formatVersion, nil
	}
	known, err := s.clientKeys(ctx, client, false)
	if err == nil && len(known.all) == 0 {
		if err = s.addClientKey(ctx, client, 1); err == nil || errors.Is(err, state.ErrConflict) { // another process was first: it is its key
			known, err = s.clientKeys(ctx, client, true)
		}
	}
	switch {
	case err != nil:
		return key{}, 0, err
	case len(known.all) == 0:
		return key{}, 0, state.Errorf(state.Unavailable, "key of client "+client, "was made and is gone again: somebody erases the client; try again")
	}
	return known.current(), clientVersion, nil
}

// addClientKey makes a key of a client and keeps it. Whoever finds the number taken meets state.ErrConflict.
func (s *Store) addClientKey(ctx context.Context, client string, number int) error {
	secret := make([]byte, keySize)
	if _, err := io.ReadFull(s.random, secret); err != nil {
		return state.Errorf(state.Unavailable, "key of client "+client, "no random bytes for it: %w", err)
	}
	return s.keepKey(ctx, store.Doc{Collection: state.Meta, ID: clientKeyPrefix + client + "/" + fmt.Sprintf("%06d", number)}, wrapped{secret})
}

// keepKey writes a client's key in its place.
func (s *Store) keepKey(ctx context.Context, d store.Doc, w wrapped) (err error) {
	if d.Body, err = bson.Marshal(w); err != nil {
		return err
	}
	if d.Body, err = s.sealWith(s.keys.current(), formatVersion, d); err != nil {
		return err
	}
	return s.below.Write(ctx, d)
}

// stillCurrent fails if a client's key may have been changed while something was sealed with it and written: whoever changed it may not have seen that. What
// was inserted is taken back then, since nobody could open it. (What was replaced was sealed anew and stands at another revision: that write is a conflict.)
func (s *Store) stillCurrent(ctx context.Context, written []store.Doc, used map[string]key) error {
	for client, k := range used {
		s.mu.Lock()
		known, ok := s.clients[client]
		s.mu.Unlock()
		if ok && known.current().id == k.id && s.now().Before(known.until) {
			continue
		}
		known, err := s.clientKeys(ctx, client, true)
		if err != nil {
			return err
		}
		if len(known.all) == 0 || known.current().id != k.id {
			return errors.Join(state.Errorf(state.Unavailable, "write", "the key of client %s was changed meanwhile; read back what was written, and write again what is not there", client),
				s.takeBack(ctx, written, client))
		}
	}
	return nil
}

// takeBack deletes what was inserted for a client, if it still stands as it was written.
func (s *Store) takeBack(ctx context.Context, written []store.Doc, client string) error {
	var errs []error
	for _, d := range written {
		if clientOf(d) != client || d.Rev != 0 {
			continue
		}
		now, err := s.below.Get(ctx, d.Collection, d.ID)
		if err == nil && now.Rev == 1 && bytes.Equal(now.Body, d.Body) {
			now.Body = nil
			err = s.below.Write(ctx, now)
		}
		if err != nil && !errors.Is(err, state.ErrNotFound) && !errors.Is(err, state.ErrConflict) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// ChangeKey gives a client a new key, with which everything is sealed from now on; what an older one sealed can still be read. Where an earlier change is
// not at its end it does nothing, nor for a client without a key. "" = all clients.
func (s *Store) ChangeKey(ctx context.Context, client string) error {
	if client == "" {
		return s.changeAll(ctx)
	}
	known, err := s.clientKeys(ctx, client, true)
	if err != nil || len(known.all) != 1 {
		return err
	}
	number, err := strconv.Atoi(known.current().id)
	if err != nil {
		return state.Errorf(state.Internal, "key of client "+client, "has no number: %w", err)
	}
	err = s.addClientKey(ctx, client, number+1)
	if errors.Is(err, state.ErrConflict) {
		err = nil // another process changes it
	}
	s.dropKeys(client)
	return err
}

// changeAll changes the keys of all clients.
func (s *Store) changeAll(ctx context.Context) error {
	before := ""
	for docs, err := range store.Pages(ctx, s.below.Scan, store.Query{Collection: state.Meta, Prefix: clientKeyPrefix, Limit: resealPage}) {
		if err != nil {
			return err
		}
		for _, d := range docs {
			client := keyOwner(d.ID)
			if client == before {
				continue
			}
			before = client
			if err := s.ChangeKey(ctx, client); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropKeys has the keys of a client read again.
func (s *Store) dropKeys(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clients, client)
}

// DestroyKeys ends what ChangeKey began: it seals what is left of the client with its current key and destroys the older ones, so that nobody can open
// what they sealed, wherever its bytes still lie. "" = of all clients. Cut short it is done by the next call. It waits for as long as another
// process may still use what it knows of the keys.
func (s *Store) DestroyKeys(ctx context.Context, client string) (int, error) {
	older, err := s.olderKeys(ctx, client)
	if err != nil || len(older) == 0 {
		return 0, err
	}
	select {
	case <-s.after(2 * clientKeyLease):
	case <-ctx.Done():
		return 0, store.Cancelled(ctx)
	}
	destroyed := 0
	for client, docs := range older {
		s.dropKeys(client)
		for _, c := range store.Collections() {
			if _, err := s.Reseal(ctx, store.Query{Collection: c, Prefix: client + "/"}); err != nil {
				return destroyed, err
			}
		}
		if err := s.destroy(ctx, docs); err != nil {
			return destroyed, err
		}
		destroyed += len(docs)
		s.dropKeys(client)
	}
	return destroyed, nil
}

// destroy takes keys their secrets, then every byte of these that deletion has left, then the keys: so a kill leaves what is to be gone on with.
func (s *Store) destroy(ctx context.Context, keys []store.Doc) error {
	for i := range keys {
		if err := s.keepKey(ctx, keys[i], wrapped{}); err != nil {
			return err
		}
		keys[i].Rev++
		keys[i].Body = nil
	}
	if _, err := s.Purge(ctx); err != nil {
		return err
	}
	if err := s.below.Write(ctx, keys...); err != nil && !errors.Is(err, state.ErrConflict) { // another process was first
		return err
	}
	return nil
}

// olderKeys returns the documents of all keys that are not the current one of their client.
func (s *Store) olderKeys(ctx context.Context, client string) (map[string][]store.Doc, error) {
	q := store.Query{Collection: state.Meta, Prefix: clientKeyPrefix, Limit: resealPage}
	if client != "" {
		q.Prefix += client + "/"
	}
	older := map[string][]store.Doc{}
	var before store.Doc
	for docs, err := range store.Pages(ctx, s.below.Scan, q) {
		if err != nil {
			return nil, err
		}
		for _, d := range docs {
			if of := keyOwner(d.ID); of == keyOwner(before.ID) {
				older[of] = append(older[of], before)
			}
			before = d
		}
	}
	return older, nil
}

// keyOwner returns whose key a document of state.Meta is.
func keyOwner(id string) string {
	of, _, _ := strings.Cut(strings.TrimPrefix(id, clientKeyPrefix), "/")
	return of
}
