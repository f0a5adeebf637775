package store

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
)

// Doc is one stored document. ID is its key in the collection: ids joined with "/", ordered as bytes.
// Rev is its revision: 1 after it was inserted, one more after each replacement. In a Write, Rev says
// what must hold: 0 = no such document may exist yet, n > 0 = it must stand at revision n. Body is a
// BSON document; nil in a Write with Rev n > 0 deletes.
type Doc struct {
	Collection state.Collection
	ID         string
	Rev        int64
	Body       bson.Raw

	// Value is what Body says, from whoever has decoded it and holds the document in RAM; nil = nobody has. It is only read. A Store
	// neither keeps nor sets it.
	Value any
}

// Query selects the documents of one collection whose ids begin with Prefix, in ascending order of id, or
// descending with Reverse. After, when not empty, starts strictly behind that id in that order; it need
// not exist nor begin with Prefix. Limit 0 = all.
type Query struct {
	Collection state.Collection
	Prefix     string
	After      string
	Limit      int
	Reverse    bool
}

// Store keeps ordered documents. All methods are safe for concurrent use and honour the context; none
// keeps or hands out memory it shares with the caller. A document whose Write was acknowledged is seen by
// every Get and Scan that begins afterwards. An error that is neither state.ErrConflict nor
// state.ErrInvalid leaves the outcome of a Write or Delete open: read back and compare.
type Store interface {
	// Get returns one document, or an error that is state.ErrNotFound.
	Get(ctx context.Context, c state.Collection, id string) (Doc, error)
	// Scan returns the documents the query selects, in its order, as they stood at one moment (a driver
	// without transactions: each as it stood at some moment of the call); none is an empty slice.
	Scan(ctx context.Context, q Query) ([]Doc, error)
	// Write makes all changes or none, durable before it returns, in one transaction. It is the
	// compare-and-swap: a document that is not at the Rev its change demands makes it fail with a
	// *ConflictError (state.ErrConflict) that names it. The same id twice in one Write is
	// state.ErrInvalid, an empty Write does nothing. A driver that is not Atomic makes the changes at the
	// same time, each one atomic of its own: after an error any of them may have been made.
	Write(ctx context.Context, docs ...Doc) error
	// Delete removes every document of c whose id begins with prefix and returns how many. An empty
	// prefix is state.ErrInvalid.
	Delete(ctx context.Context, c state.Collection, prefix string) (int, error)
	// Features says what the driver can do. It is the same at every call.
	Features() Features
}

// Purger is a Store that can see to it that no byte of a deleted document is left in its files. It reports false where that is not in its
// hands.
type Purger interface {
	Purge(ctx context.Context) (bool, error)
}

// Purge has a store empty what deleted documents have left in its files. It reports false for a store that cannot.
func Purge(ctx context.Context, s Store) (bool, error) {
	p, ok := s.(Purger)
	if !ok {
		return false, nil
	}
	return p.Purge(ctx)
}

// ClientKeyed is a Store that encrypts what it holds of each client with a key of the client's own.
type ClientKeyed interface {
	// ChangeKey gives the client a new key for all that is written from now on. "" = all clients.
	ChangeKey(ctx context.Context, client string) error
	// DestroyKeys encrypts anew what the client's older keys did, destroys these and returns how many that were. "" = of all clients.
	DestroyKeys(ctx context.Context, client string) (int, error)
}

// Features says what tells one driver from another; everything else they promise alike.
type Features struct {
	Atomic bool // a Write of several documents is one transaction
	Shared bool // other processes may have the same store open
}

// ConflictError says which document of a Write was not at the revision demanded.
type ConflictError struct {
	Collection state.Collection
	ID         string
}

// Error names the document.
func (e *ConflictError) Error() string {
	return string(e.Collection) + " " + e.ID + ": another writer was first"
}

// Is makes a ConflictError match state.ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == error(state.ErrConflict) }

// NotFound is the error of a Get that found nothing; it names the document.
func NotFound(c state.Collection, id string) error {
	return state.Errorf(state.NotFound, name(c, id), "does not exist")
}

// Cancelled returns the error of a call whose context is done: state.ErrUnavailable, and errors.Is finds
// context.Canceled or context.DeadlineExceeded in it.
func Cancelled(ctx context.Context) error {
	return state.Errorf(state.Unavailable, "store call", "given up: %w", ctx.Err())
}
