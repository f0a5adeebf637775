package main

import (
	"strings"
	"testing"
)

// What is degraded comes first, and that somebody speaks to the user whom nobody has named is.
func TestDoctorSaysFirstWhatIsDegraded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	say := func(args ...string) {
		t.Helper()
		if got := mneme(t, "I ordered tyres.\n", nil, append([]string{"chat", "--dir", dir}, args...)...); got.code != 0 {
			t.Fatalf("chat = %+v", got)
		}
	}
	const warning = "  user        default has a memory beside anna, ben:"
	say("--user", "anna")
	say("--user", "ben")
	if got := mneme(t, "", nil, "doctor", "--dir", dir); got.code != 0 || strings.Contains(got.out, "default has") {
		t.Errorf("doctor of two users = %+v, want no warning", got)
	}
	say()
	got := mneme(t, "", nil, "doctor", "--dir", dir)
	if got.code != 0 || !strings.HasPrefix(got.out, "Degraded\n") || !strings.Contains(got.out, warning) {
		t.Errorf("doctor = %+v, want it to begin with what is degraded, and %q in it", got, warning)
	}
	heads := []string{}
	for line := range strings.Lines(got.out) {
		if !strings.HasPrefix(line, " ") {
			heads = append(heads, strings.TrimSpace(line))
		}
	}
	if got := strings.Join(heads, ", "); got != "Degraded, Not set up, In use, Options (in the environment: MNEME_ and the name in capitals), Settings, Settings without effect yet" {
		t.Errorf("parts of the report: %s", got)
	}
	if got := mneme(t, "", nil, "doctor", "--dir", dir, "--json"); !strings.HasPrefix(got.out, `{"kind":"option"`) {
		t.Errorf("doctor --json = %+v, want it in the order it had", got)
	}
	if got := mneme(t, "", nil, "doctor", "--dir", dir, "--client", "acme"); strings.Contains(got.out, "default has") {
		t.Errorf("doctor of another client = %+v, want no warning of the users of that", got)
	}
}
