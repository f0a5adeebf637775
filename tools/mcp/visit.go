package mcp

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
)

// visit is one caller at work.
type visit struct {
	*Server
	caller Caller

	mu    sync.Mutex
	zone  string // of the caller, else as the roots of his client say
	asked bool   // the roots were asked for
}

// way is by which memory is changed here, as the audit tells it.
const way = "mcp"

// enter returns the context of one request: whose memory it is about, that a model writes, and where the user is.
func (v *visit) enter(ctx context.Context, session *sdk.ServerSession) (context.Context, error) {
	scope := v.caller.Scope
	ctx = state.ContextWithScope(ctx, scope)
	ctx = memory.ContextWithOrigin(ctx, memory.Origin{Scope: scope, Path: way, Who: state.ByAgent})
	set, err := v.c.Memory.Settings().In(ctx, scope)
	if err != nil {
		return ctx, err
	}
	here := *set
	here.TimeZone = cmp.Or(v.zoneOf(ctx, session), here.TimeZone)
	return settings.ContextWith(ctx, &here), nil
}

// now is the time where the user is.
func (v *visit) now(ctx context.Context) (time.Time, error) {
	set, err := v.c.Memory.Settings().In(ctx, v.caller.Scope)
	if err != nil {
		return time.Time{}, err
	}
	return v.c.Now().In(set.Location()), nil
}

// rootsWithin bounds how long a client may take to list its roots.
const rootsWithin = 2 * time.Second

// zoneOf returns the user's time zone, "" where nobody has told it. The first request asks the client for its roots, if it has some.
func (v *visit) zoneOf(ctx context.Context, session *sdk.ServerSession) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.zone != "" || v.asked || session == nil {
		return v.zone
	}
	v.asked = true
	client := session.InitializeParams()
	if client == nil || client.Capabilities == nil || client.Capabilities.RootsV2 == nil { //nolint:staticcheck // clients up to 2025-11-25 have roots
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, rootsWithin)
	defer cancel()
	roots, err := session.ListRoots(ctx, nil) //nolint:staticcheck // later ones are refused here, and name their zone otherwise
	if err != nil {
		v.c.Logger.InfoContext(ctx, "the client does not list its roots", "error", err)
		return ""
	}
	for _, root := range roots.Roots {
		if name := strings.ToLower(root.Name); strings.Contains(name, "timezone") || strings.Contains(name, "time_zone") || strings.Contains(name, "time-zone") {
			v.zone = zoneIn(root.URI)
		}
	}
	return v.zone
}

// rootsChanged has the roots asked for again.
func (v *visit) rootsChanged(context.Context, *sdk.RootsListChangedRequest) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.zone, v.asked = v.caller.Zone, false
}

// zoneIn returns the time zone at the end of a root's address, as file:///timezone/Europe/Prague; "" = there is none.
func zoneIn(uri string) string {
	_, rest, _ := strings.Cut(uri, "://")
	rest, err := url.PathUnescape(rest)
	if err != nil {
		return ""
	}
	for parts := strings.Split(strings.Trim(rest, "/"), "/"); len(parts) > 0; parts = parts[1:] {
		if name := strings.Join(parts, "/"); zoneNamed(name) != nil {
			return name
		}
	}
	return ""
}

// zoneNamed returns a time zone by its name, nil = there is none. "Local" is the machine's, and nobody's name.
func zoneNamed(name string) *time.Location {
	if name == "" || name == "Local" {
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return zone
}
