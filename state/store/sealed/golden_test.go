package sealed_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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

// golden is a document, the form in which version 1 stored it, and a store without keys of clients.
func golden(t testing.TB) (below *ram.Store, d store.Doc, stored []byte) {
	t.Helper()
	stored, err := hex.DecodeString(strings.ReplaceAll(read(t, "v1.hex"), "\n", ""))
	must(t, err)
	return ram.New(), affair(t, "c1/u1/a1", "car part"), stored
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, err)
	return string(text)
}

// TestGolden: what was stored once is read for ever, and what is stored today is what was stored then. The files
// are never rewritten: another form is another version, with a file of its own.
func TestGolden(t *testing.T) {
	t.Parallel()
	below, d, old := golden(t)
	got, err := dish(t, below, store.Doc{Collection: state.Affairs, ID: d.ID, Rev: 1}, old, "k2", "k1")
	if err != nil || !bytes.Equal(got.Body, d.Body) {
		t.Errorf("version 1 opens as %v, %v, want %v", got.Body, err, d.Body)
	}

	// Version 2: the key of the client, then the document.
	s, err := sealed.New(sealed.Config{Store: below, Keys: keyring(t, "k1"), Random: &counter{}})
	must(t, err)
	write(t, s, d)
	keys, err := below.Scan(t.Context(), store.Query{Collection: state.Meta})
	if err != nil || len(keys) != 1 || keys[0].ID != "~key/c1/000001" {
		t.Fatalf("keys: %v, %v", keys, err)
	}
	same(t, "stored form", read(t, "v2.hex"), lines(keys[0].Body)+"\n"+lines(get(t, below, d.ID).Body))
	again := ram.New()
	for i, part := range strings.Split(read(t, "v2.hex"), "\n\n") {
		raw, err := hex.DecodeString(strings.ReplaceAll(part, "\n", ""))
		must(t, err)
		write(t, again, []store.Doc{{Collection: state.Meta, ID: keys[0].ID, Body: raw}, {Collection: state.Affairs, ID: d.ID, Body: raw}}[i])
	}
	if got := get(t, wrap(t, again, "k2", "k1"), d.ID); !bytes.Equal(got.Body, d.Body) {
		t.Errorf("version 2 opens as %v, want %v", got.Body, d.Body)
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
	below, d, stored := golden(f)
	f.Add(stored)
	f.Add([]byte(d.Body))
	f.Add(stored[:len(stored)/2])
	f.Add([]byte("\x0f\x00\x00\x00\x05_sealed\x00\x00\x00\x00\x00\x80\x00"))
	f.Add([]byte("\x1d\x00\x00\x00\x05_sealed\x00\x0b\x00\x00\x00\x80\x02\x06000001\x01\x00\x00\x00"))
	f.Add([]byte("\x17\x00\x00\x00\x05_sealed\x00\x05\x00\x00\x00\x80\x01\x01k\xff\x01\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := dish(t, below, store.Doc{Collection: state.Affairs, ID: d.ID, Rev: 1}, raw, "k1")
		if bytes.Equal(raw, stored) {
			if err != nil || !bytes.Equal(got.Body, d.Body) {
				t.Errorf("the golden document: %v, %v", got.Body, err)
			}
			return
		}
		wantKeptOut(t, "forged", got, err)
	})
}
