// Package transcript hands a session out: as data, and as a scenario that mneme replay plays.
//
//	whole, err := transcript.WholeOf(ctx, g, scope)
//	if err != nil {
//		return err
//	}
//	text, err := transcript.Scenario(ctx, g, scope)
//	err = os.WriteFile("work.yaml", text, 0o600)
package transcript

// Design:
//
//   - The command line and the service hand out the same: both call this.
//   - What was said is read where it is kept today, with marks in the place of what was forgotten and without what was taken back; what was decided is in
//     the log. A turn that was taken back has no decision either, and turns whose log was pruned, or stayed with the session that this one was forked from, have none.
//   - A scenario has the model's answers beside the messages, so that it is played without a model and comes to the same. What the format has no key for is
//     left out: attachments, answers to questions, ends of the session's parts.
