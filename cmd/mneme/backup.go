package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

type backupCommand struct {
	Dir  string `option:"" group:"whose" help:"Folder of the store (default ./.mneme)." placeholder:"DIR"`
	JSON bool   `name:"json" help:"The report as one JSON object."`
	To   string `arg:"" name:"to" help:"Folder to make; it must not exist or be empty."`
}

// Help is printed by mneme backup --help.
func (backupCommand) Help() string {
	return `Writes the store into a new folder, reads it back, and only then gives it its name: a folder of that name is
always whole, and --dir opens it. Settings (config.yaml) are not part of it. What is encrypted stays so, with the
same keys; with MNEME_ENCRYPTION_KEYS it is made sure that they open it. Other processes may go on with the store
meanwhile: the copy is what it held at one moment. A server's documents are copied by mneme copy.

Examples:
  mneme backup ~/backups/mneme-$(date +%F)
  mneme backup --dir /var/lib/mneme /mnt/disk/mneme --json`
}

// backedUp is the report of a backup.
type backedUp struct {
	From  string `json:"source"`
	To    string `json:"target"`
	Bytes int64  `json:"bytes"`
	MS    int64  `json:"ms"`
}

// Run makes the backup and says how large it is.
func (b *backupCommand) Run(ctx context.Context, con *console) (err error) {
	// Only a folder can be copied, and only one that holds a store.
	resolved, err := con.resolve()
	if err != nil {
		return err
	}
	if b.Dir == "" && resolved.onServer() {
		return state.Errorf(state.Invalid, "backup", "copies a folder, and documents are kept at %s; use mneme copy --from mongodb://... --to %s",
			masked(resolved.address()), b.To)
	}
	dir := resolved.get("dir")
	if err := mustHoldStore(dir, "name another with --dir"); err != nil {
		return err
	}

	// The store is opened as it lies there; a backup of an encrypted one stays encrypted.
	s, err := sqlite.Open(ctx, sqlite.Config{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	began := con.now()

	// Keys that do not fit are told now, not when the backup is needed.
	if keys := resolved.get("encryption_keys"); keys != "" {
		if _, err := seal(ctx, s, dir, keys); err != nil {
			return err
		}
	}

	// The report names the size of the copy, not of the store.
	if err := s.Backup(ctx, b.To); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(b.To, "store.db"))
	if err != nil {
		return state.Errorf(state.Unavailable, "backup "+b.To, "cannot be read: %w", err)
	}
	done := backedUp{dir, b.To, info.Size(), con.now().Sub(began).Milliseconds()}
	return con.tell(b.JSON, done, "backed up %s to %s, %s", done.From, done.To, megabytes(done.Bytes))
}
