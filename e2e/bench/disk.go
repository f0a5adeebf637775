package bench

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"github.com/mneme-graph/mneme/state"
)

// fdatasync measures what one durable write costs on this disk: a page written in place and synced. Go's File.Sync is fsync where the system has no fdatasync of its own.
func fdatasync(ctx context.Context, r *run) error {
	file, err := os.Create(filepath.Join(r.dir, "sync"))
	if err != nil {
		return state.Errorf(state.Unavailable, "disk", "%w", err)
	}

	page := bytes.Repeat([]byte{1}, 4096)
	n := r.times(50, 300)
	took, err := r.clock(ctx, n, func(int) error {
		if _, err := file.WriteAt(page, 0); err != nil {
			return err
		}
		return datasync(file)
	})

	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return state.Errorf(state.Unavailable, "disk", "%w", err)
	}

	r.figure("disk.fdatasync_ms", "ms", ms(percentile(took, 0.5)), n, nil)
	return nil
}
