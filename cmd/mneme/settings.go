package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
)

type settingsCommand struct {
	List    settingsList    `cmd:"" default:"withargs" help:"List what holds for a user and where it is from (the default), or what is set at one level."`
	Set     settingsSet     `cmd:"" help:"Set one or more at a level."`
	Unset   settingsUnset   `cmd:"" help:"Take back what is set at a level."`
	History settingsHistory `cmd:"" help:"List who changed what at a level, newest first."`
}

// Help is printed by mneme settings --help.
func (settingsCommand) Help() string {
	return `Settings that are kept in the store: for all (global), for a client, for a user; the nearer one counts. Running processes see a
change within a second, from their next turn on. Flag, environment and file still win in the process that has them. autonomy is the lowest that
anybody says. A setting of a process, such as hot_budget_mb, is set for all only and counts when a process starts.

Examples:
  mneme settings
  mneme settings set max_tokens=4000 detect=rules --for global --by olga --why "answers were slow"
  mneme settings set autonomy=1 --for user --user anna
  mneme settings list --for client --json
  mneme settings unset max_tokens --for global
  mneme settings history --for global`
}

// withSettings opens the store, does its work and closes it.
func withSettings(ctx context.Context, con *console, makes bool, do func(config, *settings.Documents) error) error {
	return con.withStore(ctx, makes, func(c config, v *keeping) error {
		if err := c.eraseAgain(ctx, v); err != nil {
			return err
		}
		return do(c, settings.New(settings.Config{Store: v.Store, Operator: c.settings, Fixed: c.fixed()}))
	})
}

type settingsList struct {
	sessionFlags
	For string `help:"Only what is set there: global, client or user." placeholder:"LEVEL"`
}

// settingLine is a setting as JSON.
type settingLine struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// Run prints the settings.
func (l *settingsList) Run(ctx context.Context, con *console) error {
	return withSettings(ctx, con, false, func(c config, d *settings.Documents) error {
		// A level lists its own values; without one all settings are listed with the level that each comes from.
		var lines []settingLine
		if l.For != "" {
			values, _, err := d.Read(ctx, settings.Level(l.For), c.scope())
			if err != nil {
				return err
			}
			for name, value := range values {
				lines = append(lines, settingLine{name, value, l.For})
			}
			slices.SortFunc(lines, func(a, b settingLine) int { return strings.Compare(a.Name, b.Name) })
		} else {
			set, err := d.In(ctx, c.scope())
			if err != nil {
				return err
			}
			for _, name := range state.SettingNames() {
				lines = append(lines, settingLine{name, set.Get(name), set.Origin(name)})
			}
			for _, note := range set.Notes {
				fmt.Fprintln(con.err, "mneme: "+note)
			}
		}

		// An empty list says of which level and store.
		empty := fmt.Sprintf("nothing is set for %s in %s", l.For, masked(c.address()))
		return printList(con, l.JSON, lines, empty, []string{"NAME", "VALUE", "FROM"}, func(x settingLine) (any, []string) {
			return x, []string{x.Name, cmp.Or(x.Value, "-"), x.Origin}
		})
	})
}

// changeFlags is what a change takes.
type changeFlags struct {
	sessionFlags
	For string `help:"For whom: global, client or user." placeholder:"LEVEL"`
	By  string `help:"Who changes it, for the history (default $USER)." placeholder:"NAME"`
	Why string `help:"Why, for the history." placeholder:"TEXT"`
}

