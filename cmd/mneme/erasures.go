package main

import (
	"context"
	"errors"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/forget/erasures"
	"github.com/mneme-graph/mneme/state"
)

// openErasures opens what keeps outside of the store what was erased, nil where nothing does. It is closed with the store.
func (c config) openErasures(ctx context.Context, v *keeping) (forget.Ledger, error) {
	address := c.get("erasure_ledger")
	switch {
	case address == "":
		return nil, nil
	case !isServer(address):
		return erasures.Open(address)
	case c.onServer() && address == c.address():
		return nil, state.Errorf(state.Invalid, "erasure_ledger", "is the store itself, and a backup of that has it too; name another database or a file")
	}
	book, err := openDriver(ctx, address)
	if err != nil {
		return nil, err
	}
	store := v.close
	v.close = func() error { return errors.Join(store(), book.close()) }
	return erasures.In(book.Store, masked(address)), nil
}

// withErasures does something with what erases in a store, for a command that opens no graph.
func (c config) withErasures(ctx context.Context, v *keeping, do func(*forget.Room) error) (err error) {
	book, err := c.openErasures(ctx, v)
	if err != nil {
		return err
	}
	m, err := memory.New(memory.Config{Store: v.Store, Settings: c.settings, Erasures: book})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	return do(m.Forget())
}

// eraseAgain erases in an older store what was erased since.
func (c config) eraseAgain(ctx context.Context, v *keeping) error {
	return c.withErasures(ctx, v, func(r *forget.Room) error {
		_, err := r.Restored(ctx)
		return err
	})
}
