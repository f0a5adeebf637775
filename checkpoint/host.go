package checkpoint

import (
	"context"
	"encoding/base64"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Host keeps the interrupts of graphs that a host builds with eino itself: it is eino's compose.CheckPointStore, with
// Delete, on the same store as everything else. eino never deletes a checkpoint, and a finished run's would answer
// the next message under the same id with the old result. So an id belongs to one run: flow.RunHosted makes it from
// thread and turn, and deletes it when the run has ended. Safe for concurrent use.
type Host struct{ c HostConfig }

// HostConfig says where interrupts are kept. Store, Now and Client are required.
type HostConfig struct {
	Store  store.Store
	Now    func() time.Time
	Client string        // whose they are; other clients' ids are other ids
	Keep   time.Duration // what is older counts as gone, and a store that can deletes it; 0 = for ever
}

// hosted is the stored document.
type hosted struct {
	ID      string    `bson:"id"`
	At      time.Time `bson:"at"`
	Data    []byte    `bson:"data"`
	Expires time.Time `bson:"expires_at,omitempty"` // as TTL indexes want it
}

// NewHost makes a Host. A client that could not stand in a key is state.ErrInvalid.
func NewHost(c HostConfig) (*Host, error) {
	if c.Store == nil || c.Now == nil {
		return nil, state.Errorf(state.Invalid, "host", "HostConfig needs Store, Now and Client")
	}
	if err := state.ValidateID("client", c.Client); err != nil {
		return nil, err
	}
	return &Host{c}, nil
}

// key lets any string be an id.
func (h *Host) key(id string) (string, error) {
	if id == "" {
		return "", state.Errorf(state.Invalid, "checkpoint id", "is empty")
	}
	key := h.c.Client + "/" + base64.RawURLEncoding.EncodeToString([]byte(id))
	return key, store.ValidateKey(state.Hosts, key)
}

// Get returns what was kept under an id and whether there is anything.
func (h *Host) Get(ctx context.Context, id string) ([]byte, bool, error) {
	key, err := h.key(id)
	if err != nil {
		return nil, false, err
	}
	doc, err := h.c.Store.Get(ctx, state.Hosts, key)
	if errors.Is(err, state.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var kept hosted
	if err := bson.Unmarshal(doc.Body, &kept); err != nil || kept.ID != id {
		return nil, false, state.Errorf(state.Internal, "checkpoint "+id, "is damaged: it says it is %q (%v)", kept.ID, err)
	}
	if !kept.Expires.IsZero() && !kept.Expires.After(h.c.Now()) {
		return nil, false, nil
	}
	return kept.Data, true, nil
}

// Set keeps data under an id in place of what was there.
func (h *Host) Set(ctx context.Context, id string, data []byte) error {
	key, err := h.key(id)
	if err != nil {
		return err
	}
	now := h.c.Now()
	kept := hosted{ID: id, At: now, Data: data}
	if h.c.Keep > 0 {
		kept.Expires = now.Add(h.c.Keep)
	}
	body, err := marshal("checkpoint "+id, kept)
	if err != nil {
		return err
	}
	return h.swap(ctx, key, body)
}

// Delete forgets an id; one that is not there is no error.
func (h *Host) Delete(ctx context.Context, id string) error {
	key, err := h.key(id)
	if err != nil {
		return err
	}
	return h.swap(ctx, key, nil)
}

// swap replaces the document whatever it is, nil = deletes it. Of two at the same time the later wins.
func (h *Host) swap(ctx context.Context, key string, body bson.Raw) error {
	for {
		doc, err := h.c.Store.Get(ctx, state.Hosts, key)
		if err != nil && !errors.Is(err, state.ErrNotFound) {
			return err
		}
		if doc.Rev == 0 && body == nil {
			return nil
		}
		err = h.c.Store.Write(ctx, store.Doc{Collection: state.Hosts, ID: key, Rev: doc.Rev, Body: body})
		if !errors.Is(err, state.ErrConflict) {
			return err
		}
	}
}