// change makes a change and prints it.
func (f changeFlags) change(ctx context.Context, con *console, e settings.Edit) error {
	e.By, e.Why = cmp.Or(f.By, lookup(con.environ, "USER"), lookup(con.environ, "USERNAME"), "command line"), f.Why
	return withSettings(ctx, con, len(e.Set) > 0, func(c config, d *settings.Documents) error {
		made, err := d.Change(ctx, settings.Level(f.For), c.scope(), e)
		if err != nil {
			return err
		}
		if f.JSON {
			return encode(con.out, made)
		}

		if len(made.Values) == 0 {
			fmt.Fprintln(con.out, "it is so already, nothing is changed")
		}

		// Each value is printed with what keeps it from having effect here and now.
		for _, x := range made.Values {
			fmt.Fprintf(con.out, "%s of %s: %s -> %s\n", x.Name, f.For, orUnset(x.Before), orUnset(x.After))
			if _, process, err := state.SettingNamed(x.Name); err == nil && process {
				fmt.Fprintln(con.out, "  a process takes it when it starts")
			}
			if origin, fixed := c.fixed()[x.Name]; fixed {
				fmt.Fprintf(con.out, "  here %s wins\n", origin)
			}
		}
		return nil
	})
}

// orUnset writes a value as it is told.
func orUnset(value *string) string {
	if value == nil {
		return "(not set)"
	}
	return fmt.Sprintf("%q", *value)
}

type settingsSet struct {
	changeFlags
	Values []string `arg:"" help:"NAME=VALUE, one or more." placeholder:"NAME=VALUE"`
}

// pairs returns the arguments as they are to be written: of a name and a value with a blank between them a pair.
func (s *settingsSet) pairs() []string {
	if len(s.Values) == 2 && !strings.Contains(s.Values[0]+s.Values[1], "=") {
		return []string{s.Values[0] + "=" + s.Values[1]}
	}
	return s.Values
}

// askLevel says which command to write where the level is not said.
func askLevel(command, rest string) error {
	return state.Errorf(state.Invalid, command, "for whom is not said; write mneme %s --for user (or client, or global), see mneme %s --help",
		strings.TrimSpace(command+" "+rest), command)
}

// Run sets them.
func (s *settingsSet) Run(ctx context.Context, con *console) error {
	e := settings.Edit{Set: map[string]string{}}
	pairs := s.pairs()
	if s.For == "" {
		return askLevel("settings set", strings.Join(pairs, " "))
	}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok:
			return state.Errorf(state.Invalid, "settings set "+pair, "has no value; write NAME=VALUE, see mneme settings set --help")
		case !slices.Contains(s.Values, pair):
			return state.Errorf(state.Invalid, "settings set "+strings.Join(s.Values, " "), "write mneme settings set %s --for %s", pair, s.For)
		}
		e.Set[name] = value
	}
	return s.change(ctx, con, e)
}

type settingsUnset struct {
	changeFlags
	Names []string `arg:"" help:"Their names." placeholder:"NAME"`
}

// Run takes them back.
func (u *settingsUnset) Run(ctx context.Context, con *console) error {
	if u.For == "" {
		return askLevel("settings unset", strings.Join(u.Names, " "))
	}
	return u.change(ctx, con, settings.Edit{Unset: u.Names})
}

type settingsHistory struct {
	sessionFlags
	For string `help:"For whom: global, client or user." placeholder:"LEVEL"`
}

// Run prints the changes as a table.
func (h *settingsHistory) Run(ctx context.Context, con *console) error {
	if h.For == "" {
		return askLevel("settings history", "")
	}
	return withSettings(ctx, con, false, func(c config, d *settings.Documents) error {
		changes, err := d.History(ctx, settings.Level(h.For), c.scope())
		if err != nil {
			return err
		}

		// A change of several settings is a row for each. An empty list says of which level and store.
		rows := [][]string{{"CHANGE", con.timeHead(), "BY", "SETTING", "BEFORE", "AFTER", "WHY"}}
		for _, x := range changes {
			for _, v := range x.Values {
				rows = append(rows, []string{fmt.Sprint(x.Number), con.column(x.At), x.By, v.Name, orUnset(v.Before), orUnset(v.After), cmp.Or(x.Why, "-")})
			}
		}
		if h.JSON {
			return encodeEach(con.out, changes)
		}
		con.rows(fmt.Sprintf("nothing was ever set for %s in %s", h.For, masked(c.address())), rows)
		return nil
	})
}
