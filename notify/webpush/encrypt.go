package webpush

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
)

const (
	saltSize   = 16
	recordSize = 4096
	// padded is how long every message is before it is encrypted, so that its length says nothing.
	padded = 128
)

// sealed is a message that only the browser with the keys can read, with a new key and salt.
func sealed(plain []byte, browser *ecdh.PublicKey, secret []byte) ([]byte, error) {
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("webpush: key: %w", err)
	}
	salt := make([]byte, saltSize)
	if _, err := rand.Read(salt); err != nil {
		return nil, fmt.Errorf("webpush: salt: %w", err)
	}
	return encrypt(plain, browser, secret, own, salt, max(0, padded-len(plain)))
}

// encrypt makes the body of a push message (RFC 8291): one record of aes128gcm (RFC 8188).
func encrypt(plain []byte, browser *ecdh.PublicKey, secret []byte, own *ecdh.PrivateKey, salt []byte, padding int) ([]byte, error) {
	shared, err := own.ECDH(browser)
	if err != nil {
		return nil, fmt.Errorf("webpush: key: %w", err)
	}
	public := own.PublicKey().Bytes()
	input, err := hkdf.Key(sha256.New, shared, secret, "WebPush: info\x00"+string(browser.Bytes())+string(public), 32)
	if err != nil {
		return nil, fmt.Errorf("webpush: key: %w", err)
	}
	key, err := hkdf.Key(sha256.New, input, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, fmt.Errorf("webpush: key: %w", err)
	}
	nonce, err := hkdf.Key(sha256.New, input, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, fmt.Errorf("webpush: nonce: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("webpush: cipher: %w", err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("webpush: cipher: %w", err)
	}
	head := binary.BigEndian.AppendUint32(slices.Clone(salt), recordSize)
	head = append(append(head, byte(len(public))), public...)
	record := append(slices.Clone(plain), 2) // the last record
	return gcm.Seal(head, nonce, append(record, make([]byte, padding)...), nil), nil
}
