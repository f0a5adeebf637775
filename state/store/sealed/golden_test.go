package sealed_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sealed"
)

// counter gives the bytes 0, 1, 2, ...: nonces for tests.
type counter struct{ n byte }

func (c *counter) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = c.n
		c.n++
	}
	return len(b), nil
}

// golden is a document and the form in which version 1 stores it.
func golden(t testing.TB) (d store.Doc, stored []byte) {
	t.Helper()
	below := ram.New()
	s, err := sealed.New(sealed.Config{Store: below, Keys: keyring(t, "k1"), Random: &counter{}})
	must(t, err)
	d = affair(t, "c1/u1/a1", "car part")
	write(t, s, d)
	return d, get(t, below, d.ID).Body
}

// TestGolden: what was stored once is read for ever, and what is stored today is what was stored then. The file
// is never rewritten: another form is another version, with a file of its own.
func TestGolden(t *testing.T) {
	t.Parallel()
	d, stored := golden(t)
	text, err := os.ReadFile(filepath.Join("testdata", "v1.hex"))
	must(t, err)
	if diff := cmp.Diff(string(text), lines(stored)); diff != "" {
		t.Errorf("stored form (-want +got):\n%s", diff)
	}
	old, err := hex.DecodeString(strings.ReplaceAll(string(text), "\n", ""))
	must(t, err)
	got, err := dish(t, store.Doc{Collection: state.Affairs, ID: d.ID, Rev: 1}, old, "k2", "k1")
	if err != nil || !bytes.Equal(got.Body, d.Body) {
		t.Errorf("it opens as %v, %v, want %v", got.Body, err, d.Body)
	}
}

// lines writes bytes as hexadecimal text, 32 in a line.
func lines(b []byte) string {
	var text strings.Builder
	for line := range slices.Chunk(b, 32) {
		text.WriteString(hex.EncodeToString(line) + "\n")
	}
	return text.String()
}

// FuzzOpen: nothing but the golden document itself opens as one, and nothing panics.
func FuzzOpen(f *testing.F) {
	d, stored := golden(f)
	f.Add(stored)
	f.Add([]byte(d.Body))
	f.Add(stored[:len(stored)/2])
	f.Add([]byte("\x0f\x00\x00\x00\x05_sealed\x00\x00\x00\x00\x00\x80\x00"))
	f.Add([]byte("\x17\x00\x00\x00\x05_sealed\x00\x05\x00\x00\x00\x80\x01\x01k\xff\x01\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := dish(t, store.Doc{Collection: state.Affairs, ID: d.ID, Rev: 1}, raw, "k1")
		if bytes.Equal(raw, stored) {
			if err != nil || !bytes.Equal(got.Body, d.Body) {
				t.Errorf("the golden document: %v, %v", got.Body, err)
			}
			return
		}
		wantKeptOut(t, "forged", got, err)
	})
}
