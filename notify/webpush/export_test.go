package webpush

import (
	"crypto/ecdh"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/netip"
)

// Encrypt is with a key and a salt of the test's own, without padding.
func Encrypt(plain []byte, browser *ecdh.PublicKey, secret []byte, own *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	return encrypt(plain, browser, secret, own, salt, 0)
}

// Public reports whether an address is connected to.
func Public(ip netip.Addr) bool { return public(ip) }

// Trust has the Sender take certificates of these authorities.
func (s *Sender) Trust(pool *x509.CertPool) {
	s.client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: pool}
}
