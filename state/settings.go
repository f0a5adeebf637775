package state

import (
	"time"
	_ "time/tzdata" // zones by name where the system has none
)

// Settings are the numbers of the product; the yaml names are those of the requirement documents and
// of the environment (MNEME_ + upper case, or the bare upper case). Takes says which values are legal: the texts, or the lowest
// and the highest number (0 and no bound where it says none; durations in seconds). Per says process where a value counts from the
// start of a process on, so that no client and no user has one of its own. Alias is another name that Set takes. Says is what the setting is, and
// Idle why it has no effect yet. The zero value is not usable: start from DefaultSettings.
type Settings struct {
	MaxTokens        int     `yaml:"max_tokens" takes:"200.." says:"tokens that memory adds to a prompt; the whole prompt keeps to it too, unless question, files or results of tools need more"`
	ContextWindow    int     `yaml:"context_window" alias:"context_window_size" takes:"1000.." says:"tokens of all that is sent to the model, descriptions of tools included; never exceeded"`
	ReplyTokens      int     `yaml:"context_reply_tokens" says:"of context_window kept for the reply; a quarter of it at most"`
	MaxContextChars  int     `yaml:"max_context_chars" says:"characters of what memory adds to a prompt; 0 = any number"`
	SwitchThreshold  float64 `yaml:"switch_threshold" takes:"..1" says:"how sure a change of affair must be, else the turn goes on with the affair at hand; a question that asks for information needs two thirds of it (.46 of .7), a question aside .55"`
	Detect           string  `yaml:"detect" takes:"rules, model, hybrid, tool" says:"who decides which affair a message is about: rules; model (asked about each message); hybrid, the model where the rules are unsure; tool, the rules, and the answering model puts them right by switch_affair. See memory/README.md"`
	MaxToolRounds    int     `yaml:"max_tool_rounds" takes:"1..100" says:"answers with tool calls in a turn; then one without tools"`
	HistoryLimit     int     `yaml:"session_history_limit" takes:"..10000" says:"messages of the window"`
	SummaryWindow    int     `yaml:"sliding_summary_window" takes:"1..10000" says:"messages that are summed up at a time when they leave the window"`
	SummaryMaxTokens int     `yaml:"sliding_summary_max_tokens" takes:"20.." says:"tokens of a summary"`
	SummaryStrategy  string  `yaml:"summary_strategy" takes:"llm_with_fallback, heuristic_only, off" says:"who sums up: the small model with the rules behind it (llm_with_fallback), the rules (heuristic_only), nobody (off); what is set aside is summed up by rule even then"`
	IdleMinutes      int     `yaml:"session_idle_minutes" says:"minutes of silence that end a session and park what was active"`
	ArchiveAfterDays int     `yaml:"archive_after_days" says:"days that a resolved affair stays in sight untouched; 0 = always"`

	Keep time.Duration `yaml:"keep" per:"process" says:"how long a session (messages, summaries, log) is kept after its last turn, 0 = for ever; what was learnt stays. By mneme resume and Graph.Sweep it goes"`

	HotAffairsMax  int           `yaml:"hot_affairs_max" per:"process" takes:"1.." says:"affairs of a user that are held whole; of the others there is what they are recognised by"`
	HotBudgetMB    int           `yaml:"hot_budget_mb" per:"process" takes:"1.." says:"MB of RAM for affairs that are held whole"`
	BufferBudgetMB int           `yaml:"buffer_budget_mb" per:"process" takes:"1.." says:"MB of RAM for texts that wait for their vectors"`
	WarmBudgetMB   int           `yaml:"warm_budget_mb" per:"process" takes:"1.." says:"MB of RAM for what else is held of users, such as word indexes"`
	ColdBudgetMB   int           `yaml:"cold_budget_mb" per:"process" takes:"1.." says:"MB of RAM for vectors of the local index"`
	SearchCacheTTL time.Duration `yaml:"search_cache_ttl" per:"process" idle:"what is loaded is kept fresh by the feed and goes when room is needed; it does not expire" says:"how long what was found is held"`
	AffairCacheTTL time.Duration `yaml:"affair_cache_ttl" per:"process" idle:"what is loaded is kept fresh by the feed and goes when room is needed; it does not expire" says:"how long an affair is held"`

	ShareAffair  int `yaml:"context_share_affair" takes:"..100" says:"per cent of max_tokens for the active affair"`
	ShareParked  int `yaml:"context_share_parked" takes:"..100" says:"per cent of max_tokens for headers of parked affairs"`
	ShareUser    int `yaml:"context_share_user" takes:"..100" says:"per cent of max_tokens for preferences and what else is known of the user"`
	ShareProject int `yaml:"context_share_project" takes:"..100" says:"per cent of max_tokens for what the project knows; the shares are not more than 100 together"`
	ParkedMax    int `yaml:"context_parked_max" says:"headers of parked affairs"`

	BudgetActive       int     `yaml:"context_budget_active" says:"tokens for what was going on last; as each other budget it is a quarter of max_tokens at most"`
	BudgetAssociations int     `yaml:"context_budget_associations" says:"tokens for what only resembles the message; it gets no more"`
	Associations       bool    `yaml:"associations" says:"whether a prompt is given what only resembles what the message brings to mind"`
	AssociationGate    float64 `yaml:"association_gate" takes:"..1" says:"the cosine from which on associations are shown"`
	EvidenceFrom       int     `yaml:"context_evidence_from" says:"tokens that must be left before anything recalled is shown"`

	EnableRAG              bool    `yaml:"enable_rag" says:"whether what was said and recorded is recalled into prompts"`
	SessionSearchTopK      int     `yaml:"session_search_top_k" takes:"..1000" says:"messages that a prompt gets of the whole session, where the message points back or little else is known; 0 = none"`
	SessionSearchThreshold float64 `yaml:"session_search_threshold" takes:"..1" says:"share of the best possible score from which on something found in the session enters a prompt"`
	BudgetSummary          int     `yaml:"context_budget_summary" says:"tokens that the summary of the session is sure of"`
	BudgetRecent           int     `yaml:"context_budget_recent" says:"tokens that the last messages are sure of"`
	BudgetSearch           int     `yaml:"context_budget_search" says:"tokens that what is found in the session is sure of"`
	BudgetLongterm         int     `yaml:"context_budget_longterm" says:"tokens that what is found of long ago is sure of"`
	RetrieveLimit          int     `yaml:"memory_retrieve_limit" takes:"1..1000" says:"answers of a recall that names no number"`
	RetrieveThreshold      float64 `yaml:"memory_retrieve_threshold" takes:"..1" says:"share of the best possible score from which on something found enters a prompt"`
	DedupThreshold         float64 `yaml:"memory_dedup_threshold" takes:"..1" says:"likeness from which on a write may refine a record"`
	UpdateThreshold        float64 `yaml:"memory_update_threshold" takes:"..1" says:"likeness from which on a write says the same as a record"`
	MaxMemoriesPerUser     int     `yaml:"max_memories_per_user" takes:"1.." says:"records that hold; what is over goes into the archive, the least important first"`
	BrainMaxTokens         int     `yaml:"brain_max_tokens" says:"tokens of what is known of the user for good"`
	L1AfterSessions        int     `yaml:"l1_after_sessions" takes:"1.." says:"sessions that are summed up as one"`
	L2AfterL1              int     `yaml:"l2_after_l1" takes:"1.." says:"sums of sessions that are summed up as one"`
	TimeZone               string  `yaml:"time_zone" takes:"a name such as Europe/Prague" says:"where the user is, as Europe/Prague: what day it is in prompts, and what wall-clock times of tasks mean"` // see Location
	Autonomy               int     `yaml:"autonomy" takes:"..3" says:"0 memory is read-only, 1 what would change it waits for its user, 2 it is written, 3 it is put in order too"`
	SuggestionDays         int     `yaml:"suggestion_days" says:"days that a suggestion waits for an answer; 0 = for ever"`
	SuggestionKeepDays     int     `yaml:"suggestion_keep_days" says:"days that a suggestion is kept that was answered, or is over; 0 = for ever"`
	MaxSuggestionsPerUser  int     `yaml:"max_suggestions_per_user" takes:"1.." says:"suggestions that may wait; what more is asked for is refused, and said so"`
	TransformerMaxSeqLen   int     `yaml:"transformer_max_seq_len" per:"process" takes:"16.." says:"tokens of a text that an embedder takes at once"`

	ExtractionEnabled  bool   `yaml:"memory_extraction_enabled" says:"whether what finished sessions say of the user is kept"`
	ExtractionInterval int    `yaml:"memory_extraction_interval_hours" per:"process" takes:"1.." says:"hours from one batch to the next"`
	ExtractionModel    string `yaml:"memory_extraction_model" per:"process" says:"who reads finished sessions in batches; none = the small model, as each ends"`
	ExtractionProvider string `yaml:"memory_extraction_provider" per:"process" takes:"openai, anthropic, google, local" says:"where memory_extraction_model is: openai, anthropic, google, or local, which asks the small model"`
	EmbeddingModel     string `yaml:"embedding_model" per:"process" says:"the embedder, where the option embedder names none; a host opens its own"`
	EmbeddingProvider  string `yaml:"embedding_provider" per:"process" says:"of embedding_model"`

	MaxMessageBytes int           `yaml:"max_message_bytes" takes:"1024..4194304" says:"bytes of a message; a longer one is refused, and one that does not fit a prompt is shown by its ends"`
	DetectTimeout   time.Duration `yaml:"detect_timeout" takes:"0.001.." says:"how long a model is asked what a message does; then the rules decide"`

	ModelTimeout      time.Duration `yaml:"model_timeout" takes:"0.001.." says:"the longest silence of the chat model, before its answer and within it"`
	SmallModelTimeout time.Duration `yaml:"small_model_timeout" takes:"0.001.." says:"the longest that the small model may take behind an answer"`

	AnswerTimeout time.Duration `yaml:"answer_timeout" says:"the longest answer, however steadily it comes; 0 = any"`
	TurnTimeout   time.Duration `yaml:"turn_timeout" says:"the longest turn, which is closed in order then; 0 = any"`
	TurnTokens    int           `yaml:"turn_tokens" says:"tokens of a turn, the small model's before the reply too, after which its model is asked no more; 0 = any number"`

	Durability    string `yaml:"durability" per:"process" takes:"sync, async, exit" says:"when a step is on disk: sync, async (while the next runs), exit (at the end of the turn)"`
	DoubleTexting string `yaml:"double_texting" takes:"reject, enqueue, interrupt, rollback" says:"a second message during a turn: reject, enqueue, interrupt, rollback"`                                  // see DoubleTexting
	OnCancel      string `yaml:"on_cancel" takes:"close, resume" says:"a turn whose caller is gone: close it in order (one with a message id: left to be sent again), or resume it with the next message"` // see OnCancel

	ToolTimeout     time.Duration `yaml:"tool_timeout" takes:"0.001.." says:"the longest call of a tool that states no time of its own"`
	ToolResultBytes int           `yaml:"tool_result_bytes" takes:"1024..16777216" says:"bytes of a result of a tool; a longer one is an error for the model"`
	ToolAttempts    int           `yaml:"tool_attempts" takes:"1..100" says:"how often a call is begun before it is given up, over restarts"`
	ParallelTools   int           `yaml:"parallel_tools" takes:"1..256" says:"calls of one answer that run side by side"`
}

