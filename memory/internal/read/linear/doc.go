// Package linear has linear models over hashed signs: what stands in a text, a word, two in a row, adds to what each of its outcomes scores.
//
//	var s linear.Signs
//	s.Add('w', "forget")
//	s.Add('b', "forget", "it")
//	scores := model.Sum(s, linear.Counted)
//
// A sign is known by its hash alone (Weinberger et al., Feature Hashing for Large Scale Multitask Learning, 2009). Fit makes a model of labelled lessons,
// Write and Read keep it in a file. A Model is read only: safe for concurrent use.
package linear
