package background

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/memory/internal/ask/prompts"
	"github.com/mneme-graph/mneme/state"
)

// DetectInput is what the small model sees of a conversation. Affairs may hold the current one as well; those that
// matter most come first, the prompt shows fifteen.
type DetectInput struct {
	Message  string
	Current  *state.Affair // nil = none is active
	Affairs  []*state.Affair
	Said     map[string][]state.Message // by affair: what was said in it last, oldest first
	Recent   []state.Message            // of the session before the message, whatever it is about, oldest first
	Since    time.Time                  // when the current affair became current
	Now      time.Time                  // when the message was said
	Language string                     // of the message, BCP-47; "" = unknown
}

// DetectAnswer is the model's decision, checked. Target is the id of an affair of the input: with SWITCH always and never the
// current one, with CONTINUE the current one or "", with AD_HOC the one asked about or "" for none, with NEW_AFFAIR "".
// NewTitle is set with NEW_AFFAIR only, and "" if the model gave none.
type DetectAnswer struct {
	Type       state.Kind
	Target     string
	NewTitle   string
	Closes     string  // id of the affair that the message settles; "" = none, if SaysCloses
	SaysCloses bool    // the answer has the field
	Confidence float64 // in [0,1]
	Reasoning  string
}

// unstated is the confidence of an answer that gives none: the model did choose, and the choice is meant to hold at
// the usual threshold of 0.7.
const unstated = 0.8

type detectReply struct {
	Type       prompts.Text   `json:"type" also:"decision,kind,classification"`
	Target     prompts.Text   `json:"target_affair" also:"target_affair_id,target,affair,affair_id"`
	NewTitle   prompts.Text   `json:"new_affair_title" also:"new_title,title"`
	Closes     prompts.Text   `json:"closes" also:"closes_affair,closing,resolves"`
	Confidence prompts.Number `json:"confidence" also:"score,probability"`
	Reasoning  prompts.Text   `json:"reasoning" also:"reason,explanation"`
}

// Detect asks what the message does. A SWITCH to the current affair is a CONTINUE; an AD_HOC about an affair that does
// not exist is one about none. Invalid: no JSON, an unknown type, a SWITCH to nothing, to what does not exist, or to what
// could be several affairs.
func (t *Tasks) Detect(ctx context.Context, in DetectInput) (DetectAnswer, error) {
	in.Message = cut(in.Message, maxMessage)
	in, ids := in.short()
	raw, err := t.ask(ctx, prompts.Detect, t.fitting(in))
	if err != nil {
		return DetectAnswer{}, err
	}
	reply, err := prompts.JSON[detectReply](raw)
	if err != nil {
		return DetectAnswer{}, nonsense(prompts.Detect, "%w", err)
	}
	kind, ok := kindOf(string(reply.Type))
	if !ok {
		return DetectAnswer{}, nonsense(prompts.Detect, "type %s is none of CONTINUE, SWITCH, AD_HOC, NEW_AFFAIR: %s",
			prompts.Excerpt(string(reply.Type)), prompts.Excerpt(raw))
	}
	answer := DetectAnswer{Type: kind, Confidence: probability(reply.Confidence), Reasoning: cut(string(reply.Reasoning), maxReasoning), SaysCloses: strings.Contains(raw, `"closes"`)}
	if answer, err = answer.aim(in, reply); err != nil {
		return DetectAnswer{}, err
	}
	answer.Target, answer.Closes = ids.of(answer.Target), ids.of(answer.Closes)
	return answer, nil
}

// aim settles what the answer points at.
func (a DetectAnswer) aim(in DetectInput, reply detectReply) (DetectAnswer, error) {
	current := ""
	if in.Current != nil {
		current = in.Current.ID
	}
	a.Closes, _ = resolve(string(reply.Closes), known(in))
	switch a.Type {
	case state.Continue:
		a.Target = current
	case state.NewAffair:
		a.NewTitle = title(string(reply.NewTitle))
	case state.AdHoc:
		a.Target, _ = resolve(string(reply.Target), known(in))
	case state.Switch:
		id, problem := resolve(string(reply.Target), known(in))
		if problem != "" {
			return DetectAnswer{}, nonsense(prompts.Detect, "SWITCH to %s, %s", prompts.Excerpt(string(reply.Target)), problem)
		}
		a.Target = id
		if id == current {
			a.Type = state.Continue
		}
	}
	return a, nil
}

