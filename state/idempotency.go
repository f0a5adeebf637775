package state

import "context"

type idempotencyKey struct{}

// ContextWithIdempotencyKey makes key the idempotency key of the tool call, or the visit of a node, under the context.
func ContextWithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, key)
}

// IdempotencyKey names the tool call that the context belongs to, or the visit of a flow graph's node, "" outside one. It
// is the same when the call has to be made again, because the process died before its result was kept: a tool or node with
// an effect outside hands it on, so that the effect happens once.
func IdempotencyKey(ctx context.Context) string {
	key, _ := ctx.Value(idempotencyKey{}).(string)
	return key
}
