package milvustest

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/milvus-io/milvus/client/v2/entity"
	"github.com/milvus-io/milvus/client/v2/milvusclient"
)

//go:embed serve.py
var program string

const (
	version  = "3.2.0"
	startup  = time.Minute // how long a server may take to answer; loaded machines are slow with Python
	shutdown = 20 * time.Second
)

// Server is a running milvus-lite. Its methods are for one goroutine.
type Server struct {
	// Address is where it listens, host:port. It stays the same when it is started again.
	Address string

	tb     testing.TB
	python string
	dir    string
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr *strings.Builder
	ended  chan struct{}
}

// Start starts a server of the test's own, with an empty folder, and stops it when the test ends.
func Start(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{tb: tb, python: python(tb), dir: tb.TempDir()}
	tb.Cleanup(s.Stop)
	var err error
	for range 3 { // somebody else may have taken the port that was free a moment ago
		if s.Address, err = freePort(tb.Context()); err != nil {
			break
		}
		if err = s.start(); err == nil {
			return s
		}
	}
	tb.Fatalf("milvus-lite: %v", err)
	return nil
}

// External returns the address of the server that MNEME_TEST_MILVUS_ADDR names; ok is false if it names none.
func External() (address string, ok bool) {
	address = os.Getenv("MNEME_TEST_MILVUS_ADDR")
	return address, address != ""
}

// Stop ends the server in order and waits until it is gone.
func (s *Server) Stop() { s.end(func() { _ = s.stdin.Close() }) }

// Kill ends the server as a crash would (SIGKILL) and waits until it is gone.
func (s *Server) Kill() { s.end(func() { _ = s.cmd.Process.Kill() }) }

// Restart starts the server again with what is in its folder; one that still runs is stopped first.
func (s *Server) Restart() {
	s.tb.Helper()
	s.Stop()
	if err := s.start(); err != nil {
		s.tb.Fatalf("milvus-lite, started again: %v", err)
	}
}

func (s *Server) end(how func()) {
	if s.cmd == nil {
		return
	}
	how()
	select {
	case <-s.ended:
	case <-time.After(shutdown):
		_ = s.cmd.Process.Kill() // it may have ended this moment
		<-s.ended
	}
	_ = s.stdin.Close()
	s.cmd = nil
}

// start runs the program until it answers and is known to be ours.
func (s *Server) start() error {
	_, port, err := net.SplitHostPort(s.Address)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.Background(), s.python, "-c", program, s.dir, port)
	s.stderr = &strings.Builder{}
	cmd.Stderr = s.stderr
	if s.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	s.cmd, s.ended = cmd, ended
	go func() {
		_ = cmd.Wait() // how it ended is not ours to judge: it is stopped in most cases
		close(ended)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), startup)
	defer cancel()
	go func() {
		select {
		case <-ended:
			cancel() // nobody will answer any more
		case <-ctx.Done():
		}
	}()
	if err := s.meet(ctx); err != nil {
		s.Kill()
		return fmt.Errorf("%w: %.2000s", err, s.stderr.String())
	}
	return nil
}

// meet connects, makes a collection, looks for it in the server's folder and drops it again.
func (s *Server) meet(ctx context.Context) error {
	client, err := milvusclient.New(ctx, &milvusclient.ClientConfig{Address: s.Address})
	if err != nil {
		return err
	}
	defer func() { _ = client.Close(context.Background()) }()
	mark := "mark_" + rand.Text()
	schema := entity.NewSchema().WithName(mark).
		WithField(entity.NewField().WithName("id").WithDataType(entity.FieldTypeInt64).WithIsPrimaryKey(true)).
		WithField(entity.NewField().WithName("v").WithDataType(entity.FieldTypeFloatVector).WithDim(2))
	if err := client.CreateCollection(ctx, milvusclient.NewCreateCollectionOption(mark, schema)); err != nil {
		return err
	}
	ours := false
	err = filepath.WalkDir(s.dir, func(path string, _ fs.DirEntry, err error) error {
		ours = ours || filepath.Base(path) == mark
		return err
	})
	if err == nil && !ours {
		err = errors.New("the server that answers is not the one that was started")
	}
	return errors.Join(err, client.DropCollection(ctx, milvusclient.NewDropCollectionOption(mark)))
}

// python returns the interpreter of the installation.
func python(tb testing.TB) string {
	tb.Helper()
	home := os.Getenv("MNEME_MILVUS_LITE")
	if home == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			missing(tb, "there is no cache folder: %v", err)
		}
		home = filepath.Join(cache, "mneme-ci", "milvus-lite-"+version)
	}
	path := filepath.Join(home, "bin", "python")
	if runtime.GOOS == "windows" {
		path = filepath.Join(home, "Scripts", "python.exe")
	}
	if _, err := os.Stat(path); err != nil {
		missing(tb, "there is no milvus-lite in %s", home)
	}
	return path
}

// missing ends a test that cannot have its server: skipped, or failed where a server is required.
func missing(tb testing.TB, format string, args ...any) {
	tb.Helper()
	text := fmt.Sprintf(format, args...) + ": run .ci/milvus-lite (it needs Python 3.10 or later and installs 450 MB), or name its folder in MNEME_MILVUS_LITE"
	if os.Getenv("MNEME_REQUIRE_MILVUS") == "1" {
		tb.Fatal("MNEME_REQUIRE_MILVUS=1, but " + text)
	}
	tb.Skip("NOT TESTED AGAINST MILVUS: " + text)
}

func freePort(ctx context.Context) (string, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
