package transfer_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sealed"
	"github.com/mneme-graph/mneme/state/store/transfer"
)

// sealedStore wraps a store with a key of its own.
func sealedStore(t *testing.T, below store.Store, key string) store.Store {
	t.Helper()
	text, err := sealed.GenerateKey(key, strings.NewReader(strings.Repeat(key, 64)))
	must(t, err)
	keys, err := sealed.ParseKeys(text)
	must(t, err)
	s, err := sealed.New(sealed.Config{Store: below, Keys: keys})
	must(t, err)
	return s
}

// TestSealed copies between a sealed store and others, with the keys and without.
func TestSealed(t *testing.T) {
	t.Parallel()
	raw, plain, other := ram.New(), ram.New(), ram.New()
	source := sealedStore(t, raw, "k1")
	sample(t, source, 10)
	if _, err := transfer.Copy(t.Context(), transfer.Config{From: raw, To: plain}); !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "is sealed") {
		t.Errorf("copy without keys = %v, want an Invalid error", err)
	}
	if n := len(all(t, plain)); n != 0 {
		t.Errorf("%d documents in the target, want none", n)
	}
	copied(t, transfer.Config{From: source, To: plain})
	wantCopy(t, source, plain)
	copied(t, transfer.Config{From: source, To: sealedStore(t, other, "k2")})
	wantCopy(t, source, sealedStore(t, other, "k2"))
	mixed := ram.New()
	write(t, mixed, doc(state.Affairs, "a", "plain"), store.Doc{Collection: state.Affairs, ID: "b", Body: all(t, raw)[0].Body})
	if _, err := transfer.Copy(t.Context(), transfer.Config{From: mixed, To: ram.New()}); !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "affairs b is sealed") {
		t.Errorf("copy of a mixture = %v, want an Invalid error that names b", err)
	}
}
