package semconv

// Attributes of a command to a database.
const (
	DBSystemName         = "db.system.name"
	DBNamespace          = "db.namespace"
	DBCollectionName     = "db.collection.name"
	DBOperationName      = "db.operation.name"
	DBResponseStatusCode = "db.response.status_code"
)

// Attributes of a call of a model, a tool, a retriever or a workflow.
const (
	GenAIOperationName  = "gen_ai.operation.name" // one of the operations below
	GenAIRequestModel   = "gen_ai.request.model"
	GenAIConversationID = "gen_ai.conversation.id" // the session
	GenAIWorkflowName   = "gen_ai.workflow.name"
	GenAIToolName       = "gen_ai.tool.name"
	GenAITokenType      = "gen_ai.token.type" // TokensIn, TokensOut
	GenAIInputTokens    = "gen_ai.usage.input_tokens"
	GenAIOutputTokens   = "gen_ai.usage.output_tokens"
	GenAIInput          = "gen_ai.input.messages"  // only where texts are asked for
	GenAIOutput         = "gen_ai.output.messages" // only where texts are asked for
	ErrorType           = "error.type"             // the code of the error
)

// Attributes of a turn. Those that the conventions have no word for are ours.
const (
	UserID   = "user.id"
	Client   = "mneme.client"
	Turn     = "mneme.turn"
	Message  = "mneme.message" // id of the user's
	Decision = "mneme.decision"
	Affair   = "mneme.affair" // id of the one that the decision names
)

// Values of GenAIOperationName.
const (
	Chat           = "chat"
	ExecuteTool    = "execute_tool"
	Retrieval      = "retrieval"
	InvokeWorkflow = "invoke_workflow"
)

// Values of GenAITokenType.
const (
	TokensIn  = "input"
	TokensOut = "output"
)

// Names of metrics: histograms of seconds and of tokens.
const (
	OperationDuration = "gen_ai.client.operation.duration"
	TokenUsage        = "gen_ai.client.token.usage"
)

// DurationBounds returns the bounds of OperationDuration's buckets, in seconds, as the conventions advise.
func DurationBounds() []float64 {
	return []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
}

// TokenBounds returns the bounds of TokenUsage's buckets, as the conventions advise.
func TokenBounds() []float64 {
	return []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
}
