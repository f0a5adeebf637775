// Package text turns what people write into what can be compared: folded spellings, tokens, stems,
// concepts, kindred words, and what ranking asks of a message or a question.
//
// A message passes through one analyzer, whatever its language:
//
//	"Kdy dorazí ta objednávka 07-14244-53150?"
//	   │ Tokens     Kdy | dorazí | ta | objednávka | 07-14244-53150     (identifiers, prices, URLs stay whole)
//	   │ Fold       kdy | dorazi | ta | objednavka | 07-14244-53150
//	   │ stop words           dorazi |      objednavka | 07-14244-53150
//	   ▼ Stem                 doraz  |      objedn     | 07-14244-53150   = Terms
//	     Concepts             delivery      order                         wide domains, for telling affairs apart
//	     Related              dojet, …      zakázka, …                    near synonyms and translations, for recall
//
// Beside the words stand traits: TraitsOf reads a message once, when it is written (questions, time expressions,
// standing instructions, preferences); AskedBy reads a question (asks for a time, names a date).
package text

// Design:
//
//   - Stemming looks at the word alone. A stemmer chosen by the message's language would cut the same word
//     differently in a long message and in a short one whose language was guessed wrong.
//   - Recall before precision: over-stemming joins a few unrelated words, under-stemming loses the affair. Both are
//     measured on tables in testdata: at least 95 of 100 forms find their dictionary form, at most 3 of 100
//     look-alikes collide.
//   - Rules stem what is regular; irregular.txt holds what is not, and irregular_en.txt the English words, which
//     only words without marks are looked up in. Marks decide between words of the same letters (nůž, noze) when
//     they are written; a word without them still finds its family.
//   - An English word is known by english.txt or by its shape. What is neither goes to the Slavic rules, which do
//     little harm to it, while Porter's rules would ruin Czech and Polish; its plural and past tense go there as Porter's stem,
//     so that they meet the word.
//   - A word stops that is a stop word of a language which the text is in, by what its other words say, so that "pod" of an English text
//     is kept and that of a Czech one is not. Where nothing tells the language, say in a text of one word, those of all languages stop.
//   - A word with a capital letter inside a sentence is a name and does not stop, but for polite words (I, Sie, Вы), nor do letters and
//     acronyms; in titles and in what is shouted capitals tell nothing. At a sentence's beginning only words do that the lists mark (Tom).
//   - Chinese and Japanese have no spaces: each sign is a token, and what is looked for is found by its signs.
//   - A picture (emoji) is no token, for grammar knows none. Who ranks or compares asks for Emoji.
//   - Concepts join different words for the same everyday matter. Ids are equal in all languages, so an
//     affair opened in Czech is found by a question in English.
//   - Kin are stored as stems, made by a test from the word lists (go test ./memory/internal/read/text -run Fresh -update),
//     because stemming thirty thousand words at start takes longer than a turn. The same test fails when they are stale.
//   - Phrases and dates of all languages are looked for at once: a message need not tell its language.
//   - There is one kind of Pattern for fixed expressions. What phrases mean (traits_LANG.txt), what a message does (package detect) and what
//     people say of themselves (package personal) are lists of them.
//   - A language is its files. What its words look like is one of them, shape_LANG.txt, and makes it known; the other lists may be short.
//   - What has more than 512 bytes is no word, but may be an identifier or an address: it is known by its first 512. So no text
//     takes more time than in proportion to its length, whatever it is made of.
//   - The lists are text files under data/, one per language, edited without touching code. They are parsed
//     once, on first use; nothing here changes afterwards, and every function is safe for concurrent use.
