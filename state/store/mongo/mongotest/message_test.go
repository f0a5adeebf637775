package mongotest

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// message is one of the wire protocol whose document's first key is name.
func message(name string) []byte {
	b := make([]byte, 26, 64)
	binary.LittleEndian.PutUint32(b[12:], 2013)
	b = append(append(b, name...), 0)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	return b
}

func TestCommandOf(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"insert", "findAndModify", ""} {
		m, err := readMessage(bytes.NewReader(append(message(name), "the next one"...)))
		if got := commandOf(m); err != nil || got != name || len(m) != len(message(name)) {
			t.Errorf("read %d bytes of command %q, %v; want %d of %q", len(m), got, err, len(message(name)), name)
		}
	}
	old := message("isMaster")
	binary.LittleEndian.PutUint32(old[12:], 2004)
	if got := commandOf(old); got != "" {
		t.Errorf("commandOf an old message = %q, want none", got)
	}
	for _, bad := range [][]byte{nil, {1, 0, 0, 0}, {255, 255, 255, 255}, message("x")[:20]} {
		if m, err := readMessage(bytes.NewReader(bad)); err == nil {
			t.Errorf("readMessage(%v) = %v, want an error", bad, m)
		}
	}
}

func FuzzMessage(f *testing.F) {
	f.Add(message("insert"))
	f.Add([]byte{16, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= 4 && binary.LittleEndian.Uint32(b) > 1<<20 {
			return
		}
		m, err := readMessage(bytes.NewReader(b))
		if err == nil && (!bytes.HasPrefix(b, m) || len(commandOf(m)) > 64) {
			t.Errorf("read %v of %v as %q", m, b, commandOf(m))
		}
	})
}