// shortIDs are the ids of affairs by the short ones that a prompt shows in their place.
type shortIDs map[string]string

// of returns the id that a short one stands for, itself where it is none.
func (ids shortIDs) of(id string) string { return cmp.Or(ids[id], id) }

// short is the input with short ids (a1, a2, in the order shown) in place of those that are UUIDs: a model has to copy them.
func (in DetectInput) short() (DetectInput, shortIDs) {
	// The ids that are no UUIDs stay, and are given to no other.
	ids, named, n := shortIDs{}, map[string]string{}, 0
	for _, a := range known(in) {
		if uuid.Validate(a.ID) != nil {
			named[a.ID], ids[a.ID] = a.ID, a.ID
		}
	}
	rename := func(a *state.Affair) *state.Affair {
		for a.ID != "" && named[a.ID] == "" {
			n++
			if short := "a" + strconv.Itoa(n); ids[short] == "" {
				named[a.ID], ids[short] = short, a.ID
			}
		}
		renamed := *a
		renamed.ID = named[a.ID]
		return &renamed
	}

	// The current affair comes first, as it is shown.
	if in.Current != nil {
		in.Current = rename(in.Current)
	}
	in.Affairs = slices.Clone(in.Affairs)
	for i, a := range in.Affairs {
		in.Affairs[i] = rename(a)
	}
	said := map[string][]state.Message{}
	for id, messages := range in.Said {
		said[cmp.Or(named[id], id)] = messages
	}
	in.Said, in.Recent = said, slices.Clone(in.Recent)
	for i, m := range in.Recent {
		in.Recent[i].Affair = cmp.Or(named[m.Affair], m.Affair)
	}
	return in, ids
}

// known lists every affair an answer may name.
func known(in DetectInput) []*state.Affair {
	if in.Current == nil {
		return in.Affairs
	}
	out := []*state.Affair{in.Current}
	for _, a := range in.Affairs {
		if a.ID != in.Current.ID {
			out = append(out, a)
		}
	}
	return out
}

// kindOf reads a kind as models spell it.
func kindOf(said string) (state.Kind, bool) {
	if strings.ContainsAny(said, "|/") { // the choice repeated, not made
		return "", false
	}
	if kind, ok := kindNamed(said); ok {
		return kind, true
	}
	end := strings.IndexFunc(said, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' && r != '-' })
	if end <= 0 { // "SWITCH: back to it", "SWITCH (to a2)"
		return "", false
	}
	return kindNamed(said[:end])
}

func kindNamed(said string) (state.Kind, bool) {
	name := strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, said)
	switch name {
	case "CONTINUE", "CONTINUES", "CONTINUED", "CONTINUATION", "CONTINUING", "FOLLOWUP", "SAME", "STAY", "NONE", "NOCHANGE":
		return state.Continue, true
	case "SWITCH", "SWITCHES", "SWITCHED", "SWITCHING", "SWITCHAFFAIR", "SWITCHTO", "CHANGE", "RESUME", "RETURN":
		return state.Switch, true
	case "ADHOC", "ADHOCQUESTION", "ADHOCQUERY", "ASIDE", "ONEOFF", "INTERJECTION":
		return state.AdHoc, true
	case "NEWAFFAIR", "NEW", "NEWTOPIC", "NEWMATTER", "NEWAFFAIRS", "CREATE", "CREATEAFFAIR", "OPEN":
		return state.NewAffair, true
	}
	return "", false
}

// probability brings a confidence into [0,1]. Models also count to ten, or to a hundred.
func probability(n prompts.Number) float64 {
	switch v := n.Value; {
	case !n.Stated:
		return unstated
	case v <= 1:
		return max(v, 0)
	case v <= 10:
		return v / 10
	case v <= 100:
		return v / 100
	}
	return 1
}
