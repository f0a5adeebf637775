package hooks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
)

func TestParse(t *testing.T) {
	t.Parallel()
	const good = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwFRIdZi2vZYE="
	for name, x := range map[string]struct {
		addresses, secrets string
		inside             bool
		hosts              string // "" = refused
	}{
		"two, one of a client's":     {"https://a.example/x?k=v,acme=https://b.example", good, false, "a.example b.example"},
		"this machine":               {"http://127.0.0.1:9000/x http://localhost/ http://[::1]:1/", good, false, "127.0.0.1:9000 localhost [::1]:1"},
		"inside, told":               {"http://10.0.0.7/x http://desk/", good, true, "10.0.0.7 desk"},
		"two secrets":                {"https://a.example", good + " " + good, false, "a.example"},
		"without a secret":           {"https://a.example", "", false, ""},
		"a short secret":             {"https://a.example", "whsec_c2hvcnQ=", false, ""},
		"no whsec_":                  {"https://a.example", strings.TrimPrefix(good, "whsec_"), false, ""},
		"http":                       {"http://a.example", good, false, ""},
		"another scheme":             {"file:///etc/passwd", good, true, ""},
		"no URL":                     {"a.example", good, false, ""},
		"a password in it":           {"https://u:p@a.example", good, false, ""},
		"a private address":          {"https://10.0.0.7", good, false, ""},
		"the cloud's metadata":       {"https://169.254.169.254/latest", good, false, ""},
		"the same, as IPv6":          {"https://[::ffff:169.254.169.254]/latest", good, false, ""},
		"a client that cannot be it": {"a$b=https://a.example", good, false, ""},
	} {
		got, err := Parse(x.addresses, x.secrets, x.inside)
		if got.String() != x.hosts || (err == nil) != (x.hosts != "") || err != nil && state.CodeOf(err) != state.Invalid {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if text := fmt.Sprint(err) + fmt.Sprintf("%v %+v %#v", got, got, got); strings.Contains(text, "MfKQ9") || strings.Contains(text, "k=v") || strings.Contains(text, "u:p") {
			t.Errorf("%s: a secret is said: %s", name, text)
		}
	}
	if none, err := Parse(" ", "", false); err != nil || !none.Empty() {
		t.Errorf("nobody: %v, %v", none, err)
	}
}

func TestIsPublic(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"93.184.216.34": true, "2606:4700::1111": true, "::ffff:93.184.216.34": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "224.0.0.1": false,
		"255.255.255.255": false, "198.18.0.1": false, "::1": false, "::": false, "fe80::1": false, "fd00::1": false, "ff02::1": false, "::ffff:10.0.0.1": false,
		"64:ff9b::a00:1": false, "2002:a00:1::": false, "::10.0.0.1": false,
	} {
		if got := isPublic(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// A name that leads inside is refused when it is dialled, whatever was written.
func TestANameThatLeadsInside(t *testing.T) {
	t.Parallel()
	targets, err := Parse("https://mneme.example", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwFRIdZi2vZYE=", false)
	if err != nil {
		t.Fatal(err)
	}
	dial := newClient(targets.list[0], false, time.Second).Transport.(*http.Transport).DialContext
	for _, at := range []string{"127.0.0.1:1", "10.0.0.1:1", "169.254.169.254:80", "[::1]:1", "[fd00::1]:1"} {
		if con, err := dial(context.WithoutCancel(t.Context()), "tcp", at); !errors.Is(err, state.ErrDenied) {
			t.Errorf("%s: %v, %v", at, con, err)
		}
	}
}
