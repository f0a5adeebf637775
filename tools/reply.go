package tools

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// replyParam is the argument in which a call that writes brings the reply along: a model that needs nothing back is then asked once, not twice.
const replyParam = "reply"

const replyDesc = "Your whole reply to the user, if nothing that this call returns could change it. It is said as it is when all calls of this answer have been " +
	"carried out; you are asked again only where a result has something that he must be told. Leave it out if you have another question to look up first"

// takesReply reports whether a tool writes, and so may end a turn.
func takesReply(name string) bool {
	return slices.Contains([]string{MemoryStore, MemoryUpdate, ScheduleTask, ResolveAffair}, name)
}

// TakeReply takes the reply out of the arguments of a call; "" = it brings none.
func TakeReply(name, arguments string) (rest, reply string) {
	var args map[string]json.RawMessage
	if !takesReply(Canonical(name)) || json.Unmarshal([]byte(arguments), &args) != nil {
		return arguments, ""
	}
	if _, ok := args[replyParam]; !ok || json.Unmarshal(args[replyParam], &reply) != nil {
		return arguments, ""
	}
	delete(args, replyParam)
	kept, err := json.Marshal(args)
	if err != nil {
		return arguments, ""
	}
	return string(kept), strings.TrimSpace(reply)
}

// Carried reports whether a result says that what a call asked for was carried out, and nothing that the user has to be told or the model has to do besides.
func Carried(result string) bool {
	done := func(verb string) bool { return strings.HasPrefix(result, verb) }
	verbs := []string{
		"stored ", "remembered ", "not remembered: ", "corrected ", "scheduled ", "done: ", "resolved: ", switched,
		string(state.Forgotten) + " ", string(state.Pinned) + " ", string(state.Unpinned) + " ",
	}
	open := func(s string) bool { return strings.Contains(result, s) }
	return slices.ContainsFunc(verbs, done) && !slices.ContainsFunc([]string{tellUser, askUser, maybeOver}, open)
}

const (
	tellUser  = "tell the user so"                     // ends a result that the user has to be told of
	askUser   = "Ask him, and store it again"          // begins what he has to be asked
	maybeOver = "If this older record holds no longer" // begins what the model has to do about a record that it may have put right
)
