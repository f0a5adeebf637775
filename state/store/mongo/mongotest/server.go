package mongotest

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// startup is how long a server may take to listen; loaded machines are slow with Java.
const startup = time.Minute

// Options say what server a test needs; the zero value is one in memory that looks like MongoDB 5.
type Options struct {
	File    string // where it keeps its documents; "" = in memory
	Wire    int    // the version of the protocol it says it speaks; 0 = 13 (MongoDB 5)
	Router  bool   // it says that it is the router of a sharded cluster
	NoHello bool   // it knows the old handshake only
}

// Server is a running server. Its methods are for one goroutine.
type Server struct {
	tb       testing.TB
	options  Options
	database string
	external *url.URL // of a server that is not ours
	port     string
	cmd      *exec.Cmd
	stdin    io.Closer
	ended    chan struct{}
}

// Start starts a server of the test's own and stops it when the test ends. With zero Options and
// MNEME_TEST_MONGO_URI set it is a database on that server instead, which cannot be killed.
func Start(tb testing.TB, o Options) *Server {
	tb.Helper()
	s := &Server{tb: tb, options: o, database: databaseName(), port: "0"}
	if text := os.Getenv("MNEME_TEST_MONGO_URI"); text != "" && o == (Options{}) {
		u, err := url.Parse(text)
		if err != nil {
			tb.Fatal("MNEME_TEST_MONGO_URI is not a URI") // the error would show its password
		}
		s.external = u
		tb.Cleanup(func() { drop(tb, s.URI()) })
		return s
	}

	tb.Cleanup(s.kill)
	if err := s.start(classPath(tb)); err != nil {
		tb.Fatalf("test server: %v", err)
	}
	return s
}

// shared is the server in memory of this test binary. It ends with the process.
//
//nolint:gochecknoglobals // a server per binary is its purpose, and a test has nothing else to share it through
var shared struct {
	sync.Mutex
	server *Server
}

// Shared returns the URI of a fresh database on a server that all tests of the binary share. The database is
// dropped when the test ends.
func Shared(tb testing.TB) string {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if os.Getenv("MNEME_TEST_MONGO_URI") != "" {
		return Start(tb, Options{}).URI()
	}

	if shared.server == nil {
		s := &Server{port: "0"}
		if err := s.start(classPath(tb)); err != nil {
			tb.Fatalf("test server: %v", err)
		}
		shared.server = s
	}

	uri := shared.server.uri(databaseName())
	tb.Cleanup(func() { drop(tb, uri) })
	return uri
}

// URI names the server and a database of the test's own.
func (s *Server) URI() string { return s.uri(s.database) }

func (s *Server) uri(database string) string {
	if s.external != nil {
		u := *s.external
		u.Path = "/" + database
		return u.String()
	}
	return "mongodb://" + s.Addr() + "/" + database + "?directConnection=true"
}

// Addr is host and port.
func (s *Server) Addr() string {
	if s.external != nil {
		return s.external.Host
	}
	return net.JoinHostPort("127.0.0.1", s.port)
}

// Kill ends the server as a crash would (SIGKILL) and waits until it is gone.
func (s *Server) Kill() {
	s.tb.Helper()
	s.mustBeOurs()
	s.kill()
}

// Stop ends the server in order and waits until it is gone.
func (s *Server) Stop() {
	s.tb.Helper()
	s.mustBeOurs()
	_ = s.stdin.Close()
	<-s.ended
}

// Restart starts the server again, on the same port and file; one that still runs is killed first.
func (s *Server) Restart() {
	s.tb.Helper()
	s.mustBeOurs()
	s.kill()
	if err := s.start(classPath(s.tb)); err != nil {
		s.tb.Fatalf("test server: %v", err)
	}
}

func (s *Server) mustBeOurs() {
	s.tb.Helper()
	if s.external != nil {
		s.tb.Skip("the server that MNEME_TEST_MONGO_URI names is not ours to stop")
	}
}

func (s *Server) kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill() // it may have ended already
	<-s.ended
	_ = s.stdin.Close()
}

// start runs the program until it listens; a port that is still taken is tried again.
func (s *Server) start(classPath string) error {
	var err error
	for begin := time.Now(); time.Since(begin) < startup; {
		if err = s.run(classPath); err == nil || s.port == "0" {
			return err
		}
	}
	return err
}

func (s *Server) run(classPath string) error {
	// What the server is to be like goes on its command line.
	kept := s.options.File
	if kept == "" {
		kept = "mem"
	}
	args := []string{"-Xmx512m", "-cp", classPath}
	if s.options.Wire > 0 {
		args = append(args, fmt.Sprintf("-Dwire=%d", s.options.Wire))
	}
	args = append(args, fmt.Sprintf("-Drouter=%t", s.options.Router), fmt.Sprintf("-Dhello=%t", !s.options.NoHello))
	cmd := exec.CommandContext(context.Background(), "java", append(args, "TestMongo", kept, s.port)...)

	// It ends with its stdin, so that it does not outlive the test.
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd, s.stdin, s.ended = cmd, stdin, make(chan struct{})

	// It has some time to say on which port it listens.
	timer := time.AfterFunc(startup, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	lines := bufio.NewReader(stdout)
	line, _ := lines.ReadString('\n') // one cut short is none

	// The rest of what it says is read, so that it is never held up.
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait() // how it ended is not ours to judge: it is killed in most cases
		close(s.ended)
	}()
	port, ready := strings.CutPrefix(strings.TrimSpace(line), "READY ")
	if !ready {
		s.kill()
		return fmt.Errorf("it does not listen: %.2000s", stderr.String())
	}
	s.port = port
	return nil
}

func databaseName() string { return "mneme_test_" + strings.ToLower(rand.Text()[:12]) }

// drop removes the database a URI names.
func drop(tb testing.TB, uri string) {
	u, err := url.Parse(uri)
	if err != nil {
		return
	}
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := client.Database(strings.TrimPrefix(u.Path, "/")).Drop(ctx); err != nil {
		tb.Logf("database %s stays behind: %v", u.Path, err)
	}
	_ = client.Disconnect(ctx)
}
