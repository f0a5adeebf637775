//go:build lean

package main

import (
	"strings"
	"testing"
)

// What a lean build is without is refused before anything is opened, and doctor names it; the rest works.
func TestLean(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]string{
		"a model":        "chat --set model=claude:claude-sonnet-4-5",
		"a small model":  "chat --set small_model=gemini:gemini-3-flash",
		"the next model": "chat --set model=ollama:m,claude:claude-sonnet-4-5",
		"Milvus":         "chat --milvus-addr localhost:19530",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			got := mneme(t, "", nil, append(strings.Fields(args), "--dir", dir+"/store")...)
			if got.code != 5 || !strings.Contains(got.err, "is left out of this build, which is lean; build without -tags lean") {
				t.Errorf("%+v, want status 5 and the way out", got)
			}
		})
	}
	got := mneme(t, "", nil, "doctor", "--dir", t.TempDir()+"/store")
	if told := strings.Join(strings.Fields(got.out), " "); got.code != 0 || !strings.Contains(told, "build lean: without Milvus and the models of claude: and gemini:") {
		t.Errorf("doctor: %+v", got)
	}
}
