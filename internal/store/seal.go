package store

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/kite-mcp/kite-mcp/internal/atomicfile"
)

const (
	keySize    = 32
	sealFormat = 1 // first byte of everything sealed
)

// ErrSealed is returned for what these keys did not seal, or sealed for another purpose or owner.
var ErrSealed = errors.New("the seal does not open")

// Keys seal what must not be read or changed by others: a record, or a state that a client carries. It is safe for
// concurrent use.
type Keys struct {
	secret func() ([]byte, error)
}

// RandomKeys returns keys that end with the process.
func RandomKeys() *Keys {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	return &Keys{secret: func() ([]byte, error) { return key, nil }}
}

// KeyFile returns keys that come from the file at path. It is read on first use, and made then, readable by its owner
// only, when it does not exist.
func KeyFile(path string) *Keys {
	var (
		mu  sync.Mutex
		key []byte
	)
	return &Keys{secret: func() (_ []byte, err error) {
		mu.Lock()
		defer mu.Unlock()
		if key == nil { // a failure is not kept: the next use tries again
			key, err = readKey(path)
		}
		return key, err
	}}
}

func readKey(path string) ([]byte, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the key file of this program
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeKey(path); err == nil {
			text, err = os.ReadFile(path) //nolint:gosec // see above
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read key file: %w", err)
	}
	key, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != keySize {
		return nil, fmt.Errorf("key file %s does not hold a key", filepath.Base(path))
	}
	return key, nil
}

// makeKey writes a new key. Of several processes that do so at once one wins, and all use its key.
func makeKey(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := atomicfile.Create(dir, ".key-*")
	if err != nil {
		return err
	}
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	if _, err := f.Write([]byte(base64.RawURLEncoding.EncodeToString(key) + "\n")); err != nil {
		f.Discard()
		return err
	}
	if err := f.CommitNew(path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// aead is the cipher of one purpose.
func (k *Keys) aead(purpose string) (cipher.AEAD, error) {
	secret, err := k.secret()
	if err != nil {
		return nil, err
	}
	derived, err := hkdf.Key(sha256.New, secret, nil, "kite-mcp/1/"+purpose, keySize)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// Seal encrypts plain for one purpose and owner; Open needs the same two.
func (k *Keys) Seal(purpose, owner string, plain []byte) ([]byte, error) {
	a, err := k.aead(purpose)
	if err != nil {
		return nil, err
	}
	return a.Seal([]byte{sealFormat}, nil, plain, bound(purpose, owner)), nil //nolint:gosec // the nonce is drawn inside
}

// Open returns what Seal was given, or ErrSealed.
func (k *Keys) Open(purpose, owner string, sealed []byte) ([]byte, error) {
	a, err := k.aead(purpose)
	if err != nil {
		return nil, err
	}
	if len(sealed) == 0 || sealed[0] != sealFormat {
		return nil, ErrSealed
	}
	plain, err := a.Open(nil, nil, sealed[1:], bound(purpose, owner))
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

func bound(purpose, owner string) []byte { return []byte(purpose + "\x00" + owner) }
