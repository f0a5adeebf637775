package embed

import (
	"context"
	"errors"
	"math"

	"github.com/mneme-graph/mneme/state"
)

// errSlow is wrapped by the error of a call that was given up for its length, here or by the model's client.
var errSlow = errors.New("took too long")

// ask has the model embed windows, batch by batch, in smaller ones when one takes too long. The vectors are of unit length.
func (e *Embedder) ask(ctx context.Context, windows []string) ([][]float32, error) {
	out := make([][]float32, 0, len(windows))
	for most := e.Pace().Batch; len(windows) > 0; {
		n := min(most, len(windows))
		vectors, err := e.batch(ctx, windows[:n])
		if errors.Is(err, errSlow) && n > 1 {
			most = n / 2
			continue
		}
		if err != nil {
			return nil, err
		}
		out, windows = append(out, vectors...), windows[n:]
	}
	return out, nil
}

// batch asks the model once; if it finds a window too long, again with half of them, down to halves of that one window.
func (e *Embedder) batch(ctx context.Context, windows []string) ([][]float32, error) {
	// All windows at once, which is what nearly always does.
	answer, err := e.call(ctx, windows)
	if err == nil {
		return e.checked(answer, len(windows))
	}
	if !errors.Is(err, ErrTooLong) || ctx.Err() != nil {
		return nil, err
	}

	// One of several is too long: the halves find out which.
	if n := len(windows) / 2; n > 0 {
		first, err := e.batch(ctx, windows[:n])
		if err != nil {
			return nil, err
		}
		second, err := e.batch(ctx, windows[n:])
		return append(first, second...), err
	}

	// One window alone is cut in two; its vector is pooled from both.
	first, second, ok := halves(windows[0])
	if !ok {
		return nil, err
	}
	parts := []string{first, second}
	vectors, err := e.batch(ctx, parts)
	if err != nil {
		return nil, err
	}
	v, err := e.pool(vectors, parts)
	return [][]float32{v}, err
}

// call asks the model once a seat is free.
func (e *Embedder) call(ctx context.Context, texts []string) ([][]float64, error) {
	// The seat keeps the number of calls at a time within what the model takes.
	op := "embedder " + e.c.Name
	if err := ctx.Err(); err != nil {
		return nil, state.Errorf(state.Unavailable, op, "was not asked: %w", err)
	}
	select {
	case e.seats <- struct{}{}:
		defer func() { <-e.seats }()
	case <-ctx.Done():
		return nil, state.Errorf(state.Unavailable, op, "did not get to it in time: %w", ctx.Err())
	}

	// The call has a time of its own, and its duration tells how many texts the next one may have.
	within, cancel := context.WithTimeout(ctx, e.c.Call)
	defer cancel()
	began := e.c.Now()
	answer, err := e.c.Model.EmbedStrings(within, texts)
	if err == nil {
		e.answered(len(texts), e.c.Now().Sub(began))
		return answer, nil
	}

	// The caller's deadline is his own affair; a call that was too slow makes the next ones smaller.
	var timeout interface{ Timeout() bool }
	if ctx.Err() == nil && (within.Err() != nil || errors.As(err, &timeout) && timeout.Timeout()) {
		e.gaveUp(len(texts))
		return nil, state.Errorf(state.Unavailable, op, "%w: %d texts, %s at most: %w", errSlow, len(texts), e.c.Call, err)
	}

	// An error without a code, or an internal one, may pass: the model is only out of reach.
	var typed *state.Error
	if !errors.As(err, &typed) || typed.Code == state.Internal {
		return nil, state.Errorf(state.Unavailable, op, "did not answer: %w", err)
	}
	out := state.Errorf(typed.Code, op, "did not answer: %w", err)
	out.RetryAfter = typed.RetryAfter
	return nil, out
}

// checked turns an answer into unit vectors, or says what is wrong with it. Only a sound answer settles the dimension.
func (e *Embedder) checked(answer [][]float64, texts int) ([][]float32, error) {
	op := "embedder " + e.c.Name
	if len(answer) != texts {
		return nil, state.Errorf(state.Unavailable, op, "answered with %d vectors for %d texts", len(answer), texts)
	}
	out := make([][]float32, len(answer))
	for i, v := range answer {
		if len(v) != len(answer[0]) || len(v) == 0 {
			return nil, state.Errorf(state.Unavailable, op, "answered with a vector of %d dimensions beside one of %d", len(v), len(answer[0]))
		}
		unit, ok := normalised(v)
		if !ok {
			return nil, state.Errorf(state.Unavailable, op, "answered with a vector that is zero, or holds NaN or infinity")
		}
		out[i] = unit
	}
	if err := e.settle(len(answer[0])); err != nil {
		return nil, err
	}
	return out, nil
}

// settle takes the dimension of the first answer, and refuses any other.
func (e *Embedder) settle(dim int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dim == 0 {
		e.dim = dim
	}
	if dim != e.dim {
		return state.Errorf(state.Conflict, "embedder "+e.c.Name, "answered with %d dimensions instead of %d; if the model was changed, "+
			"give it another name and run `mneme reindex`", dim, e.dim)
	}
	return nil
}

// pool returns the mean of the windows' vectors, weighted by their length and brought to unit length.
func (e *Embedder) pool(vectors [][]float32, windows []string) ([]float32, error) {
	if len(vectors) == 1 {
		return vectors[0], nil
	}
	sum := make([]float64, len(vectors[0]))
	for i, v := range vectors {
		weight := float64(len(windows[i]))
		for j, x := range v {
			sum[j] += weight * float64(x)
		}
	}
	v, ok := normalised(sum)
	if !ok {
		return nil, state.Errorf(state.Unavailable, "embedder "+e.c.Name, "answered with vectors that cancel out")
	}
	return v, nil
}

// normalised is v at unit length; ok is false if it has no direction. It is scaled first, so that squares of very
// small or great numbers do not vanish or overflow.
func normalised(v []float64) (unit []float32, ok bool) {
	top := 0.0
	for _, x := range v {
		top = max(top, math.Abs(x)) // NaN if one is
	}
	if top == 0 || math.IsNaN(top) || math.IsInf(top, 0) {
		return nil, false
	}
	sum := 0.0
	for _, x := range v {
		sum += (x / top) * (x / top)
	}
	length := math.Sqrt(sum)
	unit = make([]float32, len(v))
	for i, x := range v {
		unit[i] = float32(x / top / length)
	}
	return unit, true
}
