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
