// Package extract tells what of a finished part of a session is worth keeping about the user, by rules and without a model: who he is,
// what he likes, what he decided for good, what he works on, what he corrected and what he wants forgotten.
//
//	for _, f := range extract.Facts([]string{"Hi! I work as a nurse.", "From now on keep answers short."}, "en") {
//		fmt.Println(f.Label, f.Subject, f.Content) // CORE job nurse, then DECISION rule From now on keep answers short
//	}
package extract

// Design:
//
//		messages ──► sentences ──► refused? ──► patterns of the language ──► facts ──► merged: the later wins, twice is once ──► the 8 best
//
//	  - A wrong fact stands in the brain for months, a missed one is said again. So a sentence that asks, supposes, quotes, reports what
//	    another person said, jokes or speaks of the past gives nothing, and a pattern asks for the first person.
//
//	  - What personal.Find knows is taken from there; the patterns here add likes, rules, work in hand, corrections and wishes to forget.
//
//	  - A language is a file, data/LANG.txt. A line in capitals is a kind of fact: LABEL=subject: a text.Pattern and how its content goes on. A
//	    line in small letters is what words do. A new language is a new file.
//
//	  - A value that is new is told by its subject, not by likeness: "I moved to Leeds" ends the address in Bristol. What people have several of
//	    (a bank, a project) is one only where they say that it changed: "my bank is now ...". Of two rules the later holds that says "never" of
//	    what the other says "always" of, or the same with another number (Overrules).
//
//	  - A change of mind often does not say what of: "I sold the Fiesta, we have a Golf now". What is known of the user tells it by the value
//	    that ends, if words that end something stand beside it and another clause says how it is now (contrast.go). A person has no end.
//
//	  - What users have one of at a time is listed by classes of words (%thing, %matter, %class=slot), and frames hold for all of a class. A
//	    word such as "work" before a thing makes it another thing.
//
//	  - Importance is the strongest of signals a person can check: a correction or "remember" is 10, personal information and what is repeated 8,
//	    a rule and work in hand 6. Matters of one day, moods and technical detail are not returned.
//
// Content goes on so: V until the clause ends, N the same where it begins with a capital or a number, S until the sentence ends; in small
// letters with the matched words before it; without a letter it is the words of ~ places, or all that was matched. A subject with ! behind it
// has one value at a time: the later one replaces the earlier, of earlier sessions too (Fact.One, Slot); @ in a subject stands for the word at the place @,
// and alone for the thing that it means. M is the content of ~ places that begins with a capital; a comma behind a subject
// lets the pattern go on behind a sign. + and - behind it are liking and disliking, of which the later holds too.
