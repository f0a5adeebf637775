package milvus_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/milvus-io/milvus-proto/go-api/v2/milvuspb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/mneme-graph/mneme/memory/index/milvus"
	"github.com/mneme-graph/mneme/state"
)

func TestTLS(t *testing.T) {
	t.Parallel()
	certificate, authorities := selfSigned(t)
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	server := grpc.NewServer(grpc.Creds(credentials.NewServerTLSFromCert(&certificate)))
	milvuspb.RegisterMilvusServiceServer(server, newFake(t))
	go func() { _ = server.Serve(listener) }() // until Stop
	t.Cleanup(server.Stop)
	address := listener.Addr().String()
	for _, tt := range []struct {
		name string
		cfg  milvus.Config
		ok   bool
	}{
		{"trusted", milvus.Config{Address: address, TLS: &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}}, true},
		{"trusted, as the address says", milvus.Config{Address: "https://" + address, TLS: &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}}, true},
		{"not trusted", milvus.Config{Address: address, EnableTLS: true}, false},
		{"not trusted, as the address says", milvus.Config{Address: "https://" + address}, false},
		{"no TLS", milvus.Config{Address: address}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if !tt.ok {
				tt.cfg.ConnectTimeout = 300 * time.Millisecond
			}
			shelf, err := milvus.Open(t.Context(), tt.cfg)
			if (err == nil) != tt.ok || !tt.ok && !errors.Is(err, state.ErrUnavailable) {
				t.Errorf("Open = %v, want success: %t", err, tt.ok)
			}
			if err == nil {
				_ = shelf.Close()
			}
		})
	}
}

// selfSigned makes a certificate for 127.0.0.1 and a pool that trusts it.
func selfSigned(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	parsed, err := x509.ParseCertificate(der)
	must(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}
