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
	"testing"
	"time"

	"github.com/lineclear/lineclear/cluster/natstest"
)

// certificate makes one for this machine, and returns its file and its key's.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
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
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestWithTLSNothingIsSaidToAServerThatIsNotTheOneNamed(t *testing.T) {
	withTLS := func() (cert, setting string) {
		cert, private := certificate(t)
		return cert, fmt.Sprintf("tls: {cert_file: %q, key_file: %q}", cert, private)
	}
	cert, setting := withTLS()
	_, other := withTLS()
	t.Setenv("SSL_CERT_FILE", cert) // read once in the process
	trusted, unknown, plain := natstest.Start(t, setting), natstest.Start(t, other), natstest.Start(t)
	secure := func(s *natstest.Server) string { return strings.Replace(s.URL, "nats://", "tls://", 1) }
	one, two := start(t, secure(trusted), key), start(t, secure(trusted), key)
	one.heardBy(t, two)
	for _, s := range []*natstest.Server{unknown, plain} {
		n := start(t, secure(s), key)
		if said := <-n.logs; !strings.Contains(said, "is away") {
			t.Errorf("it says %q", said)
		}
	}
}
