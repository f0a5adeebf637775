package compose

import "testing"

func TestOriginsAreReadBack(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]Origin{
		"message a #b/12":                {Kind: OfMessage, ID: "a #b", Seq: 12},
		"message s1/12/1":                {Kind: OfMessage, ID: "s1", Seq: 12, Part: "1"},
		"record r1":                      {Kind: OfRecord, ID: "r1"},
		"affair a1/facts:km/h, a / b #1": {Kind: OfAffair, ID: "a1", Part: "facts:km/h, a / b #1"},
		"session s1/summary":             {Kind: OfSession, ID: "s1", Part: "summary"},
	} {
		if got := o.String(); got != want {
			t.Errorf("%+v is written %q, want %q", o, got, want)
		}
		if got, ok := ParseOrigin(want); !ok || got != o {
			t.Errorf("%q is read as %+v, %v", want, got, ok)
		}
	}
	for _, s := range []string{"", "message", "message s1", "message s1/x", "record "} {
		if o, ok := ParseOrigin(s); ok {
			t.Errorf("%q is read as %+v", s, o)
		}
	}
}
