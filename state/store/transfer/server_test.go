package transfer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/transfer"
)

// TestServer copies a folder to a server and the server to another store, with bodies larger than a server keeps
// in one document.
func TestServer(t *testing.T) {
	t.Parallel()
	server, err := mongo.Open(t.Context(), mongo.Config{URI: mongotest.Shared(t)})
	must(t, err)
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	folder, back := open(t, t.TempDir()), ram.New()
	sample(t, folder, 30)
	for i, size := range []int{1 << 20, 3 << 20, 20 << 20} {
		write(t, folder, doc(state.Messages, fmt.Sprint("large/", i), strings.Repeat("text ", size/5)))
	}
	first := copied(t, transfer.Config{From: folder, To: server, Page: 20})
	wantCopy(t, folder, server)
	copied(t, transfer.Config{From: server, To: back})
	wantCopy(t, folder, back)
	if again := copied(t, transfer.Config{From: folder, To: server}); again.Written != 0 || again.From != first.From {
		t.Errorf("once more: %+v, want nothing written", again)
	}
}