// DefaultSettings returns what holds when nothing is set.
func DefaultSettings() Settings {
	return Settings{
		MaxTokens: 8000, ContextWindow: 48000, ReplyTokens: 4000, SwitchThreshold: 0.7, Detect: "hybrid", MaxToolRounds: 8,
		HistoryLimit: 12, SummaryWindow: 6, SummaryMaxTokens: 500, SummaryStrategy: "llm_with_fallback", IdleMinutes: 30, ArchiveAfterDays: 30,
		HotAffairsMax: 100, HotBudgetMB: 100, BufferBudgetMB: 50, WarmBudgetMB: 500, ColdBudgetMB: 2000,
		SearchCacheTTL: 5 * time.Minute, AffairCacheTTL: 10 * time.Minute,
		ShareAffair: 40, ShareParked: 10, ShareUser: 15, ShareProject: 10, ParkedMax: 5,
		BudgetActive: 300, BudgetAssociations: 100, AssociationGate: .3, EvidenceFrom: 500,
		EnableRAG: true, SessionSearchTopK: 3, SessionSearchThreshold: 0.5,
		BudgetSummary: 500, BudgetRecent: 600, BudgetSearch: 300, BudgetLongterm: 300,
		RetrieveLimit: 5, RetrieveThreshold: 0.6, DedupThreshold: 0.85, UpdateThreshold: 0.95, MaxMemoriesPerUser: 1000,
		BrainMaxTokens: 500, L1AfterSessions: 5, L2AfterL1: 5, TimeZone: "UTC", Autonomy: 2, SuggestionDays: 30, SuggestionKeepDays: 90, MaxSuggestionsPerUser: 200, TransformerMaxSeqLen: 512,
		ExtractionEnabled: true, ExtractionInterval: 24, ExtractionProvider: "openai", EmbeddingProvider: "openai",
		MaxMessageBytes: 4 << 20, DetectTimeout: 5 * time.Second, ModelTimeout: 2 * time.Minute, SmallModelTimeout: 20 * time.Second, AnswerTimeout: 10 * time.Minute,
		Durability: "sync", DoubleTexting: "reject", OnCancel: "close",
		ToolTimeout: time.Minute, ToolResultBytes: 1 << 20, ToolAttempts: 3, ParallelTools: 8,
	}
}

