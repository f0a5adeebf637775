package access_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// clock is a time that a test moves.
type clock struct{ now time.Time }

func setup(t *testing.T) (*access.Keys, *clock, store.Store) {
	t.Helper()
	c := &clock{time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)}
	s := ram.New()
	return access.New(access.Config{Store: s, Now: func() time.Time { return c.now }}), c, s
}

func TestAKeyHoldsUntilItEnds(t *testing.T) {
	t.Parallel()
	keys, c, s := setup(t)
	made, secret, err := keys.Create(t.Context(), access.Key{Client: "acme", Roles: []access.Role{access.Read}, Expires: c.now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := keys.Check(t.Context(), secret)
	if err != nil || got.Client != "acme" || !got.May(access.Read) || got.May(access.Write) {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "short", secret + "x", secret[:len(secret)-1] + "!", "mneme_0000000000000000000000000000000000000000000"} {
		if _, err := keys.Check(t.Context(), bad); !errors.Is(err, state.ErrDenied) {
			t.Errorf("%q: %v", bad, err)
		}
	}

	// Another process revokes it; this one knows within a second.
	other := access.New(access.Config{Store: s, Now: func() time.Time { return c.now }})
	if _, err := other.Revoke(t.Context(), "others", made.ID); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("another client's key is revoked: %v", err)
	}
	if _, err := other.Revoke(t.Context(), "acme", made.ID); err != nil {
		t.Fatal(err)
	}
	c.now = c.now.Add(time.Second)
	if _, err := keys.Check(t.Context(), secret); !errors.Is(err, state.ErrDenied) {
		t.Errorf("a revoked key: %v", err)
	}

	// One that expires does so by itself.
	_, secret, err = keys.Create(t.Context(), access.Key{Client: "acme", Roles: []access.Role{access.Read}, Expires: c.now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	c.now = c.now.Add(time.Hour)
	if _, err := keys.Check(t.Context(), secret); !errors.Is(err, state.ErrDenied) {
		t.Errorf("an expired key: %v", err)
	}
}

func TestRotationOverlaps(t *testing.T) {
	t.Parallel()
	keys, c, _ := setup(t)
	old, secret, err := keys.Create(t.Context(), access.Key{Client: "acme", User: "ann", Roles: []access.Role{access.Read, access.Write}})
	if err != nil {
		t.Fatal(err)
	}
	c.now = c.now.Add(time.Second)
	next, fresh, err := keys.Rotate(t.Context(), "acme", old.ID, time.Hour)
	if err != nil || next.User != "ann" || !slices.Equal(next.Roles, old.Roles) || fresh == secret {
		t.Fatalf("%+v, %v", next, err)
	}
	for _, s := range []string{secret, fresh} {
		if _, err := keys.Check(t.Context(), s); err != nil {
			t.Errorf("within the overlap: %v", err)
		}
	}
	c.now = c.now.Add(time.Hour)
	if _, err := keys.Check(t.Context(), secret); !errors.Is(err, state.ErrDenied) {
		t.Errorf("behind the overlap: %v", err)
	}
	listed, err := keys.List(t.Context(), "acme")
	if err != nil || len(listed) != 2 || listed[0].ID != old.ID || listed[1].LastUsed.IsZero() {
		t.Errorf("%+v, %v", listed, err)
	}
	if others, err := keys.List(t.Context(), "b"); err != nil || len(others) != 0 {
		t.Errorf("%+v, %v", others, err)
	}
}

func TestTheFirstKeyIsMadeOnce(t *testing.T) {
	t.Parallel()
	keys, _, s := setup(t)
	secret, err := keys.First(t.Context(), "", "")
	if err != nil || secret == "" {
		t.Fatal(secret, err)
	}
	if key, err := keys.Check(t.Context(), secret); err != nil || key.Client != "default" || !key.May(access.Admin) || !key.May(access.Delegating) {
		t.Errorf("%+v, %v", key, err)
	}
	for _, again := range []*access.Keys{keys, access.New(access.Config{Store: s})} {
		if secret, err := again.First(t.Context(), "", ""); err != nil || secret != "" {
			t.Errorf("a second first key: %q, %v", secret, err)
		}
	}
	const preset = "a-preset-key-of-the-operator"
	if secret, err := keys.First(t.Context(), "", preset); err != nil || secret != preset {
		t.Errorf("%q, %v", secret, err)
	}
	if secret, err := keys.First(t.Context(), "", preset); err != nil || secret != "" {
		t.Errorf("a preset key is made twice: %q, %v", secret, err)
	}
	if _, err := keys.Check(t.Context(), preset); err != nil {
		t.Error(err)
	}
	if _, err := keys.First(t.Context(), "", "short"); !errors.Is(err, state.ErrInvalid) {
		t.Error(err)
	}
}

func TestBadKeysAreRefused(t *testing.T) {
	t.Parallel()
	keys, _, _ := setup(t)
	for _, bad := range []access.Key{
		{}, {Client: "acme"}, {Client: "a/b", Roles: []access.Role{access.Read}}, {Client: "acme", Roles: []access.Role{"root"}},
		{Client: "acme", User: "ann", Roles: []access.Role{access.Delegating}},
	} {
		if _, _, err := keys.Create(t.Context(), bad); !errors.Is(err, state.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
