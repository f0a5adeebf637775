package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/graph/serve/access"
)

type accessCommand struct {
	List   accessList   `cmd:"" default:"withargs" help:"List access keys (the default)."`
	Create accessCreate `cmd:"" help:"Make an access key and print it, this once."`
	Rotate accessRotate `cmd:"" help:"Make a key in the place of another, which holds for a while longer."`
	Revoke accessRevoke `cmd:"" help:"End an access key."`
}

// Help is printed by mneme access --help.
func (accessCommand) Help() string {
	return `Access keys are how clients of mneme serve are known. A key opens the memory of one client: of one of its users, or with the role delegating of
each user that a request names. The store keeps a fingerprint of it alone. A service that is running knows of a change within a second.

Roles: read (look at memory), write (say something, change memory), admin (keys, settings of the client, erasing it whole, holding records), delegating.`
}

// accessFlags are those of all of them.
type accessFlags struct {
	place
	Client string `option:"" group:"whose" help:"Whose keys (or MNEME_CLIENT; default \"default\")." placeholder:"NAME"`
	JSON   bool   `name:"json" help:"As JSON."`
}

// withKeys opens the store's keys.
func (f *accessFlags) withKeys(ctx context.Context, con *console, open func(context.Context) (*opened, error), do func(keys *access.Keys, client string) error) error {
	return with(ctx, open, func(g *opened) error {
		return do(access.New(access.Config{Store: g.store.Store, Now: con.now}), g.scope.Client)
	})
}

type accessList struct{ accessFlags }

// Run prints a row for each key.
func (a *accessList) Run(ctx context.Context, con *console) error {
	return a.withKeys(ctx, con, con.openThere, func(keys *access.Keys, client string) error {
		all, err := keys.List(ctx, client)
		if err != nil {
			return err
		}
		if a.JSON {
			return encodeEach(con.out, all)
		}
		rows := [][]string{{"ID", "USER", "ROLES", "MADE", "LAST USED", "ENDS", "NOTE"}}
		for _, k := range all {
			rows = append(rows, []string{k.ID, k.User, rolesOf(k), con.day(k.Created), shownDay(con, k.LastUsed), shownDay(con, ends(k)), k.Note})
		}
		con.rows("No access key: mneme access create makes one.", rows)
		return nil
	})
}

func rolesOf(k access.Key) string {
	names := make([]string, len(k.Roles))
	for i, r := range k.Roles {
		names[i] = string(r)
	}
	return strings.Join(names, ",")
}

// ends returns when a key ends, zero for never.
func ends(k access.Key) time.Time {
	if !k.Revoked.IsZero() && (k.Expires.IsZero() || k.Revoked.Before(k.Expires)) {
		return k.Revoked
	}
	return k.Expires
}

func shownDay(con *console, t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return con.day(t)
}

type accessCreate struct {
	accessFlags
	For    string        `help:"The one user whose memory it opens; without it, with --role delegating, each." placeholder:"USER"`
	Role   []string      `help:"read, write, admin, delegating; may be repeated (default read and write, and delegating where no user is named)." placeholder:"ROLE"`
	Note   string        `help:"What it is for." placeholder:"TEXT"`
	Within time.Duration `help:"It ends after this time; default never." placeholder:"TIME"`
}

// Run makes a key and prints it.
func (a *accessCreate) Run(ctx context.Context, con *console) error {
	return a.withKeys(ctx, con, con.open, func(keys *access.Keys, client string) error {
		key := access.Key{Client: client, User: a.For, Note: a.Note}
		for _, r := range a.Role {
			key.Roles = append(key.Roles, access.Role(r))
		}
		if len(key.Roles) == 0 {
			if key.Roles = []access.Role{access.Read, access.Write}; a.For == "" {
				key.Roles = append(key.Roles, access.Delegating)
			}
		}
		if a.Within > 0 {
			key.Expires = con.now().UTC().Add(a.Within)
		}
		made, secret, err := keys.Create(ctx, key)
		return con.made(err, a.JSON, made, secret)
	})
}

// made prints a new key.
func (c *console) made(err error, asJSON bool, key access.Key, secret string) error {
	if err != nil {
		return err
	}
	return c.tell(asJSON, map[string]any{"id": key.ID, "access_key": secret, "client_id": key.Client, "user_id": key.User, "roles": key.Roles},
		"%s\nKey %s of client %s (%s). It is not shown again.", secret, key.ID, key.Client, rolesOf(key))
}

type accessRotate struct {
	accessFlags
	ID      string        `arg:"" help:"Of the key."`
	Overlap time.Duration `help:"How long the old key holds." default:"1h"`
}

// Run makes the new key and prints it.
func (a *accessRotate) Run(ctx context.Context, con *console) error {
	return a.withKeys(ctx, con, con.openThere, func(keys *access.Keys, client string) error {
		made, secret, err := keys.Rotate(ctx, client, a.ID, a.Overlap)
		return con.made(err, a.JSON, made, secret)
	})
}

type accessRevoke struct {
	accessFlags
	ID string `arg:"" help:"Of the key."`
}

// Run ends the key.
func (a *accessRevoke) Run(ctx context.Context, con *console) error {
	return a.withKeys(ctx, con, con.openThere, func(keys *access.Keys, client string) error {
		key, err := keys.Revoke(ctx, client, a.ID)
		if err != nil {
			return err
		}
		return con.tell(a.JSON, key, "%s", fmt.Sprintf("revoked: %s", key.ID))
	})
}
