package state

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// setting is one entry of the list of settings: its name, where its value stands, and what it accepts.
// to is *int, *float64, *bool, *string or *time.Duration; low and high bound numbers (high 0 = no upper
// bound) and, in seconds, durations; allowed lists the values of a string (none = any text).
type setting struct {
	name      string
	to        any
	low, high float64
	allowed   []string
}

// list names every setting once. It is the one place that knows which values are legal.
func (s *Settings) list() []setting {
	return slices.Concat(s.listContext(), s.listMemory(), s.listGraph())
}

func (s *Settings) listContext() []setting {
	return []setting{
		{name: "max_tokens", to: &s.MaxTokens, low: 200},
		{name: "context_window", to: &s.ContextWindow, low: 1000},
		{name: "max_context_chars", to: &s.MaxContextChars},
		{name: "session_history_limit", to: &s.HistoryLimit, high: 10000},
		{name: "sliding_summary_window", to: &s.SummaryWindow, low: 1, high: 10000},
		{name: "sliding_summary_max_tokens", to: &s.SummaryMaxTokens, low: 20},
		{name: "summary_strategy", to: &s.SummaryStrategy, allowed: []string{"llm_with_fallback", "heuristic_only"}},
		{name: "session_idle_minutes", to: &s.IdleMinutes},
		{name: "archive_after_days", to: &s.ArchiveAfterDays},
		{name: "session_search_top_k", to: &s.SessionSearchTopK, high: 1000},
		{name: "session_search_threshold", to: &s.SessionSearchThreshold, high: 1},
		{name: "context_budget_summary", to: &s.BudgetSummary},
		{name: "context_budget_recent", to: &s.BudgetRecent},
		{name: "context_budget_search", to: &s.BudgetSearch},
		{name: "context_budget_longterm", to: &s.BudgetLongterm},
	}
}

func (s *Settings) listMemory() []setting {
	return []setting{
		{name: "hot_affairs_max", to: &s.HotAffairsMax, low: 1},
		{name: "hot_budget_mb", to: &s.HotBudgetMB, low: 1},
		{name: "buffer_budget_mb", to: &s.BufferBudgetMB, low: 1},
		{name: "warm_budget_mb", to: &s.WarmBudgetMB, low: 1},
		{name: "cold_budget_mb", to: &s.ColdBudgetMB, low: 1},
		{name: "search_cache_ttl", to: &s.SearchCacheTTL},
		{name: "affair_cache_ttl", to: &s.AffairCacheTTL},
		{name: "memory_retrieve_limit", to: &s.RetrieveLimit, low: 1, high: 1000},
		{name: "memory_retrieve_threshold", to: &s.RetrieveThreshold, high: 1},
		{name: "memory_dedup_threshold", to: &s.DedupThreshold, high: 1},
		{name: "memory_update_threshold", to: &s.UpdateThreshold, high: 1},
		{name: "max_memories_per_user", to: &s.MaxMemoriesPerUser, low: 1},
		{name: "brain_max_tokens", to: &s.BrainMaxTokens},
		{name: "l1_after_sessions", to: &s.L1AfterSessions, low: 1},
		{name: "l2_after_l1", to: &s.L2AfterL1, low: 1},
		{name: "autonomy", to: &s.Autonomy, high: 3},
		{name: "transformer_max_seq_len", to: &s.TransformerMaxSeqLen, low: 16},
		{name: "memory_extraction_enabled", to: &s.ExtractionEnabled},
		{name: "memory_extraction_interval_hours", to: &s.ExtractionInterval, low: 1},
		{name: "memory_extraction_model", to: &s.ExtractionModel},
		{name: "memory_extraction_provider", to: &s.ExtractionProvider},
	}
}

func (s *Settings) listGraph() []setting {
	return []setting{
		{name: "max_message_bytes", to: &s.MaxMessageBytes, low: 1 << 10, high: 4 << 20},
		{name: "switch_threshold", to: &s.SwitchThreshold, high: 1},
		{name: "detect", to: &s.Detect, allowed: []string{"rules", "model", "hybrid"}},
		{name: "detect_timeout", to: &s.DetectTimeout, low: 0.001},
		{name: "max_tool_rounds", to: &s.MaxToolRounds, low: 1, high: 100},
		{name: "durability", to: &s.Durability, allowed: []string{"sync", "async", "exit"}},
		{name: "double_texting", to: &s.DoubleTexting, allowed: []string{"reject", "enqueue", "interrupt", "rollback"}},
		{name: "on_cancel", to: &s.OnCancel, allowed: []string{"close", "resume"}},
		{name: "tool_timeout", to: &s.ToolTimeout, low: 0.001},
		{name: "tool_result_bytes", to: &s.ToolResultBytes, low: 1024, high: 16 << 20},
		{name: "tool_attempts", to: &s.ToolAttempts, low: 1, high: 100},
		{name: "parallel_tools", to: &s.ParallelTools, low: 1, high: 256},
	}
}

// SettingNames lists the names of all settings, sorted.
func SettingNames() []string {
	var s Settings
	names := make([]string, 0, 48)
	for _, x := range s.list() {
		names = append(names, x.name)
	}
	slices.Sort(names)
	return names
}

