package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// until says things until one is answered with a status.
func (s *served) until(t *testing.T, n *int, status int) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 20*time.Second; {
		*n++
		got, raw, err := s.turn(t.Context(), map[string]any{"message": "Hello again.", "session_id": "s1", "message_id": "m-" + strconv.Itoa(*n)}, "-")
		switch {
		case err != nil:
			t.Fatal(err)
		case got == status:
			return
		case got != http.StatusOK && got != http.StatusTooManyRequests:
			t.Fatalf("%d: %s", got, raw)
		}
	}
	t.Fatalf("nothing was answered with %d\n%s", status, s.said)
}

// SIGHUP has a service read its limits again. A file that is wrong changes nothing, and what takes a new start is named.
func TestSIGHUPReadsAgain(t *testing.T) {
	t.Parallel()
	dir, n := t.TempDir(), 0
	tell := func(s *served, text string) {
		must(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(text), 0o600))
		if s != nil {
			must(t, s.cmd.Process.Signal(syscall.SIGHUP))
		}
	}
	tell(nil, "serve_turns: 100\n")
	s := startServe(t, dir)
	s.until(t, &n, http.StatusOK)
	tell(s, "serve_key_tokens_minute: 1\nmax_tokens: 4000\n")
	s.until(t, &n, http.StatusTooManyRequests)
	tell(s, "serve_key_tokens_minute: many\n")
	s.until(t, &n, http.StatusTooManyRequests)
	tell(s, "serve_key_tokens_minute: 0\nserve_log: error\n")
	s.until(t, &n, http.StatusOK)
	must(t, s.cmd.Process.Signal(syscall.SIGTERM))
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	for _, want := range []string{"level=INFO msg=reloaded", "these take a new start", "max_tokens"} {
		if !strings.Contains(s.said.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, s.said)
		}
	}
}

// What is read again is taken as a whole, the certificate with it, or not at all.
func TestReloadingIsWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := &reloading{con: &console{err: &strings.Builder{}, flags: map[string]string{"dir": dir, "serve_rate": "7"}}, cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem")}
	certify(t, r.cert, r.key, 1)
	l, err := r.begin()
	if err != nil || l.Rate != 7 || l.Turns != 512 {
		t.Fatalf("%+v, %v", l, err)
	}
	serial := func() int64 {
		pair, err := r.certificate(nil)
		must(t, err)
		return pair.Leaf.SerialNumber.Int64()
	}
	certify(t, r.cert, r.key, 2)
	for _, bad := range []string{"serve_turns=-1", "serve_turns=many", "serve_rate=NaN", "serve_log=loud", "serve_client_tokens_day=1e99"} {
		name, text, _ := strings.Cut(bad, "=")
		c, err := readLayers(map[string]string{"dir": dir, name: text}, nil)
		must(t, err)
		if _, err := r.take(c); state.CodeOf(err) != state.Invalid || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if serial() != 1 {
		t.Error("of what is wrong a part was taken")
	}
	if _, err := r.take(r.began); err != nil || serial() != 2 {
		t.Errorf("certificate %d, %v", serial(), err)
	}
}

// certify writes a certificate of a number, and its key.
func certify(t *testing.T, cert, key string, serial int64) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	of := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour)}
	signed, err := x509.CreateCertificate(rand.Reader, of, of, private.Public(), private)
	must(t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	must(t, err)
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: signed}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		must(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
}
