// Package webpushtest is a push service on a loopback address, with browsers that are
// subscribed there, for tests of those who send to them.
package webpushtest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// Service is a push service; make it with Open.
type Service struct {
	*httptest.Server
	Messages chan Message // those that were taken, in their order

	browser *ecdh.PrivateKey
	secret  []byte
	answer  atomic.Pointer[http.HandlerFunc]
}

// Message is a message as the browser reads it.
type Message struct {
	To     string // the name of the browser
	Text   string
	Size   int // as it was sent
	Header http.Header
}

// Open starts a push service until the test ends.
func Open(t testing.TB) *Service {
	t.Helper()
	browser, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := &Service{Messages: make(chan Message, 1000), browser: browser, secret: make([]byte, 16)}
	if _, err := rand.Read(s.secret); err != nil {
		t.Fatal(err)
	}
	s.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusCreated) })
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		text, err := Decrypt(body, s.secret, s.browser)
		if err != nil {
			t.Error(err)
		}
		s.Messages <- Message{To: strings.TrimPrefix(r.URL.RequestURI(), "/push/"), Text: text, Size: len(body), Header: r.Header}
		(*s.answer.Load())(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// Answer sets how it answers; 201 at first.
func (s *Service) Answer(answer http.HandlerFunc) { s.answer.Store(&answer) }

// Host is under what it is reached.
func (s *Service) Host() string { return strings.TrimPrefix(s.URL, "https://") }

// Endpoint is that of a browser. All have the same keys.
func (s *Service) Endpoint(name string) string { return s.URL + "/push/" + name }

// Keys are a browser's public key and secret.
func (s *Service) Keys() (key, secret []byte) { return s.browser.PublicKey().Bytes(), s.secret }

// Subscription is what a browser's page sends to its server.
func (s *Service) Subscription(name string) string {
	text := base64.RawURLEncoding.EncodeToString
	return fmt.Sprintf(`{"endpoint":%q,"keys":{"p256dh":%q,"auth":%q}}`, s.Endpoint(name), text(s.browser.PublicKey().Bytes()), text(s.secret))
}

// Certificate writes the certificate of the service into a file, for SSL_CERT_FILE.
func (s *Service) Certificate(t testing.TB) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "push.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Decrypt reads a message as a browser does (RFC 8291, section 3.4; RFC 8188, section 2).
func Decrypt(body, secret []byte, browser *ecdh.PrivateKey) (string, error) {
	if len(body) < 21 || len(body) < 21+int(body[20]) {
		return "", errors.New("push message: the message is cut off")
	}
	salt, size, length := body[:16], binary.BigEndian.Uint32(body[16:20]), int(body[20])
	sender, record := body[21:21+length], body[21+length:]
	if len(record) > int(size) {
		return "", fmt.Errorf("push message: a record of %d bytes, of at most %d", len(record), size)
	}
	from, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return "", fmt.Errorf("push message: sender: %w", err)
	}
	shared, err := browser.ECDH(from)
	if err != nil {
		return "", fmt.Errorf("push message: sender: %w", err)
	}
	input, err := hkdf.Key(sha256.New, shared, secret, "WebPush: info\x00"+string(browser.PublicKey().Bytes())+string(sender), 32)
	if err != nil {
		return "", fmt.Errorf("push message: %w", err)
	}
	key, noKey := hkdf.Key(sha256.New, input, salt, "Content-Encoding: aes128gcm\x00", 16)
	nonce, noNonce := hkdf.Key(sha256.New, input, salt, "Content-Encoding: nonce\x00", 12)
	block, noBlock := aes.NewCipher(key)
	if err := errors.Join(noKey, noNonce, noBlock); err != nil {
		return "", fmt.Errorf("push message: %w", err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return "", fmt.Errorf("push message: %w", err)
	}
	plain, err := gcm.Open(nil, nonce, record, nil)
	if err != nil {
		return "", fmt.Errorf("push message: %w", err)
	}
	text, last := strings.CutSuffix(strings.TrimRight(string(plain), "\x00"), "\x02")
	if !last {
		return "", errors.New("push message: the record has no end")
	}
	return text, nil
}
