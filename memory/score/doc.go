// Package score measures detection on labelled conversations, and masking on labelled texts (Masking).
//
//	figures, err := score.Evaluate(ctx, file, score.Options{}) // JSON lines; detection by words alone
//	masked, err := score.Masking(file, nil)
//
// Every user message is classified by the detector the product uses, seeing only what was said before, or decided about by
// the whole product (Options.Product): rules, a model where they are unsure, vectors, titles and facts of affairs;
// then the gold affair is enforced, so one mistake does not spoil the rest (Options.Free lives with the
// own decisions instead).
//
//	{"conversation","id","role","text","gold"} lines ──► conversations ──► Classify, or Memory.Turn().Detect ──► outcomes ──► Figures
package score

// Design:
//
//   - Two sets of figures from one pass: at the threshold, and the most probable decision (argmax).
//   - Where the product decides, gold is enforced by its own means: the turn is carried out with gold as the decision. The
//     model is asked nothing but the decision, and the ids of affairs are the labels of the file.
//   - The first message of a conversation counts in no figure: there is nothing it could go on with.
//   - Files whose gold knows no AD_HOC count a predicted one as a SWITCH to its target, or as CONTINUE
//     when it has none, so that data without the class can be used.
//   - A change, for the boundary figures, is SWITCH or NEW_AFFAIR: a question aside moves nothing.
