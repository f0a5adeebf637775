//go:build unix

package main

import (
	"strings"
	"testing"
)

func TestPager(t *testing.T) {
	t.Parallel()
	const page = "sed 's/^/paged: /'"
	for _, tt := range []struct{ name, pager, command, write, want string }{
		{"short", page, "audit list", "1\n2\n", "1\n2\n"},
		{"long", page, "audit list", "1\n2\n3\n4\n", "paged: 1\npaged: 2\npaged: 3\npaged: 4\n"},
		{"long, an argument behind", page, "recall <query>", "1\n2\n3\n", "paged: 1\npaged: 2\npaged: 3\n"},
		{"no pager", "", "audit list", "1\n2\n3\n", "1\n2\n3\n"},
		{"a command that asks", page, "forget", "1\n2\n3\n", "1\n2\n3\n"},
		{"a command that changes", page, "audit undo <change>", "1\n2\n3\n", "1\n2\n3\n"},
		{"one that ends at once", "true", "audit list", strings.Repeat("1\n", 100_000), ""},
	} {
		var to strings.Builder
		p := &pager{to: &to, environ: []string{"PAGER=" + tt.pager, "PATH=/usr/bin:/bin"}, height: 3}
		p.pages(tt.command)
		for line := range strings.Lines(tt.write) {
			if n, err := p.Write([]byte(line)); n != len(line) || err != nil {
				t.Fatalf("%s: Write = %d, %v", tt.name, n, err)
			}
		}
		if err := p.Close(); err != nil || to.String() != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, to.String(), err, tt.want)
		}
	}

	// A question is seen, and so is all before it.
	var to strings.Builder
	p := &pager{to: &to, environ: []string{"PAGER=" + page}, height: 30}
	p.pages("recall")
	_, _ = p.Write([]byte("1\n"))
	if err := p.direct(); err != nil || to.String() != "1\n" {
		t.Errorf("direct: %q, %v, want what was held", to.String(), err)
	}
}
