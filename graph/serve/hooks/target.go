package hooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Targets are the addresses that are told, and how. The zero value is none. It prints as hosts: addresses may hold secrets, as the keys are.
type Targets struct {
	list   []target
	keys   [][]byte
	inside bool
}

// target is one address.
type target struct {
	client string // whose things it is told of; "" = those of all clients
	url    *url.URL
	id     string // of the address, without saying it
}

// Parse reads addresses, with blanks or commas between: URL, or CLIENT=URL for the things of one client. They are https, or http to this machine. Secrets are those
// that messages are signed with, each "whsec_" and base64 of 24 to 64 bytes; of several each signs, so that one can be replaced by another. With inside an address may
// be of a private network, and http. No address is no Targets; anything else that is wrong is state.ErrInvalid.
func Parse(addresses, secrets string, inside bool) (t Targets, err error) {
	t.inside = inside
	for _, text := range fields(addresses) {
		one, err := parseTarget(text, inside)
		if err != nil {
			return Targets{}, err
		}
		t.list = append(t.list, one)
	}
	for i, text := range fields(secrets) {
		key, err := parseSecret(text)
		if err != nil {
			return Targets{}, state.Errorf(state.Invalid, "webhook_keys "+strconv.Itoa(i+1), "%w", err)
		}
		t.keys = append(t.keys, key)
	}
	if len(t.list) > 0 && len(t.keys) == 0 {
		return Targets{}, state.Errorf(state.Invalid, "webhooks", "need webhook_keys, which they are signed with: whsec_ and the base64 of 24 to 64 random bytes")
	}
	return t, nil
}

// String names the hosts.
func (t Targets) String() string {
	var hosts []string
	for _, x := range t.list {
		hosts = append(hosts, x.url.Host)
	}
	return strings.Join(hosts, " ")
}

// GoString is String: what prints a whole Config must not print keys.
func (t Targets) GoString() string { return t.String() }

// Empty reports whether nobody is told.
func (t Targets) Empty() bool { return len(t.list) == 0 }

func fields(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
}

// parseTarget reads an address. Its errors do not repeat it.
func parseTarget(text string, inside bool) (target, error) {
	const op = "webhooks"
	t := target{}
	if client, rest, ok := strings.Cut(text, "="); ok && !strings.Contains(client, ":") {
		if err := state.ValidateID("client", client); err != nil {
			return t, err
		}
		t.client, text = client, rest
	}
	at, err := url.Parse(text)
	if err != nil || at.Host == "" || at.Hostname() == "" || at.Fragment != "" {
		return t, state.Errorf(state.Invalid, op, "hold something that is no URL, nor CLIENT=URL")
	}
	t.url = at
	ip, _ := netip.ParseAddr(at.Hostname())
	switch own := isOwn(at.Hostname()); {
	case at.Scheme != "https" && at.Scheme != "http":
		return t, state.Errorf(state.Invalid, op, "%s: is neither https nor http", at.Host)
	case at.User != nil:
		return t, state.Errorf(state.Invalid, op, "%s: has a name or password in it; messages are signed instead", at.Host)
	case at.Scheme == "http" && !own && !inside:
		return t, state.Errorf(state.Invalid, op, "%s: http would be read on its way; write https, or set webhooks_inside", at.Host)
	case ip.IsValid() && !own && !inside && !isPublic(ip):
		return t, state.Errorf(state.Invalid, op, "%s: is an address of a private network; set webhooks_inside if it is meant", at.Host)
	}
	sum := sha256.Sum256([]byte(t.client + "\x00" + at.String()))
	t.id = hex.EncodeToString(sum[:8])
	return t, nil
}

// parseSecret reads a key as the specification writes it.
func parseSecret(text string) ([]byte, error) {
	const least, most = 24, 64
	rest, ok := strings.CutPrefix(text, "whsec_")
	key, err := base64.StdEncoding.DecodeString(rest)
	if !ok || err != nil || len(key) < least || len(key) > most {
		return nil, state.Errorf(state.Invalid, "a secret", "is whsec_ and the base64 of %d to %d bytes, as `echo whsec_$(openssl rand -base64 32)` makes it", least, most)
	}
	return key, nil
}

// sign returns the signatures of a message, one for each key.
func (t Targets) sign(id string, at time.Time, body []byte) string {
	var out []string
	for _, key := range t.keys {
		sum := hmac.New(sha256.New, key)
		_, _ = sum.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + ".")) // it never fails
		_, _ = sum.Write(body)
		out = append(out, "v1,"+base64.StdEncoding.EncodeToString(sum.Sum(nil)))
	}
	return strings.Join(out, " ")
}
