package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sealed"
)

type keysCommand struct {
	New    keysNew    `cmd:"" help:"Print a fresh key for MNEME_ENCRYPTION_KEYS."`
	Rotate keysRotate `cmd:"" help:"Encrypt everything anew with the current key."`
}

// Help is printed by mneme keys --help.
func (keysCommand) Help() string {
	return `MNEME_ENCRYPTION_KEYS="ID:KEY,ID:KEY" encrypts what the store holds: with the first key, and any of them opens it.
Each client's memory has a key of its own, kept in the store and encrypted with yours: mneme forget --all client destroys it. A backup made before still holds it.
A store that is there is encrypted by copying it. Nobody can read it without the keys: keep them elsewhere.

To change keys:
  export MNEME_ENCRYPTION_KEYS="$(mneme keys new),$MNEME_ENCRYPTION_KEYS"
  mneme keys rotate      # every process with the new keys; then the old one may go`
}

type keysNew struct {
	ID string `arg:"" optional:"" name:"id" help:"Name of the key (default today's date)."`
}

// Run prints the entry and nothing else, so that it can be put where it belongs.
func (k *keysNew) Run(con *console) error {
	ring, err := parseKeys(lookup(con.environ, keysVariable))
	if err != nil {
		return err
	}
	taken := ring.IDs()
	if slices.Contains(taken, k.ID) {
		return state.Errorf(state.Conflict, "key "+k.ID, "is in %s already; name another", keysVariable)
	}
	entry, err := sealed.GenerateKey(cmp.Or(k.ID, freeID(con.now().UTC().Format(time.DateOnly), taken)), nil)
	if err != nil {
		return err
	}
	con.println(entry)
	return nil
}

// freeID returns today, with a number behind it if that is taken.
func freeID(today string, taken []string) string {
	id := today
	for n := 2; slices.Contains(taken, id); n++ {
		id = fmt.Sprintf("%s.%d", today, n)
	}
	return id
}

type keysRotate struct {
	place
	Clients bool `help:"Give each client a new key too, and encrypt all that it has with that."`
	JSON    bool `name:"json" help:"The report as one JSON object; progress as JSON on stderr."`
}

// Help is printed by mneme keys rotate --help.
func (keysRotate) Help() string {
	return `Encrypts with the first key of MNEME_ENCRYPTION_KEYS what an older one of them encrypted. It may be cut off and run
again, and a server may be used meanwhile, as long as every process has the new keys. After it the older keys may go.

What clients have said is encrypted with a key of each client's own, and these keys with yours: so few documents are written anew.
With --clients all are: do so if somebody may have had both your old key and a copy of the store.`
}

// rotated is the report. Key is the one that now encrypts everything.
type rotated struct {
	Store    string `json:"store"`
	Key      string `json:"key"`
	Seen     int    `json:"documents"`
	Resealed int    `json:"resealed"`
	MS       int64  `json:"ms"`
}

// Run rotates.
func (k *keysRotate) Run(ctx context.Context, con *console) (err error) {
	// Without keys, or without a store, there is nothing to rotate.
	resolved, err := con.resolve()
	if err == nil {
		err = resolved.drivers()
	}
	keys := resolved.get("encryption_keys")
	switch {
	case err != nil:
		return err
	case keys == "":
		return state.Errorf(state.Invalid, keysVariable, "is not set, so nothing is encrypted; `mneme keys new` makes a key, and `mneme copy` an encrypted copy")
	}
	if err := mustHoldStore(resolved.address(), "name another with --dir"); err != nil {
		return err
	}

	ring, err := parseKeys(keys)
	if err != nil {
		return err
	}

	// Every document is encrypted anew that the first key has not encrypted.
	v, err := openStore(ctx, resolved.address(), keys)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	began := con.now()
	done, err := k.reseal(ctx, con, v)
	if err != nil {
		return err
	}

	// The report names the key that now encrypts everything.
	done.Store, done.Key, done.MS = masked(resolved.address()), ring.IDs()[0], con.now().Sub(began).Milliseconds()
	return con.tell(k.JSON, done, "%d documents in %s are encrypted under key %s, %d of them anew", done.Seen, done.Store, done.Key, done.Resealed)
}

// resealPage is how many documents are looked at between two lines of progress.
const resealPage = 1000

// reseal goes over every collection.
func (k *keysRotate) reseal(ctx context.Context, con *console, v *keeping) (done rotated, err error) {
	s, ok := v.Store.(*sealed.Store)
	if !ok {
		return done, state.Errorf(state.Internal, "store", "was opened without its seal")
	}

	if k.Clients {
		if err := s.ChangeKey(ctx, ""); err != nil {
			return done, err
		}
	}
	for _, c := range store.Collections() {
		q := store.Query{Collection: c, Limit: resealPage}
		for {
			part, err := s.Reseal(ctx, q)
			done.Seen, done.Resealed, q.After = done.Seen+part.Seen, done.Resealed+part.Stale, part.Last
			if err != nil {
				return done, fmt.Errorf("%w (%d documents are done; run it again)", err, done.Seen)
			}
			if part.Seen > 0 {
				k.progress(con, c, done)
			}
			if part.Seen < resealPage {
				break
			}
		}
	}
	_, err = s.DestroyKeys(ctx, "")
	return done, err
}

func (k *keysRotate) progress(con *console, c state.Collection, done rotated) {
	if k.JSON {
		_ = encode(con.err, map[string]any{"progress": map[string]any{"collection": c, "documents": done.Seen, "resealed": done.Resealed}}) // as meter.show
		return
	}
	fmt.Fprintf(con.err, "rotate  %-8s  %s, %d encrypted anew\n", c, counted(done.Seen, "document"), done.Resealed)
}
