package store

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lineclear/lineclear/store/postgres"
)

// PushKeyName is the file in the data folder with the key by which push services know the gateway. A browser takes
// messages only from the key that it was subscribed with.
const PushKeyName = "push.pem"

// LoginsName is the folder in the data folder with people's logins at MCP servers.
const LoginsName = "logins"

// Logins returns people's logins at MCP servers in a cluster; nil without one, where they are in the data folder.
func (s *Store) Logins() *postgres.Logins {
	if db, shared := s.db.(*postgres.DB); shared {
		return db.Logins()
	}
	return nil
}

// PushKey returns the push key, and makes it the first time. In a cluster it is in the database.
func (s *Store) PushKey() (*ecdsa.PrivateKey, error) {
	if s.others != nil {
		text, err := s.others.Key(context.Background(), PushKeyName, newPushKey)
		if err != nil {
			return nil, err
		}
		return readPushKey([]byte(text), "the database")
	}
	file := filepath.Join(s.dir(), PushKeyName)
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		text, err := newPushKey()
		if err != nil {
			return nil, err
		}
		raw = []byte(text)
		if err := writeKey(file, raw); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, fmt.Errorf("store: push key: %w", err)
	}
	return readPushKey(raw, file)
}

func readPushKey(raw []byte, in string) (*ecdsa.PrivateKey, error) {
	if block, _ := pem.Decode(raw); block != nil && block.Type == pemType {
		parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if key, ok := parsed.(*ecdsa.PrivateKey); err == nil && ok && key.Curve == elliptic.P256() {
			return key, nil
		}
	}
	return nil, fmt.Errorf("store: %s has no P-256 key in PEM: restore it from a backup, or remove it; then a new one is made, and browsers subscribe again when the dashboard is opened there", in)
}

func newPushKey() (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", fmt.Errorf("store: push key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", fmt.Errorf("store: push key: %w", err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der})), nil
}
