//go:build postgres

package cluster_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lineclear/lineclear/cluster/natstest"
)

// pair is a certificate for this machine and its key, in PEM.
type pair struct{ cert, key []byte }

// trusted is one for the whole process, which reads once whom it trusts.
var trusted = sync.OnceValues(newPair)

func newPair() (p pair, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return p, err
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		return p, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	return pair{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
	}, err
}

// files writes one, and returns its file and what a server is told of it.
func files(t *testing.T, made func() (pair, error)) (cert, setting string) {
	t.Helper()
	p, err := made()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "lineclear-nats-") // which the server's user can read
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, text := range map[string][]byte{cert: p.cert, key: p.key} {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return cert, fmt.Sprintf("tls: {cert_file: %q, key_file: %q}", cert, key)
}

func TestWithTLSNothingIsSaidToAServerThatIsNotTheOneNamed(t *testing.T) {
	cert, setting := files(t, trusted)
	_, other := files(t, newPair)
	t.Setenv("SSL_CERT_FILE", cert)
	known, unknown, plain := natstest.Start(t, setting), natstest.Start(t, other), natstest.Start(t)
	secure := func(s *natstest.Server) string { return strings.Replace(s.URL, "nats://", "tls://", 1) }
	one, two := start(t, secure(known), key), start(t, secure(known), key)
	one.heardBy(t, two)
	for _, s := range []*natstest.Server{unknown, plain} {
		n := start(t, secure(s), key)
		if said := <-n.logs; !strings.Contains(said, "is away") {
			t.Errorf("it says %q", said)
		}
	}
}
