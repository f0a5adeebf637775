package milvustest

import (
	"net"
	"testing"
	"time"
)

// TestPort says that a server has its port to itself: a second one does not start, and the first goes on.
func TestPort(t *testing.T) {
	t.Parallel()
	first := Start(t)
	second := &Server{Address: first.Address, tb: t, python: first.python, dir: t.TempDir()}
	if err := second.start(); err == nil {
		second.Kill()
		t.Error("two servers share a port")
	}
	listens := func() bool {
		conn, err := net.DialTimeout("tcp", first.Address, time.Second)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}
	if !listens() {
		t.Error("the first server is gone")
	}
	for name, end := range map[string]func(){"Stop": first.Stop, "Kill": first.Kill} {
		end()
		end() // nothing is left to end
		if listens() {
			t.Errorf("after %s somebody listens", name)
		}
		first.Restart()
		if !listens() {
			t.Error("nobody listens after Restart")
		}
	}
}

// TestMissing says that a test without a server ends there, and does not go on.
func TestMissing(t *testing.T) {
	t.Setenv("MNEME_MILVUS_LITE", t.TempDir())
	t.Setenv("MNEME_REQUIRE_MILVUS", "")
	t.Run("skipped", func(t *testing.T) {
		Start(t)
		t.Error("a server was started from an empty folder")
	})
}
