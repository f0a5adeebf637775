package serve

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/limit"
)

// Setting is what holds, and who says so.
type Setting struct {
	Value  string `json:"value"`
	Origin string `json:"origin" doc:"user, client, global, operator, default, or who has fixed it"`
	Says   string `json:"says" doc:"What it is"`
	Usual  string `json:"default"`
	limit.Accepted
}

// saysOf returns what each setting is.
func saysOf() map[string]string {
	out := map[string]string{}
	for f := range reflect.TypeFor[state.Settings]().Fields() {
		out[f.Tag.Get("yaml")] = f.Tag.Get("says")
	}
	return out
}

// SettingsEdit is what is to be changed at one level. What is named nowhere stays as it is.
type SettingsEdit struct {
	Set   map[string]string `json:"set,omitempty" doc:"Values as the README's table has them" example:"{\"max_tokens\": \"4000\"}"`
	Unset []string          `json:"unset,omitempty" maxItems:"200"`
	Why   string            `json:"why,omitempty" maxLength:"1000"`
	Rev   int64             `json:"rev,omitempty" minimum:"0" doc:"Where the document must stand; 0 = wherever it does"`
}

// LevelInput is a level: the user's, or that of all users of the client.
type LevelInput struct {
	Whose
	Level settings.Level `path:"level" enum:"user,client"`
}

func (s *Server) addSettings() {
	add(s, operation(http.MethodGet, "/api/v1/settings", "settings", "What holds for the user, and who says so"), access.Read,
		func(ctx context.Context, in *struct{ Whose }) (*body[map[string]Setting], error) {
			return answer(onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) (map[string]Setting, error) {
				set, err := s.memory.Settings().In(ctx, scope)
				if err != nil {
					return nil, err
				}
				out, says, usual := map[string]Setting{}, saysOf(), state.DefaultSettings()
				for _, name := range state.SettingNames() {
					takes, _ := (state.Settings{}).Accepts(name)
					out[name] = Setting{set.Get(name), set.Origin(name), says[name], usual.Get(name), takes}
				}
				return out, nil
			}))
		})
	add(s, operation(http.MethodPut, "/api/v1/settings/{level}", "settings", "Change settings of the user, or with the role admin of the client"), access.Write,
		func(ctx context.Context, in *struct {
			LevelInput
			Body SettingsEdit
		},
		) (*body[settings.Change], error) {
			if in.Level == settings.ForClient {
				if err := may(ctx, access.Admin); err != nil {
					return nil, err
				}
			}
			b, by := in.Body, "key "+keyFrom(ctx).ID
			return answer(onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) (settings.Change, error) {
				return s.memory.Settings().Change(ctx, in.Level, scope, settings.Edit{Set: b.Set, Unset: b.Unset, By: by, Why: b.Why, Rev: b.Rev})
			}))
		})
	add(s, operation(http.MethodGet, "/api/v1/settings/{level}/history", "settings", "Who changed what at a level, the newest first"), access.Read,
		func(ctx context.Context, in *LevelInput) (*body[page[settings.Change]], error) {
			return list(onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) ([]settings.Change, error) {
				return s.memory.Settings().History(ctx, in.Level, scope)
			}))
		})
}

// KeyRequest is a key that is to be made.
type KeyRequest struct {
	User    string        `json:"user_id,omitempty" maxLength:"128" doc:"The one user Whose memory it opens"`
	Roles   []access.Role `json:"roles" minItems:"1" maxItems:"4" enum:"read,write,admin,delegating"`
	Note    string        `json:"note,omitempty" maxLength:"200"`
	Expires time.Time     `json:"expires_at,omitzero"`
}

// MadeKey is a key that was made. Its secret is shown this once.
type MadeKey struct {
	access.Key
	Secret string `json:"access_key" doc:"Shown this once"`
}

// KeyInput is a key by its address.
type KeyInput struct {
	ID string `path:"key" maxLength:"64"`
}

func (s *Server) addKeys() {
	add(s, operation(http.MethodGet, "/api/v1/access-keys", "access", "The client's access keys"), access.Admin,
		func(ctx context.Context, _ *struct{}) (*body[page[access.Key]], error) {
			return list(s.c.Keys.List(ctx, keyFrom(ctx).Client))
		})
	op := operation(http.MethodPost, "/api/v1/access-keys", "access", "Make an access key")
	op.DefaultStatus = http.StatusCreated
	add(s, op, access.Admin, func(ctx context.Context, in *struct{ Body KeyRequest }) (*body[MadeKey], error) {
		b := in.Body
		key, secret, err := s.c.Keys.Create(ctx, access.Key{Client: keyFrom(ctx).Client, User: b.User, Roles: b.Roles, Note: b.Note, Expires: b.Expires})
		return &body[MadeKey]{MadeKey{key, secret}}, err
	})
	add(s, operation(http.MethodDelete, "/api/v1/access-keys/{key}", "access", "Revoke an access key"), access.Admin,
		func(ctx context.Context, in *KeyInput) (*body[access.Key], error) {
			return answer(s.c.Keys.Revoke(ctx, keyFrom(ctx).Client, in.ID))
		})
	add(s, operation(http.MethodPost, "/api/v1/access-keys/{key}/rotate", "access", "Make a key in the place of another, which holds for a while longer"), access.Admin,
		func(ctx context.Context, in *struct {
			KeyInput
			Body struct {
				Overlap int `json:"overlap_seconds,omitempty" minimum:"0" maximum:"2592000" doc:"How long the old key holds; default an hour"`
			}
		},
		) (*body[MadeKey], error) {
			overlap := time.Duration(cmp.Or(in.Body.Overlap, 3600)) * time.Second
			key, secret, err := s.c.Keys.Rotate(ctx, keyFrom(ctx).Client, in.ID, overlap)
			return &body[MadeKey]{MadeKey{key, secret}}, err
		})
}
