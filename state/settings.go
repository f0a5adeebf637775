package state

import (
	"time"
	_ "time/tzdata" // zones by name where the system has none
)

// Settings are the numbers of the product; the yaml names are those of the requirement documents and
// of the environment (MNEME_ + upper case, or the bare upper case). Takes says which values are legal: the texts, or the lowest
// and the highest number (0 and no bound where it says none; durations in seconds). Per says process where a value counts from the
// start of a process on, so that no client and no user has one of its own. Alias is another name that Set takes. The zero value is not
// usable: start from DefaultSettings.
type Settings struct {
	MaxTokens        int     `yaml:"max_tokens" takes:"200.."`                                  // tokens of the composed context; a long question, attachments and results of tools may go beyond it
	ContextWindow    int     `yaml:"context_window" alias:"context_window_size" takes:"1000.."` // tokens the model takes, never exceeded: prompt, tools and reply
	ReplyTokens      int     `yaml:"context_reply_tokens"`                                      // of context_window, kept for the reply; a quarter of it at most
	MaxContextChars  int     `yaml:"max_context_chars"`                                         // characters of the composed context; 0 = off
	SwitchThreshold  float64 `yaml:"switch_threshold" takes:"..1"`                              // confidence below which a change is a CONTINUE; a question aside by rule needs .65, behind a phrase (by the way) half of it
	Detect           string  `yaml:"detect" takes:"rules, model, hybrid, tool"`
	MaxToolRounds    int     `yaml:"max_tool_rounds" takes:"1..100"` // then one answer without tools
	HistoryLimit     int     `yaml:"session_history_limit" takes:"..10000"`
	SummaryWindow    int     `yaml:"sliding_summary_window" takes:"1..10000"` // messages in full before older ones are summed up
	SummaryMaxTokens int     `yaml:"sliding_summary_max_tokens" takes:"20.."`
	SummaryStrategy  string  `yaml:"summary_strategy" takes:"llm_with_fallback, heuristic_only, off"` // off: sessions are not summed up; affairs are when they are set aside, by rule
	IdleMinutes      int     `yaml:"session_idle_minutes"`
	ArchiveAfterDays int     `yaml:"archive_after_days"` // that a resolved affair stays in sight untouched; 0 = always

	Keep time.Duration `yaml:"keep" per:"process"` // that the messages, summaries and log of a session are kept after its last turn; 0 = for ever

	HotAffairsMax  int           `yaml:"hot_affairs_max" per:"process" takes:"1.."`
	HotBudgetMB    int           `yaml:"hot_budget_mb" per:"process" takes:"1.."`
	BufferBudgetMB int           `yaml:"buffer_budget_mb" per:"process" takes:"1.."`
	WarmBudgetMB   int           `yaml:"warm_budget_mb" per:"process" takes:"1.."`
	ColdBudgetMB   int           `yaml:"cold_budget_mb" per:"process" takes:"1.."`
	SearchCacheTTL time.Duration `yaml:"search_cache_ttl" per:"process"`
	AffairCacheTTL time.Duration `yaml:"affair_cache_ttl" per:"process"`

	// What sections of the context may take, in per cent of max_tokens; together not more than all.
	ShareAffair  int `yaml:"context_share_affair" takes:"..100"`  // the active affair
	ShareParked  int `yaml:"context_share_parked" takes:"..100"`  // headers of parked affairs
	ShareUser    int `yaml:"context_share_user" takes:"..100"`    // preferences and what else is known of the user
	ShareProject int `yaml:"context_share_project" takes:"..100"` // what the project knows
	ParkedMax    int `yaml:"context_parked_max"`                  // headers of parked affairs

	// What others are sure of, in tokens, but of a quarter of max_tokens at most.
	BudgetActive       int     `yaml:"context_budget_active"`        // active context: what was going on last
	BudgetAssociations int     `yaml:"context_budget_associations"`  // they get no more
	Associations       bool    `yaml:"associations"`                 // prompts show what only resembles what the message brings to mind
	AssociationGate    float64 `yaml:"association_gate" takes:"..1"` // cosine of what is attended to above which they are shown
	EvidenceFrom       int     `yaml:"context_evidence_from"`        // evidence needs more than so many tokens left

	EnableRAG              bool    `yaml:"enable_rag"` // what was said and recorded is recalled into prompts
	SessionSearchTopK      int     `yaml:"session_search_top_k" takes:"..1000"`
	SessionSearchThreshold float64 `yaml:"session_search_threshold" takes:"..1"`
	BudgetSummary          int     `yaml:"context_budget_summary"`
	BudgetRecent           int     `yaml:"context_budget_recent"`
	BudgetSearch           int     `yaml:"context_budget_search"`
	BudgetLongterm         int     `yaml:"context_budget_longterm"`
	RetrieveLimit          int     `yaml:"memory_retrieve_limit" takes:"1..1000"`
	RetrieveThreshold      float64 `yaml:"memory_retrieve_threshold" takes:"..1"`
	DedupThreshold         float64 `yaml:"memory_dedup_threshold" takes:"..1"`
	UpdateThreshold        float64 `yaml:"memory_update_threshold" takes:"..1"`
	MaxMemoriesPerUser     int     `yaml:"max_memories_per_user" takes:"1.."`
	BrainMaxTokens         int     `yaml:"brain_max_tokens"`
	L1AfterSessions        int     `yaml:"l1_after_sessions" takes:"1.."`
	L2AfterL1              int     `yaml:"l2_after_l1" takes:"1.."`
	TimeZone               string  `yaml:"time_zone" takes:"a name such as Europe/Prague"` // of the user: what he calls today, and what wall-clock times mean; see Location
	Autonomy               int     `yaml:"autonomy" takes:"..3"`                           // 0 read-only, 1 suggest, 2 auto, 3 full
	SuggestionDays         int     `yaml:"suggestion_days"`                                // that a suggestion waits for an answer; 0 = for ever
	SuggestionKeepDays     int     `yaml:"suggestion_keep_days"`                           // that an answered one is kept; 0 = for ever
	MaxSuggestionsPerUser  int     `yaml:"max_suggestions_per_user" takes:"1.."`
	TransformerMaxSeqLen   int     `yaml:"transformer_max_seq_len" per:"process" takes:"16.."`

	ExtractionEnabled  bool   `yaml:"memory_extraction_enabled"`                                  // what finished sessions say of the user is kept
	ExtractionInterval int    `yaml:"memory_extraction_interval_hours" per:"process" takes:"1.."` // from one batch to the next
	ExtractionModel    string `yaml:"memory_extraction_model" per:"process"`                      // reads finished sessions in batches; "" = the small model does, as each ends
	ExtractionProvider string `yaml:"memory_extraction_provider" per:"process" takes:"openai, anthropic, google, local"`
	EmbeddingModel     string `yaml:"embedding_model" per:"process"`    // the command opens it where it is given no embedder; a host opens its own
	EmbeddingProvider  string `yaml:"embedding_provider" per:"process"` // of embedding_model

	MaxMessageBytes int           `yaml:"max_message_bytes" takes:"1024..4194304"` // text of a message with its text parts
	DetectTimeout   time.Duration `yaml:"detect_timeout" takes:"0.001.."`          // of asking a model what a message does; then the rules decide

	ModelTimeout      time.Duration `yaml:"model_timeout" takes:"0.001.."`       // the longest that the chat model may say nothing, before its answer and within it
	SmallModelTimeout time.Duration `yaml:"small_model_timeout" takes:"0.001.."` // of one question to the small model for which no answer waits

	AnswerTimeout time.Duration `yaml:"answer_timeout"` // of one answer of the chat model, however steadily it comes; 0 = none
	TurnTimeout   time.Duration `yaml:"turn_timeout"`   // of a turn, which is then closed in order; 0 = none
	TurnTokens    int           `yaml:"turn_tokens"`    // prompts and answers of a turn, the small model's before the reply too, after which the chat model is asked no more; 0 = any number

	Durability    string `yaml:"durability" per:"process" takes:"sync, async, exit"`
	DoubleTexting string `yaml:"double_texting" takes:"reject, enqueue, interrupt, rollback"` // see DoubleTexting
	OnCancel      string `yaml:"on_cancel" takes:"close, resume"`                             // see OnCancel

	ToolTimeout     time.Duration `yaml:"tool_timeout" takes:"0.001.."`             // of one call of a tool that states no time of its own
	ToolResultBytes int           `yaml:"tool_result_bytes" takes:"1024..16777216"` // a longer result is an error for the model
	ToolAttempts    int           `yaml:"tool_attempts" takes:"1..100"`             // how often a call is begun before it is given up, over restarts
	ParallelTools   int           `yaml:"parallel_tools" takes:"1..256"`            // calls of one answer that run side by side
}

// DefaultSettings is what holds when nothing is set.
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

// Location is the zone of time_zone, UTC where it has none that is known.
func (s Settings) Location() *time.Location {
	at, err := time.LoadLocation(s.TimeZone)
	if err != nil {
		return time.UTC
	}
	return at
}

// PromptTokens is what of context_window is left for a prompt and the descriptions of its tools: all but what is kept for the reply.
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
