package milvus

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/milvus-io/milvus/client/v2/entity"
	milvusindex "github.com/milvus-io/milvus/client/v2/index"
	"github.com/milvus-io/milvus/client/v2/milvusclient"
	"github.com/milvus-io/milvus/pkg/v2/util/merr"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// layout is the version of the fields below; it is part of a collection's name, so that another layout is another
// collection.
const layout = 1

// The fields of a row. All text but the key is written as plain writes it.
const (
	fieldKey     = "pk" // of rowKey
	fieldClient  = "client"
	fieldUser    = "user"
	fieldID      = "id"
	fieldHash    = "hash"
	fieldKind    = "kind"
	fieldSession = "session"
	fieldAt      = "at" // milliseconds since 1970
	fieldVector  = "vec"
)

// Bytes of a field, as plain writes it: three for each byte in the worst case.
const (
	maxName = 3 * 128  // of clients and users, whose ids have 128 bytes at most
	maxText = 3 * 1024 // of the rest
)

// spaceProperty is where a collection says what space it is of.
const spaceProperty = "mneme.space"

// spaceNote is the value of spaceProperty.
type spaceNote struct {
	Model   string `json:"model"`
	Dim     int    `json:"dim"`
	Version int    `json:"version"`
}

func (s *Shelf) alias() string { return s.cfg.Prefix + "_live" }

func (s *Shelf) collection(space index.Space) string {
	model := sha256.Sum256([]byte(space.Model))
	return fmt.Sprintf("%s_v%d_%x_%d_%d", s.cfg.Prefix, layout, model[:8], space.Dim, space.Version)
}

// describe returns the space of a collection, which may be named by its alias; false if there is none.
func (s *Shelf) describe(ctx context.Context, name string) (index.Space, bool, error) {
	var found *entity.Collection
	err := s.call(ctx, "describe collection "+name, func(ctx context.Context) (err error) {
		found, err = s.client.DescribeCollection(ctx, milvusclient.NewDescribeCollectionOption(name))
		return err
	})
	switch {
	case errors.Is(err, merr.ErrCollectionNotFound):
		return index.Space{}, false, nil
	case err != nil:
		return index.Space{}, false, err
	}
	text := found.Properties[spaceProperty]
	if text == "" {
		text = found.Schema.Description
	}
	var note spaceNote
	if err := json.Unmarshal([]byte(text), &note); err != nil {
		return index.Space{}, false, state.Errorf(state.Conflict, "collection "+name, "does not say what space it is of, so somebody else made it; use another prefix")
	}
	return index.Space(note), true, nil
}

// ensureCollection makes the collection unless it is there, by whomever: another process may be faster, and then be in the
// middle of it.
func (v *Vectors) ensureCollection(ctx context.Context) error {
	space, there, err := v.shelf.describe(ctx, v.name)
	if err == nil && !there {
		space, err = v.space, v.create(ctx)
		if err != nil && v.appears(ctx, err, func() (found bool) {
			space, found, _ = v.shelf.describe(ctx, v.name)
			return found
		}) {
			err = nil
		}
	}
	if err == nil && space != v.space {
		err = state.Errorf(state.Conflict, "collection "+v.name, "is of %s, not of %s; use another prefix", space, v.space)
	}
	return err
}

// appears looks a few times, within a second, for what we were refused to make and somebody else may be making.
func (v *Vectors) appears(ctx context.Context, refused error, look func() bool) bool {
	if errors.Is(refused, state.ErrUnavailable) {
		return false
	}
	for try := range 5 {
		if look() {
			return true
		}
		if v.shelf.cfg.Sleep(ctx, v.shelf.pause(try)) != nil {
			return false
		}
	}
	return false
}

