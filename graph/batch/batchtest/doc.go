// Package batchtest is a server that speaks as the batch services of OpenAI, Anthropic and Google do, with switches for what goes wrong with
// them.
//
//	stub := batchtest.New(func(prompt string) string { return "an answer" })
//	server := httptest.NewServer(stub)
//	service, err := batch.Open(batch.Config{Provider: "openai", BaseURL: server.URL + batchtest.Path("openai")})
//
// It keeps what it was sent in RAM, so that it outlives clients that are killed.
package batchtest
