package hooks

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// special are the ranges that lead elsewhere than to a host of the open network, beside those that package netip knows (IANA registries of special
// addresses; those that wrap an address of version 4 could wrap a private one).
func special() []netip.Prefix {
	var out []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
	} {
		out = append(out, netip.MustParsePrefix(text))
	}
	return out
}

// isPublic reports whether an address is one of the open network.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !slices.ContainsFunc(special(), func(p netip.Prefix) bool { return p.Contains(ip) })
}

// isOwn reports whether a host is written as one of this machine.
func isOwn(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// newClient makes the client that sends to one address. What a name leads to is looked at when it is dialled, so that a name which leads elsewhere a moment
// later leads nowhere. There is no proxy: it would dial in our place.
func newClient(t target, inside bool, timeout time.Duration) *http.Client {
	own := isOwn(t.url.Hostname())
	dialer := &net.Dialer{Timeout: timeout, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		ip := at.Addr().Unmap()
		if err != nil || !inside && !isPublic(ip) && (!own || !ip.IsLoopback()) {
			return state.Errorf(state.Denied, t.url.Hostname(), "leads to an address of a private network; set webhooks_inside if it is meant")
		}
		return nil
	}}
	const idle = 30 * time.Second
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: timeout, MaxIdleConnsPerHost: 1, IdleConnTimeout: idle, MaxResponseHeaderBytes: 64 << 10,
		},
	}
}
