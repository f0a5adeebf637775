package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// resolve returns the configuration of a command. What the file in the store's folder has sent or written elsewhere was agreed to, now or before; else
// it is Denied.
func (c *console) resolve() (config, error) {
	resolved, err := readLayers(c.flags, c.environ)
	if err != nil {
		return resolved, err
	}
	for _, name := range resolved.ignored {
		fmt.Fprintf(c.err, "mneme: environment %s: is not known and has no effect; `mneme doctor` lists all names\n", name)
	}
	for _, x := range catalogue() {
		if x.does != "" && resolved.found(x.name) {
			if err := c.consent(resolved, x); err != nil {
				return resolved, err
			}
		}
	}
	return resolved, resolved.finish()
}

// consent returns nil if the person has agreed to what a file does by an option, and asks if there is a terminal to ask at. An answer is kept for this
// folder and this value.
func (c *console) consent(resolved config, x entry) error {
	value, folder := resolved.get(x.name), filepath.Dir(resolved.foundFile)
	if whole, err := filepath.Abs(folder); err == nil {
		folder = whole
	}
	if at, err := filepath.EvalSymlinks(folder); err == nil {
		folder = at
	}
	sum := sha256.Sum256([]byte(folder + "\x00" + x.name + "\x00" + value)) // the value may hold a password
	line := hex.EncodeToString(sum[:]) + " " + x.name + " " + fmt.Sprintf("%q", folder)

	// An earlier answer counts.
	file, err := consentFile(c.environ)
	if err != nil {
		return err
	}
	given, err := readAll(context.Background(), file, 1<<20)
	if err != nil && !errors.Is(err, state.ErrNotFound) {
		return err
	}
	if slices.Contains(strings.Split(string(given), "\n"), line) {
		return nil
	}

	what := fmt.Sprintf("%s %s %s", x.name, x.does, masked(value))
	if !c.answers {
		return state.Errorf(state.Denied, "file "+resolved.foundFile, "%s, and nobody has agreed to that; if you know the file, name it with --config, or start mneme in a terminal and agree once", what)
	}
	fmt.Fprintf(c.err, "%s, a file in the folder of the store, has %s.\n", resolved.foundFile, what)
	if !c.agreed(bufio.NewReader(c.in), "Do you trust it? [y/N] ") {
		return state.Errorf(state.Denied, "file "+resolved.foundFile, "%s, and you did not agree; take the line out, or name another folder with --dir", what)
	}
	return keepConsent(file, line)
}

// consentFile returns where consents are kept: with the user's configuration, and never in a folder that somebody else may hand over.
func consentFile(environ []string) (string, error) {
	dir := lookup(environ, "XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		var err error
		if dir, err = os.UserConfigDir(); err != nil {
			return "", state.Errorf(state.Unavailable, "consents", "there is no folder for them: %w; set XDG_CONFIG_HOME, or name the file of settings with --config", err)
		}
	}
	return filepath.Join(dir, "mneme", "consents"), nil
}

// keepConsent adds a line to the file of consents.
func keepConsent(file, line string) error {
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err == nil {
			_, err = io.WriteString(f, line+"\n")
			err = errors.Join(err, f.Close())
		}
	}
	if err != nil {
		return state.Errorf(state.Unavailable, "consents "+file, "cannot be kept: %w", err)
	}
	return nil
}

// warn says on stderr, once a command, what is configured in vain.
func (c *console) warn(resolved config) {
	for _, text := range append([]string{resolved.unused(), resolved.without}, resolved.withheld...) {
		if text != "" {
			fmt.Fprintln(c.err, "mneme: "+text)
		}
	}
}
