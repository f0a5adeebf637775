package main

import (
	"regexp"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// findAddress finds what is written as the address of a server: a scheme, and what follows to the next blank or quote.
func findAddress() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]+:/+[^\s"\\]*`)
}

// masked returns a text in which no address shows a user, a password or an option: they may be secrets.
func masked(text string) string {
	return findAddress().ReplaceAllStringFunc(text, func(address string) string {
		at := strings.Index(address, ":/") + 1
		at += len(address[at:]) - len(strings.TrimLeft(address[at:], "/"))
		return address[:at] + maskedHost(address[at:])
	})
}

// maskedHost masks an address without a scheme. One in which host and secret cannot be told apart shows nothing.
func maskedHost(address string) string {
	host, options := address, ""
	if at := strings.IndexAny(address, "?#"); at >= 0 {
		host, options = address[:at], address[at:]
	}
	if at := strings.LastIndex(host, "@"); at >= 0 {
		host = host[at+1:]
	} else if strings.Contains(options, "@") || badEscape(host) {
		return "..."
	}
	return host
}

// badEscape reports whether a % begins no escape: then the text is no address, and may be all password.
func badEscape(text string) bool {
	return regexp.MustCompile(`%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`).MatchString(text)
}

// isServer reports whether an address names a server and not a folder.
func isServer(address string) bool {
	return strings.HasPrefix(address, "mongodb://") || strings.HasPrefix(address, "mongodb+srv://")
}

// mustBeAddress refuses what is neither a server's address nor a folder's name but looks like the former.
func mustBeAddress(address string) error {
	if isServer(address) || findAddress().FindString(address) != address {
		return nil
	}
	return state.Errorf(state.Invalid, "store "+masked(address), "is no address of a store; name a folder, or mongodb://HOST/DATABASE")
}