// Location returns the zone of time_zone, UTC where it has none that is known.
func (s Settings) Location() *time.Location {
	at, err := time.LoadLocation(s.TimeZone)
	if err != nil {
		return time.UTC
	}
	return at
}

// PromptTokens returns what of context_window is left for a prompt and the descriptions of its tools: all but what is kept for the reply.
func (s Settings) PromptTokens() int {
	const most = 4 // a reply gets one of so many parts of the window at most
	return s.ContextWindow - min(s.ReplyTokens, s.ContextWindow/most)
}

// Batched reports whether parts of sessions that are over wait for a batch, in place of asking the small model as each ends.
func (s Settings) Batched() bool {
	return s.ExtractionEnabled && (s.ExtractionModel != "" || s.ExtractionProvider == LocalProvider)
}

// LocalProvider is the memory_extraction_provider that asks the small model, one part after the other, and needs no model's name.
const LocalProvider = "local"

// OnCancel says what happens to a turn whose caller gives up (its deadline is over, it cancels, or it stops reading the stream) or whose
// graph is closed. It is not asked where a turn is ended on purpose: by Cancel, or by a message that interrupts.
type OnCancel string

// The policies, without a type: they fit Settings.OnCancel too.
const (
	// CloseOnCancel closes a turn that nobody can ask for again: what was answered so far is kept and marked as cut. One with a message id
	// stays unfinished until that message is sent again, which goes on with it, or another one, which closes it as cut and asks no model.
	CloseOnCancel  = "close"
	ResumeOnCancel = "resume" // every turn stays unfinished, and the session's next message finishes it first
)

// DoubleTexting says what happens to a message that comes while the session's turn before it still runs.
type DoubleTexting string

// The policies, in LangGraph's words and without a type: they fit a Request and Settings.DoubleTexting.
const (
	RejectTexting    = "reject"    // it is refused: ErrConflict
	EnqueueTexting   = "enqueue"   // it waits; messages are answered in the order they came
	InterruptTexting = "interrupt" // the turn ends without an answer, and what it did stays
	RollbackTexting  = "rollback"  // the turn ends and is taken back
)
