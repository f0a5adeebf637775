package disk_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/disk"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text, link := filepath.Join(dir, "text"), filepath.Join(dir, "link")
	if err := os.WriteFile(text, []byte("Hello."), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(text, link); err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		name, path         string
		asFile, asFolder   state.Code
		sayFile, sayFolder string
	}{
		{"a file", text, "", state.Invalid, "", "is no folder"},
		{"a link to it", link, "", state.Invalid, "", "is no folder"},
		{"a folder", dir, state.Invalid, "", "is no file", ""},
		{"a device", os.DevNull, state.Invalid, state.Invalid, "is no file", "is no folder"},
		{"nothing", filepath.Join(dir, "nothing"), state.NotFound, state.NotFound, "is not there", "is not there"},
		{"below a file", filepath.Join(text, "x"), state.Unavailable, state.Unavailable, "cannot be opened", "cannot be opened"},
	} {
		f, err := disk.Open(tt.path)
		check(t, tt.name+" as a file", err, tt.asFile, tt.path, tt.sayFile)
		if err == nil {
			if got, err := io.ReadAll(f); string(got) != "Hello." || err != nil || f.Close() != nil {
				t.Errorf("%s: %q, %v", tt.name, got, err)
			}
		}
		root, err := disk.OpenFolder(tt.path)
		check(t, tt.name+" as a folder", err, tt.asFolder, tt.path, tt.sayFolder)
		if err == nil && root.Close() != nil {
			t.Errorf("%s is not closed", tt.name)
		}
	}
}

func check(t *testing.T, name string, err error, code state.Code, path, says string) {
	t.Helper()
	if state.CodeOf(err) != code || err != nil && (!strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), says)) {
		t.Errorf("%s: %v, want %q and %q", name, err, code, says)
	}
}