func (v *Vectors) create(ctx context.Context) error {
	note, err := json.Marshal(spaceNote(v.space))
	if err != nil {
		return state.Errorf(state.Invalid, "vector space", "%w", err)
	}
	text := func(name string, length int64) *entity.Field {
		return entity.NewField().WithName(name).WithDataType(entity.FieldTypeVarChar).WithMaxLength(length)
	}
	schema := entity.NewSchema().WithName(v.name).WithDescription(string(note)).WithDynamicFieldEnabled(false).
		WithField(text(fieldKey, keyDigits).WithIsPrimaryKey(true)).
		WithField(text(fieldClient, maxName).WithIsPartitionKey(true)).
		WithField(text(fieldUser, maxName)).WithField(text(fieldID, maxText)).WithField(text(fieldHash, maxText)).
		WithField(text(fieldKind, maxText)).WithField(text(fieldSession, maxText)).
		WithField(entity.NewField().WithName(fieldAt).WithDataType(entity.FieldTypeInt64)).
		WithField(entity.NewField().WithName(fieldVector).WithDataType(entity.FieldTypeFloatVector).WithDim(int64(v.space.Dim)))
	err = v.shelf.call(ctx, "create collection "+v.name, func(ctx context.Context) error {
		return v.shelf.client.CreateCollection(ctx, milvusclient.NewCreateCollectionOption(v.name, schema).
			WithConsistencyLevel(entity.ClBounded).WithProperty(spaceProperty, string(note)))
	})
	if err == nil {
		v.shelf.cfg.Logger.DebugContext(ctx, "milvus collection made", "collection", v.name, "space", v.space.String())
	}
	return err
}

func (v *Vectors) ensureIndex(ctx context.Context) error {
	there, err := v.indexed(ctx)
	if err != nil || there {
		return err
	}
	kind := milvusindex.NewHNSWIndex(entity.COSINE, 16, 200)
	if v.shelf.cfg.Index == IndexFlat {
		kind = milvusindex.NewFlatIndex(entity.COSINE)
	}
	err = v.shelf.call(ctx, "index collection "+v.name, func(ctx context.Context) error {
		_, err := v.shelf.client.CreateIndex(ctx, milvusclient.NewCreateIndexOption(v.name, fieldVector, kind))
		return err // of an empty collection it is ready at once; loading waits for the rest
	})
	if err != nil && v.appears(ctx, err, func() bool {
		there, _ := v.indexed(ctx)
		return there
	}) {
		return nil
	}
	return err
}

func (v *Vectors) indexed(ctx context.Context) (bool, error) {
	var names []string
	err := v.shelf.call(ctx, "list indexes of collection "+v.name, func(ctx context.Context) (err error) {
		names, err = v.shelf.client.ListIndexes(ctx, milvusclient.NewListIndexOption(v.name).WithFieldName(fieldVector))
		return err
	})
	if errors.Is(err, merr.ErrIndexNotFound) {
		return false, nil
	}
	return len(names) > 0, err
}

// load has the server take the collection into memory and waits until it has. The library's own waiting sleeps by the clock
// before it looks.
func (v *Vectors) load(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, v.shelf.cfg.LoadTimeout)
	defer cancel()
	asked := false
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		loaded, err := v.loaded(ctx)
		if err != nil || loaded {
			return err
		}
		if !asked {
			asked = true
			err := v.shelf.call(ctx, "load collection "+v.name, func(ctx context.Context) error {
				_, err := v.shelf.client.LoadCollection(ctx, milvusclient.NewLoadCollectionOption(v.name))
				return err
			})
			if err != nil {
				return err
			}
			v.shelf.cfg.Logger.DebugContext(ctx, "milvus collection loading", "collection", v.name)
			continue
		}
		if err := v.shelf.cfg.Sleep(ctx, pause); err != nil {
			return state.Errorf(state.Unavailable, "load collection "+v.name, "the server is not done yet: %w; try again, or raise LoadTimeout", err)
		}
	}
}

func (v *Vectors) loaded(ctx context.Context) (bool, error) {
	var found entity.LoadState
	err := v.shelf.call(ctx, "look at collection "+v.name, func(ctx context.Context) (err error) {
		found, err = v.shelf.client.GetLoadState(ctx, milvusclient.NewGetLoadStateOption(v.name))
		return err
	})
	return found.State == entity.LoadStateLoaded, err
}
