// Package detect answers one question from words alone: which affair is this message about?
//
// A History takes in what was said, by affair, in terms instead of texts; those of a user's sessions share it. A Detector holds committed trees and weights
// and the cue phrases of five languages. Classify compares the next message with the active affair, with the
// best of the others and with everything said so far, and answers with a decision, its confidence, the
// probabilities of all four kinds and the reasons.
//
//	message ──► tokens, stems, roots, pairs, domains      cue phrases ("by the way", "back to")
//	               │                                           │ fixed weights
//	History ──► match with every affair ──► target ──► features ──► forest ──► P(goes on | turns to an affair | asks about it | opens | remarks)
//	                                                                               │
//	                                          two steps: does it leave, where to ──► CONTINUE SWITCH AD_HOC NEW_AFFAIR
package detect

// Design:
//
//   - What a message does is judged by small boosted trees: with 10,000 labelled messages they are right on a quarter to a third of what a sum of the same features
//     gets wrong, for a few microseconds. Which affair it would be, and talk among people, are sums: there is less to learn from.
//   - What stems count is learnt too (data/common.txt): one that is said in many conversations, whatever they are about, tells little, also the first time a user says it.
//   - What was said and is told of affairs is there once for all sessions of a user, in terms; of a session there are only its last
//     messages and the current affair. Of a long message the first 16 KB are read.
//   - Features never count affairs, nor turns since the last change: they would learn how test conversations
//     were cut, not how people talk. The length of an affair counts only up to some sentences.
//   - How people talk shifts the judgement (History.style, manners): who asks for information says little in other words
//     than before; who tells and orders brings news. People among themselves have weights of their own: whether they
//     leave what they talked of shows in who asks what, more than in words.
//   - Cues have fixed weights, which the trees start from. They are rare in data and decisive in talk, so they are not left to the data.
//   - Two steps: does the message leave, by what an older affair and a new one have together, and where to. Leaving needs the
//     threshold: a wrong park costs more than a missed switch. What begins a session, or says that it leaves, needs to be only as likely as staying.
//     A question aside changes nothing and needs less, above all with a phrase that says so.
//   - Nothing in common, no target: neither word nor root nor a good part of what a message is about.
//   - What stands behind the first sentence is compared apart: "Yes. And what of the roof?" answers, and leaves.
//   - The words that a message opens with are learnt from what people write, those that open many messages; they are no list that somebody keeps.
//   - Orders to the memory, introductions, wishes on manner and small talk are about no affair, whatever their words.
//   - Each style has its own calibration and its own operating point of the threshold: who asks for information changes
//     the subject more often than who tells, for the same false parks.
//   - The confidence of a decision is how often such a decision was right in dialogues that the fit did not see
//     (calibration). It is less than the fitted probability, which the threshold is for.
//   - Weights and phrases are data files: data/README.md says how they are written and fitted.
