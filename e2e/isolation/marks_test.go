package isolation_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// silent is in every text of an owner, and no probe ever says it.
func silent(n int) string { return fmt.Sprintf("zs%04dx", n) }

// asked is in every text of an owner too; probes of others look for it.
func asked(n int) string { return fmt.Sprintf("za%04dx", n) }

// idMark is in ids that only one owner has; probes of others name them.
func idMark(n int) string { return fmt.Sprintf("zi%04dx", n) }

// marks finds them.
func marks() *regexp.Regexp { return regexp.MustCompile(`z[sai]([0-9]{4})x`) }

// foreign lists the marks in an answer that are not the owner's. What the probe said may come back, but for silent marks.
func foreign(find *regexp.Regexp, owner int, answer string, said ...string) []string {
	found := func(text string) []string {
		var out []string
		for _, m := range find.FindAllStringSubmatch(text, -1) {
			if n, err := strconv.Atoi(m[1]); err != nil || n != owner {
				out = append(out, m[0])
			}
		}
		return out
	}
	answer = strings.ToLower(answer)
	all := found(answer)
	if len(all) == 0 || slices.ContainsFunc(all, func(m string) bool { return m[1] == 's' }) {
		return all
	}
	for _, s := range said {
		if s = strings.ToLower(s); s != "" {
			answer = strings.ReplaceAll(answer, s, "")
			answer = strings.ReplaceAll(answer, strings.Trim(strconv.Quote(s), `"`), "")
			answer = strings.ReplaceAll(answer, strings.Trim(jsonOf(s), `"`), "")
		}
		for _, word := range found(s) { // a term of a query comes back alone
			answer = strings.ReplaceAll(answer, word, "")
		}
	}
	return found(answer)
}

// jsonOf is an answer as it would go over a wire.
func jsonOf(answer any) string {
	raw, err := json.Marshal(answer)
	if err != nil {
		return fmt.Sprintf("%+v", answer)
	}
	return string(raw)
}

// nasty are things that no one should say for an id, a scope or a query, and everything that names what is another's.
func nasty(o *owner) []string {
	return append([]string{
		o.own("rec", 3), o.own("affair", 2), o.own("s", 0), o.own("m", 2), o.turn, o.scope.Client, o.scope.UserPrefix() + "rec-2",
		o.scope.SessionKey(), "records/" + o.own("rec", 3), "invoice " + asked(o.number), "../" + o.scope.Client + "/anna/rec-2",
	}, wildcards()...)
}

// wildcards are what one or another language of queries would take for everything, or for an end of the text.
func wildcards() []string {
	return []string{
		"*", "%", "_", "", ".*", "$ne", "?", "~", "\\", "\x00", "\U0010FFFF", `{"$gt":""}`, `" or 1==1 or "`, `' OR '1'='1`, `client != "x"`,
		`x" or client like "%`, "anna/", "/", "//", "**", "${client}", "%00", "%2F", "rec-%", "s1/", "a\nb", strings.Repeat("x", 129), "\xff",
	}
}

// strangers are scopes of nobody, some of which a careless comparison would take for everybody.
func strangers(o *owner) []state.Scope {
	var out []state.Scope
	for _, w := range wildcards() {
		out = append(out, state.Scope{Client: w, User: "anna", Session: "s1", Agent: "main"}, state.Scope{Client: o.scope.Client, User: w, Session: "s1"},
			state.Scope{Client: w, User: w, Session: w})
	}
	return append(out,
		state.Scope{Client: o.scope.Client[:len(o.scope.Client)-1], User: "anna", Session: "s1"},
		state.Scope{Client: o.scope.Client, User: "ann", Session: "s1"},
		state.Scope{Client: o.scope.Client, User: "anna2", Session: "s1"},
		state.Scope{Client: strings.ToUpper(o.scope.Client), User: "anna", Session: "s1"},
		state.Scope{Client: o.scope.Client, User: "Anna", Session: "s1"},
		state.Scope{Client: " " + o.scope.Client, User: "anna", Session: "s1"},
		state.Scope{Client: "anna", User: o.scope.Client, Session: "s1"},
	)
}
