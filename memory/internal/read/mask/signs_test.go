package mask

import (
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"
)

// TestSignsMissNothing compares with the forms alone, on texts made of pieces of secrets.
func TestSignsMissNothing(t *testing.T) {
	t.Parallel()
	m := New()
	pieces := []string{
		"sk-live_", "PK_TEST-", "paſſword: ", "PASSWORD=", "HASŁO: ", "Пароль: ", "api key = ", "Bearer ", "eyJabcdefgh.", "https://u:", "@h",
		"AKIA", "PАРОЛЬ=", "Secret_Key: '", "accesſ token=", "client-secret =", "apiKey:", "TOKEN", "SK-", "ghp_", "xoxb-", "AIza", "SG.", "-----BEGIN RSA PRIVATE KEY-----", "abcdefghijklmnop", "ABCDEFGHIJKLMNOP", "0123456789012345678901234567890", " ", ".", "Kelvin", "\n", "\u212aey", "_", ":", "=",
	}
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(r, "pieces"), "")
		may, _ := m.signs.in(text, m.forms)
		for i, f := range m.forms {
			if found := f.find(text); len(found) > 0 && may&(1<<i) == 0 {
				r.Fatalf("%q: %s %v is there, and no sign of it was seen", text, f.kind, found)
			}
		}
	})
}

func TestTheFilesAreRight(t *testing.T) {
	t.Parallel()
	words, err := readAnnouncers(files)
	if err != nil || len(words) < 100 {
		t.Fatalf("%d words, %v", len(words), err)
	}
	_, err = readAnnouncers(fstest.MapFS{"data/xx.txt": {Data: []byte("password: abc\nshape: x\n")}})
	if err == nil || !strings.Contains(err.Error(), "data/xx.txt:2") {
		t.Errorf("a line of no known kind: %v, want file and line", err)
	}
}
