package store

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNoKey is returned where a data folder has no signing key.
var ErrNoKey = errors.New("store: " + KeyName + " is not there")

// ErrKeyThere refuses to put a new key in the place of one.
var ErrKeyThere = errors.New("store: there is a signing key: keep its public key, with which what it signed is verified, and move the file away first")

// KeyName is the file within the data folder that has the key which signs the
// audit log: PKCS #8 in PEM. It is never in the database.
const KeyName = "audit.key"

const pemType = "PRIVATE KEY"

// PublicKey is the key with which a data folder's checkpoints are verified. It
// can be read beside a running gateway.
func PublicKey(dir string) (ed25519.PublicKey, error) {
	key, err := readKey(dir)
	if err != nil {
		return nil, err
	}
	return publicOf(key)
}

// NewKey makes a signing key for a folder that has lost its own, and whose
// gateway is stopped.
func NewKey(dir string) (ed25519.PublicKey, error) {
	if _, err := os.Stat(filepath.Join(dir, FileName)); err != nil {
		return nil, fmt.Errorf("store: there is no gateway's data: %w", err)
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(dir, KeyName)); err == nil {
		return nil, errors.Join(ErrKeyThere, lock.Close())
	}
	key, err := makeKey(dir)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	public, err := publicOf(key)
	return public, errors.Join(err, lock.Close())
}

func publicOf(key ed25519.PrivateKey) (ed25519.PublicKey, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("store: %s: no Ed25519 key", KeyName)
	}
	return public, nil
}

func readKey(dir string) (ed25519.PrivateKey, error) {
	raw, err := os.ReadFile(filepath.Join(dir, KeyName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoKey
	}
	if err != nil {
		return nil, fmt.Errorf("store: signing key: %w", err)
	}
	block, _ := pem.Decode(raw)
	if block == nil || block.Type != pemType {
		return nil, fmt.Errorf("store: %s is no private key in PEM: restore it from a backup", KeyName)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w: restore it from a backup", KeyName, err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("store: %s is no Ed25519 key: restore it from a backup", KeyName)
	}
	return key, nil
}

// makeKey writes a new key. It is under its name only once all of it is on the
// disk.
func makeKey(dir string) (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("store: signing key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("store: signing key: %w", err)
	}
	f, err := os.CreateTemp(dir, KeyName+".*") // for its owner only
	if err != nil {
		return nil, fmt.Errorf("store: signing key: %w", err)
	}
	err = pem.Encode(f, &pem.Block{Type: pemType, Bytes: der})
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, KeyName))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: signing key: %w", err), os.Remove(f.Name()))
	}
	return key, syncFolder(dir)
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}