// Set gives the setting called name a value written as in a file or in the environment: whole numbers,
// fractions with a point, true or false, durations as Go writes them ("5m"). The error is Invalid: for
// an unknown name it names the nearest known one, for a bad value what is allowed; s is then unchanged.
func (s *Settings) Set(name, value string) error {
	for _, x := range s.list() {
		if x.name == name {
			return x.set(strings.TrimSpace(value))
		}
	}
	return Errorf(Invalid, "setting "+strconv.Quote(name),
		"is not known; did you mean %q? `mneme doctor` lists all", Nearest(name, SettingNames()))
}

// Get returns the value of the setting called name as Set reads it, "" for an unknown name.
func (s Settings) Get(name string) string {
	for _, x := range s.list() {
		if x.name == name {
			return x.get()
		}
	}
	return ""
}

// Validate checks every value as Set would, and that the values fit together. The error is Invalid
// and names the first setting that does not.
func (s Settings) Validate() error {
	for _, x := range s.list() {
		if err := x.check(x.get()); err != nil {
			return err
		}
	}
	switch {
	case s.MaxTokens > s.ContextWindow:
		return Errorf(Invalid, "setting max_tokens", "%d is more than context_window (%d); lower it", s.MaxTokens, s.ContextWindow)
	case s.DedupThreshold > s.UpdateThreshold:
		return Errorf(Invalid, "setting memory_dedup_threshold", "%v is above memory_update_threshold (%v); lower it",
			s.DedupThreshold, s.UpdateThreshold)
	}
	return nil
}

// Idle is a setting that is accepted and has no effect in this release.
type Idle struct{ Name, Reason string }

// IdleSettings lists the settings that do nothing yet, or not all they say, and why, so that nobody tunes them in
// vain. Those of one reason stand together.
func IdleSettings() []Idle {
	var out []Idle
	for _, x := range []struct {
		reason string
		names  []string
	}{
		{"records come from the memory tools; extraction from finished sessions is not built yet", []string{
			"memory_extraction_enabled", "memory_extraction_interval_hours", "memory_extraction_model", "memory_extraction_provider"}},
		{"the brain and its levels L1 and L2 are not built yet", []string{"brain_max_tokens", "l1_after_sessions", "l2_after_l1"}},
		{"what is loaded is kept fresh by the feed and goes when room is needed; it does not expire", []string{"affair_cache_ttl", "search_cache_ttl"}},
		{"evidence takes what the other sections leave", []string{"context_budget_search", "context_budget_longterm"}},
		{"the scores of recall compare within one question only, and it covers sessions and records alike", []string{
			"session_search_top_k", "session_search_threshold", "memory_retrieve_threshold"}},
		{"nothing is evicted yet", []string{"max_memories_per_user"}},
		{"only bounds max_tokens; the model is not held to it", []string{"context_window"}},
		{"3 acts as 2, which writes without asking; 0 refuses every write, 1 asks before each", []string{"autonomy"}},
	} {
		for _, name := range x.names {
			out = append(out, Idle{name, x.reason})
		}
	}
	return out
}

// set parses text, checks it and stores it; on an error the old value stays.
func (x setting) set(text string) error {
	if err := x.check(text); err != nil {
		return err
	}
	var err error
	switch to := x.to.(type) {
	case *int:
		*to, err = strconv.Atoi(text)
	case *float64:
		*to, err = strconv.ParseFloat(text, 64)
	case *bool:
		*to, err = strconv.ParseBool(text)
	case *time.Duration:
		*to, err = time.ParseDuration(text)
	case *string:
		*to = text
	}
	return err
}

// check says whether text is a legal value.
func (x setting) check(text string) error {
	var n float64
	var err error
	switch x.to.(type) {
	case *int:
		var i int
		i, err = strconv.Atoi(text)
		n = float64(i)
	case *float64:
		n, err = strconv.ParseFloat(text, 64)
	case *bool:
		_, err = strconv.ParseBool(text)
	case *time.Duration:
		var d time.Duration
		d, err = time.ParseDuration(text)
		n = d.Seconds()
	case *string:
		if x.allowed != nil && !slices.Contains(x.allowed, text) {
			return x.refuse(text)
		}
	}
	if err != nil || n != n || n < x.low || x.high > 0 && n > x.high {
		return x.refuse(text)
	}
	return nil
}

func (x setting) get() string {
	switch to := x.to.(type) {
	case *int:
		return strconv.Itoa(*to)
	case *float64:
		return strconv.FormatFloat(*to, 'g', -1, 64)
	case *bool:
		return strconv.FormatBool(*to)
	case *time.Duration:
		return to.String()
	case *string:
		return *to
	}
	return ""
}

func (x setting) refuse(text string) error {
	return Errorf(Invalid, "setting "+x.name, "does not accept %q; it takes %s", text, x.accepts())
}

// accepts describes the legal values in words.
func (x setting) accepts() string {
	what := "a whole number"
	switch x.to.(type) {
	case *bool:
		return "true or false"
	case *string:
		return strings.Join(x.allowed, ", ")
	case *time.Duration:
		return "a duration such as 5m or 90s"
	case *float64:
		what = "a number"
	}
	if x.high > 0 {
		return fmt.Sprintf("%s from %v to %v", what, x.low, x.high)
	}
	return fmt.Sprintf("%s from %v", what, x.low)
}

// Nearest returns the candidate that takes the fewest edits to become name; the first of equals, ""
// without candidates. For "did you mean".
func Nearest(name string, candidates []string) string {
	best, least := "", -1
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(name), c); least < 0 || d < least {
			best, least = c, d
		}
	}
	return best
}

// editDistance is Levenshtein's distance over bytes, one row at a time.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
