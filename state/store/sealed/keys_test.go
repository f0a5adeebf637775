package sealed_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sealed"
)

func TestParseKeys(t *testing.T) {
	t.Parallel()
	a, b := secret("a"), secret("b")
	high := bytes.Repeat([]byte{0xFB, 0xEF, 0xFF, 0xFE}, 8) // + and / in one alphabet, - and _ in the other
	tests := []struct {
		name, text string
		want       []string // ids
		err        string   // of it
	}{
		{"one", "k1:" + a, []string{"k1"}, ""},
		{"two, the current one first", "2027-01:" + a + ",old_key.1:" + b, []string{"2027-01", "old_key.1"}, ""},
		{"spaces and lines", " k1:" + a + " ,\n k2:" + b + "\n", []string{"k1", "k2"}, ""},
		{"no padding", "k1:" + strings.TrimRight(a, "="), []string{"k1"}, ""},
		{"standard alphabet", "k1:" + base64.StdEncoding.EncodeToString(high), []string{"k1"}, ""},
		{"URL alphabet", "k1:" + base64.RawURLEncoding.EncodeToString(high), []string{"k1"}, ""},
		{"none", " \n", nil, "encryption keys: there is none"},
		{"a key without id", a, nil, "encryption key number 1: has no colon"},
		{"an empty entry", "k1:" + a + ",", nil, "encryption key number 2: has no colon"},
		{"an empty id", ":" + a, nil, "number 1: has no usable id"},
		{"key and id the wrong way round", a + ":k1", nil, "number 1: has no usable id"},
		{"an id too long", strings.Repeat("k", 33) + ":" + a, nil, "number 1: has no usable id"},
		{"an id with a space", "k 1:" + a, nil, "number 1: has no usable id"},
		{"not base64", "k1:" + strings.Repeat("!", 44), nil, "number 1: is not base64"},
		{"too short", "k1:" + a[:20], nil, "number 1: has 15 bytes, a key has 32"},
		{"too long", "k1:" + strings.TrimRight(a, "=") + "AAAA", nil, "number 1: "},
		{"stray bits at the end", "k1:" + a[:42] + "F=", nil, "number 1: is not base64"},
		{"one id twice", "k1:" + a + ",k1:" + b, nil, "number 2: has the id k1 of an earlier one"},
		{"one key twice", "k1:" + a + ",k2:" + a, nil, "number 2: k2 is the key k1 once more"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			keys, err := sealed.ParseKeys(tt.text)
			if tt.err != "" {
				if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error = %v, want one that is ErrInvalid and says %q", err, tt.err)
				}
				wantNoSecret(t, fmt.Sprint(err))
				tt.want = []string{}
			} else if err != nil {
				t.Fatal(err)
			}
			same(t, "ids", tt.want, keys.IDs())
		})
	}
}

// wantNoSecret fails the test if a text shows any of a test's keys, in any of its usual forms.
func wantNoSecret(t *testing.T, text string) {
	t.Helper()
	for _, c := range []byte("ab12") {
		raw := bytes.Repeat([]byte{c}, 8)
		for _, form := range []string{
			string(raw), base64.StdEncoding.EncodeToString(raw)[:8], hex.EncodeToString(raw),
			strings.TrimSpace(strings.Repeat(fmt.Sprint(c, " "), 8)), fmt.Sprintf("% x", raw),
		} {
			if strings.Contains(strings.ToLower(text), strings.ToLower(form)) {
				t.Errorf("shows a key: %s", text)
			}
		}
	}
}

func TestKeysAreNeverPrinted(t *testing.T) {
	t.Parallel()
	keys := keyring(t, "k1", "k2")
	config := sealed.Config{Store: ram.New(), Keys: keys}
	s, err := sealed.New(config)
	must(t, err)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%t"} {
		for _, v := range []any{keys, &keys, config, &config, s, struct{ keys sealed.Keyring }{keys}} {
			wantNoSecret(t, fmt.Sprintf(verb, v))
		}
	}
	if got := fmt.Sprintf("%+v", keys); got != "keys k1, k2" {
		t.Errorf("keyring prints as %q", got)
	}
	text, err := json.Marshal(keys) //nolint:staticcheck // that nothing is exported is what is tested
	must(t, err)
	wantNoSecret(t, string(text))
}

func TestGenerateKey(t *testing.T) {
	t.Parallel()
	first, err1 := sealed.GenerateKey("new", nil)
	second, err2 := sealed.GenerateKey("old", nil)
	must(t, errors.Join(err1, err2))
	keys, err := sealed.ParseKeys(first + "," + second)
	if diff := cmp.Diff([]string{"new", "old"}, keys.IDs()); diff != "" || err != nil {
		t.Errorf("ids: %v (-want +got):\n%s", err, diff)
	}
	if text, err := sealed.GenerateKey("a b", nil); text != "" || !errors.Is(err, state.ErrInvalid) {
		t.Errorf("a bad id: %q, %v, want an error that is ErrInvalid", text, err)
	}
	if text, err := sealed.GenerateKey("k", iotest.ErrReader(errors.New("dry"))); text != "" || !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("no random bytes: %q, %v, want an error that is ErrUnavailable", text, err)
	}
	fixed, err := sealed.GenerateKey("k", bytes.NewReader(bytes.Repeat([]byte("a"), 32)))
	if err != nil || fixed != "k:"+secret("a") {
		t.Errorf("GenerateKey = %q, %v, want the bytes of the reader", fixed, err)
	}
}

func FuzzParseKeys(f *testing.F) {
	f.Add("k1:" + secret("a"))
	f.Add("k1:" + secret("a") + ", k2:" + secret("b"))
	f.Add(":,k:=")
	f.Fuzz(func(t *testing.T, text string) {
		keys, err := sealed.ParseKeys(text)
		if (err == nil) != (len(keys.IDs()) > 0) || err != nil && !errors.Is(err, state.ErrInvalid) {
			t.Errorf("ParseKeys(%q) = %v, %v", text, keys, err)
		}
	})
}
