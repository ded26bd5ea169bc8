package store

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lineclear/lineclear/internal/paths"
)

// ErrNoKey is returned if there is no signing key.
var ErrNoKey = errors.New("store: the audit log's signing key is not there")

// ErrKeyThere refuses to replace a signing key.
var ErrKeyThere = errors.New("store: there is a signing key: keep its public key, with which what it signed is verified, and move the file away first")

// ErrTwoKeys is returned if the data folder contains a signing key and another one is in
// the key's proper place.
var ErrTwoKeys = errors.New("store: there are two signing keys: keep the one that signed the newest checkpoint, and move the other away")

// oldKeyName is the signing key's file in the data folders of earlier versions.
const oldKeyName = "audit.key"

const pemType = "PRIVATE KEY"

// KeyFile is the default file of the key that signs a data folder's audit log: in the
// user's configuration folder, outside the data. It is PKCS #8 in PEM, and never in the
// database.
func KeyFile(dir string) (string, error) {
	folder, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("store: data folder: %w", err)
	}
	folder = paths.Real(folder) // through links, even before it exists
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("store: signing key: %w: name its file under gateway.auditKey", err)
	}
	return filepath.Join(config, "lineclear", "keys", filepath.Base(folder)+"-"+paths.Tag(folder)+".pem"), nil
}

// PublicKey returns the public half of a signing key, which verifies its checkpoints. It
// works while a gateway is running.
func PublicKey(file string) (ed25519.PublicKey, error) {
	key, err := readKey(file)
	if err != nil {
		return nil, err
	}
	return publicOf(key)
}

// NewKey makes a signing key for the folder of a stopped gateway that has lost its own.
func NewKey(dir, file string) (ed25519.PublicKey, error) {
	if _, err := os.Stat(filepath.Join(dir, FileName)); err != nil {
		return nil, fmt.Errorf("store: there is no gateway's data: %w", err)
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	for _, there := range []string{file, filepath.Join(dir, oldKeyName)} {
		if _, err := os.Lstat(there); err == nil {
			return nil, errors.Join(fmt.Errorf("%w: %s", ErrKeyThere, there), lock.Close())
		}
	}
	key, err := makeKey(file)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	public, err := publicOf(key)
	return public, errors.Join(err, lock.Close())
}

func publicOf(key ed25519.PrivateKey) (ed25519.PublicKey, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return nil, errors.New("store: signing key: no Ed25519 key")
	}
	return public, nil
}

func readKey(file string) (ed25519.PrivateKey, error) {
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNoKey, file)
	}
	if err != nil {
		return nil, fmt.Errorf("store: signing key: %w", err)
	}
	block, _ := pem.Decode(raw)
	if block == nil || block.Type != pemType {
		return nil, fmt.Errorf("store: %s is no private key in PEM: restore it from a backup", file)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w: restore it from a backup", file, err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("store: %s is no Ed25519 key: restore it from a backup", file)
	}
	return key, nil
}

// makeKey writes a new key.
func makeKey(file string) (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("store: signing key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("store: signing key: %w", err)
	}
	return key, writeKey(file, pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der}))
}

// writeKey writes a key file that only its owner can read. It appears under its name
// once it is complete and synced.
func writeKey(file string, text []byte) error {
	if err := paths.Write(file, text, 0o600); err != nil {
		return fmt.Errorf("store: key file: %w", err)
	}
	return nil
}

// moveKey moves the signing key of an earlier version out of the data folder, unless
// it is configured to be there. If the process dies in between, it is in both places,
// never in neither.
func moveKey(dir, file string) (moved bool, err error) {
	inside := filepath.Join(dir, oldKeyName)
	if paths.Real(inside) == paths.Real(file) {
		return false, nil
	}
	text, err := os.ReadFile(inside)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("store: signing key: %w", err)
	}
	switch there, err := os.ReadFile(file); {
	case errors.Is(err, fs.ErrNotExist):
		if err := writeKey(file, text); err != nil {
			return false, err
		}
	case err != nil:
		return false, fmt.Errorf("store: signing key: %w", err)
	case !bytes.Equal(there, text):
		return false, fmt.Errorf("%w: %s and %s", ErrTwoKeys, inside, file)
	}
	if err := os.Remove(inside); err != nil {
		return false, fmt.Errorf("store: signing key: %w", err)
	}
	return true, paths.SyncFolder(dir)
}
