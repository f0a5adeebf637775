package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/mneme-graph/mneme/state"
)

// usageError says what is wrong with a command line, and which help has the right one.
func usageError(err error) error {
	var parse *kong.ParseError
	path, node := "mneme", (*kong.Node)(nil)
	if errors.As(err, &parse) && parse.Context != nil {
		if node = parse.Context.Selected(); node != nil {
			path = node.FullPath()
		} else {
			node = parse.Context.Model.Node
		}
	}

	// A flag before the command, or in place of it, is not what is unknown.
	early := node != nil && node.DefaultCmd == nil && strings.Contains(err.Error(), "unknown flag") || strings.Contains(err.Error(), "applies to the default command")
	if early && node != nil && len(node.Children) > 0 {
		var names []string
		for _, c := range node.Children {
			names = append(names, c.Name)
		}
		if node.Parent == nil {
			names = append(names[:4], "...")
		}
		return state.Errorf(state.Invalid, "usage", "flags stand behind the command: %s %s; see %s --help", path, strings.Join(names, "|"), path)
	}
	return state.Errorf(state.Invalid, "usage", "%s; see %s --help", plainUsage(err.Error()), path)
}

// plainUsage returns what the parser says, in words that need no knowledge of it.
func plainUsage(text string) string {
	text = strings.Replace(text, ` must be one of "",`, " must be one of ", 1)
	number := regexp.MustCompile(`^(--[\w-]+): expected (?:int value but got|a valid \d+ bit int but got) "(.*?)"(?: \(short flag\).*)?$`)
	return number.ReplaceAllString(text, `$1 takes a whole number, 0 or more, and not "$2"`)
}

type helpCommand struct {
	Topic []string `arg:"" optional:"" help:"A command, and a command of that: affairs show."`
}

// Run is not reached: help TOPIC is TOPIC --help, see askedHelp.
func (helpCommand) Run() error { return nil }

// askedHelp makes help TOPIC what the parser knows.
func askedHelp(args []string) []string {
	if len(args) > 0 && args[0] == "help" && !slices.Contains(args, "--help") {
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

type versionCommand struct {
	JSON bool `name:"json" help:"As one JSON object."`
}

// Run prints the version.
func (v *versionCommand) Run(con *console) error {
	return con.tell(v.JSON, built(), "%s", built())
}

// build says what this program was made of.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	System   string `json:"system"`
}

// String returns the version in one line.
func (b build) String() string {
	return fmt.Sprintf("mneme %s (%s, %s)", strings.TrimSpace(b.Version+" "+b.Revision), b.Go, b.System)
}

func built() build {
	b := build{Version: "(devel)", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = cmp.Or(info.Main.Version, b.Version)
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.Revision = fmt.Sprintf("%.12s", s.Value)
		}
	}
	return b
}

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh" help:"bash or zsh."`
}

// Help is printed by mneme completion --help.
func (completionCommand) Help() string {
	return `Prints what lets a shell complete commands and flags.

Examples:
  mneme completion bash > ~/.local/share/bash-completion/completions/mneme
  source <(mneme completion zsh)`
}

// Run prints the script.
func (c *completionCommand) Run(_ context.Context, con *console, parsed *kong.Context) error { //nolint:unparam // the form of every command
	if c.Shell == "zsh" {
		con.println("autoload -U +X bashcompinit && bashcompinit")
	}
	con.println(completion(parsed.Model))
	return nil
}

// completion writes the script: the words of the line that are commands lead to those that may come next. What is no command is a value, which the shell
// completes as a file.
func completion(app *kong.Application) string {
	var known, next []string
	var walk func(n *kong.Node, path string)
	walk = func(n *kong.Node, path string) {
		var words []string
		of := n
		if n.DefaultCmd != nil {
			of = n.DefaultCmd
		}
		for _, flags := range of.AllFlags(true) {
			for _, f := range flags {
				words = append(words, "--"+f.Name)
			}
		}
		for _, c := range n.Children {
			words = append(words, c.Name)
			known = append(known, fmt.Sprintf("%q", path+" "+c.Name))
			walk(c, path+" "+c.Name)
		}
		next = append(next, fmt.Sprintf("    %q) words=%q ;;", path, strings.Join(words, " ")))
	}
	walk(app.Node, "")
	return `_mneme() {
  local path= words= word
  for word in "${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$path $word" in
    ` + strings.Join(known, "|") + `) path="$path $word" ;;
    esac
  done
  case "$path" in
` + strings.Join(next, "\n") + `
  esac
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _mneme mneme`
}
