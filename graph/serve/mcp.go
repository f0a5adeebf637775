package serve

import (
	"context"
	"net/http"
	"strings"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools/mcp"
)

// mcpPath is where programs that speak the Model Context Protocol find the memory of their key.
const mcpPath = "/mcp"

// addMCP offers the memory over the streamable transport of the Model Context Protocol. What bounds requests bounds these: each is one call, by a key.
func (s *Server) addMCP(mux *http.ServeMux) error {
	server, err := mcp.New(mcp.Config{
		Memory: s.memory, Logger: s.c.Logger, Version: s.c.Version, Now: s.c.Now,
		Explain: func(ctx context.Context, scope state.Scope, turn string) (mcp.Account, error) {
			return s.c.Graph.Explain(ctx, scope, turn)
		},
	})
	if err != nil {
		return err
	}
	mux.HandleFunc(mcpPath, func(w http.ResponseWriter, r *http.Request) {
		noted(r.Context()).Route = mcpPath
		caller, err := s.mcpCaller(r)
		if err == nil {
			err = server.ServeRequest(w, r, caller)
		}
		if err != nil {
			p := problemOf(err)
			p.ID = requestID(r.Context())
			writeProblem(w, p)
		}
	})
	return nil
}

// mcpCaller returns who asks: the key and the headers say it, or the address, and nothing in the call does.
func (s *Server) mcpCaller(r *http.Request) (mcp.Caller, error) {
	ctx, query := r.Context(), r.URL.Query()
	for name := range query {
		if name != "user_id" && name != "session_id" {
			return mcp.Caller{}, state.Errorf(state.Invalid, "query", "has a parameter that is unknown; there are user_id and session_id")
		}
	}
	session := r.Header.Get("X-Mneme-Session")
	if named := query.Get("session_id"); named != "" {
		if session != "" && session != named {
			return mcp.Caller{}, state.Errorf(state.Invalid, "session", "is named twice, and not the same; name one")
		}
		session = named
	}
	scope, err := s.scope(ctx, Whose{UserHeader: r.Header.Get("X-Mneme-User"), UserQuery: query.Get("user_id")}, session)
	language, _, _ := strings.Cut(r.Header.Get("Accept-Language"), ",")
	return mcp.Caller{
		Scope: scope, Zone: r.Header.Get("X-Mneme-Time-Zone"), Language: language,
		May: func(write bool) error {
			if write {
				return may(ctx, access.Write)
			}
			return may(ctx, access.Read)
		},
	}, err
}
