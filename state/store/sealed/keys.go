package sealed

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

const (
	keySize  = 32
	maxKeyID = 32
)

// Keyring holds the keys of a store: the current one, with which everything is written, and older ones, with
// which what was written earlier can still be read. It never changes and never prints what it holds. The zero
// value is empty and refused by New.
type Keyring struct{ keys []key }

// key is one key under its id. Root is what documents' keys are derived from; it is behind a pointer so that
// no way of printing a struct shows it.
type key struct {
	id   string
	root *[keySize]byte
}

// ParseKeys reads a keyring as MNEME_ENCRYPTION_KEYS holds it: "id:key" for each key, joined with commas, the
// current one first. A key is 32 bytes in base64, standard or URL alphabet, with or without padding; an id is
// 1 to 32 letters, digits, dots, dashes and underscores. Spaces around an entry do not matter. What is wrong is
// state.ErrInvalid and is named by its position, because the text of a bad entry may be a key.
func ParseKeys(text string) (Keyring, error) {
	if strings.TrimSpace(text) == "" {
		return Keyring{}, state.Errorf(state.Invalid, "encryption keys", "there is none; give id:key, the key 32 bytes in base64")
	}
	var ring Keyring
	for i, entry := range strings.Split(text, ",") {
		k, err := parseKey(entry)
		if err == nil {
			err = ring.admit(k)
		}
		if err != nil {
			return Keyring{}, state.Errorf(state.Invalid, fmt.Sprintf("encryption key number %d", i+1), "%w", err)
		}
		ring.keys = append(ring.keys, k)
	}
	return ring, nil
}

func parseKey(entry string) (key, error) {
	id, text, ok := strings.Cut(strings.TrimSpace(entry), ":")
	switch {
	case !ok:
		return key{}, errors.New("has no colon; write it as id:key")
	case !validKeyID(id):
		return key{}, fmt.Errorf("has no usable id before its colon; an id is 1 to %d letters, digits, '.', '-' and '_'", maxKeyID)
	}

	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	secret, err := base64.RawStdEncoding.Strict().DecodeString(text)
	switch {
	case err != nil:
		return key{}, errors.New("is not base64 behind its colon; give the 32 bytes of a key in base64")
	case len(secret) != keySize:
		return key{}, fmt.Errorf("has %d bytes, a key has %d; GenerateKey makes one", len(secret), keySize)
	}

	return newKey(id, secret)
}

func newKey(id string, secret []byte) (key, error) {
	root, err := hkdf.Extract(sha256.New, secret, []byte(rootLabel))
	if err != nil {
		return key{}, err
	}
	return key{id: id, root: (*[keySize]byte)(root)}, nil
}

// admit refuses what would make the keyring ambiguous or a rotation one in name only.
func (r Keyring) admit(k key) error {
	for _, other := range r.keys {
		switch {
		case other.id == k.id:
			return fmt.Errorf("has the id %s of an earlier one; each key needs its own", k.id)
		case *other.root == *k.root:
			return fmt.Errorf("%s is the key %s once more; make a new one", k.id, other.id)
		}
	}
	return nil
}

// GenerateKey makes a new key and returns it as ParseKeys reads it, "id:key". To change keys, put it before
// the others and Reseal. Random nil means crypto/rand; a bad id is state.ErrInvalid.
func GenerateKey(id string, random io.Reader) (string, error) {
	if !validKeyID(id) {
		return "", state.Errorf(state.Invalid, fmt.Sprintf("key id %.40q", id), "an id is 1 to %d letters, digits, '.', '-' and '_'", maxKeyID)
	}
	if random == nil {
		random = rand.Reader
	}
	secret := make([]byte, keySize)
	if _, err := io.ReadFull(random, secret); err != nil {
		return "", state.Errorf(state.Unavailable, "new key "+id, "no random bytes for it: %w", err)
	}
	return id + ":" + base64.StdEncoding.EncodeToString(secret), nil
}

func validKeyID(id string) bool {
	return id != "" && len(id) <= maxKeyID && strings.IndexFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(".-_", r)
	}) < 0
}

// IDs names the keys, the current one first.
func (r Keyring) IDs() []string {
	ids := make([]string, 0, len(r.keys))
	for _, k := range r.keys {
		ids = append(ids, k.id)
	}
	return ids
}

// String names the keys and shows none.
func (r Keyring) String() string { return "keys " + strings.Join(r.IDs(), ", ") }

// Format prints String, whatever the verb.
func (r Keyring) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, r.String()) }

func (r Keyring) current() key { return r.keys[0] }

func (r Keyring) find(id string) (key, bool) {
	for _, k := range r.keys {
		if k.id == id {
			return k, true
		}
	}
	return key{}, false
}
