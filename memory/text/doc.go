// Package text turns what people write into what can be compared: folded spellings, tokens, stems,
// concepts and a guess of the language.
//
// A message passes through one analyzer, whatever its language:
//
//	"Kdy dorazí ta objednávka 07-14244-53150?"
//	   │ Tokens     Kdy | dorazí | ta | objednávka | 07-14244-53150     (identifiers, prices, URLs stay whole)
//	   │ Fold       kdy | dorazi | ta | objednavka | 07-14244-53150
//	   │ stop words           dorazi |      objednavka | 07-14244-53150
//	   ▼ Stem                 doraz  |      objedn     | 07-14244-53150   = Terms
//	     Concepts             delivery      order
//
// # Design
//
//   - Stemming looks at the word alone. A stemmer chosen by the message's language would cut the same word
//     differently in a long message and in a short one whose language was guessed wrong.
//   - Recall before precision: over-stemming joins a few unrelated words, under-stemming loses the affair.
//   - Stop words are the union over languages, for the same reason; languages weigh them only in Language.
//   - Concepts join different words for the same everyday matter. Ids are equal in all languages, so an
//     affair opened in Czech is found by a question in English.
//   - The lists are text files under data/, one per language, edited without touching code. They are parsed
//     once, on first use; nothing here changes afterwards, and every function is safe for concurrent use.
package text
