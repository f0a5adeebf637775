package sealed

import (
	"errors"
	"strconv"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// RefusedError says that a stored document is not what a sealed store wrote there: it was damaged, altered,
// moved, put back, or never sealed. It is state.ErrInternal. Nothing of the document is in it.
type RefusedError struct {
	Collection state.Collection
	ID         string
	Reason     string // what is wrong, for people
}

// Error names the document and what is wrong with it.
func (e *RefusedError) Error() string {
	return "refused " + string(e.Collection) + " " + strconv.Quote(e.ID) + ": " + e.Reason
}

// Is makes a RefusedError match state.ErrInternal.
func (e *RefusedError) Is(target error) bool { return target == error(state.ErrInternal) }

// UnknownKeyError says that a document was sealed with a key that is not in the keyring. It is
// state.ErrDenied: the document may be sound, but this process cannot read it.
type UnknownKeyError struct {
	Collection state.Collection
	ID         string
	Key        string // the key's id
	Client     string // whose key it is; "" = one of the keyring
}

// Error names the document, the key and the way out.
func (e *UnknownKeyError) Error() string {
	if e.Client != "" {
		return string(e.Collection) + " " + strconv.Quote(e.ID) + " is sealed with key " + e.Key + " of client " + e.Client +
			", which is not in the store: it was destroyed when the client was erased, or was lost"
	}
	return string(e.Collection) + " " + strconv.Quote(e.ID) + " is sealed with key " + e.Key +
		", which is not in the keyring; put that key back, behind the current one, until everything is resealed"
}

// Is makes an UnknownKeyError match state.ErrDenied.
func (e *UnknownKeyError) Is(target error) bool { return target == error(state.ErrDenied) }

const notSealed = "it is not sealed: it was written without encryption, or by somebody else; copy a plain store into a sealed one"

var (
	errNotSealedField = errors.New("a field of it is not sealed")
	errFieldSeal      = errors.New("the seal of a field does not hold")
)

func refuse(d store.Doc, reason string) error {
	return &RefusedError{Collection: d.Collection, ID: d.ID, Reason: reason}
}

// title returns how an error calls a document.
func title(d store.Doc) string { return string(d.Collection) + " " + strconv.Quote(d.ID) }
