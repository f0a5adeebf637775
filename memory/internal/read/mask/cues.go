package mask

import (
	"embed"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

//go:embed data/*.txt
var files embed.FS

// role is what a word does beside a secret; a word may have several.
type role uint32

const (
	password role = 1 << iota
	phrase        // of several words
	recovery      // twelve or more from a list (BIP 39)
	key
	pin
	code
	login   // a name and a password follow
	loan    // announces in another language, too: that one's words, and these
	equals  // the value follows
	becomes // the value follows, if it looks like one
	with    // an announcer whose very next word is the value: "s heslem X"
	names   // what follows is a name, no secret: "network X"
	changes // before the cue: what follows "to" is the value, however it looks
	serves  // between a value and its cue, too: "use X as the password"
	owner   // stands between a value and its cue: "X is my password"
	joins   // two values
	dull    // is no value
	of      // leads to what the secret is of: "password for the router"
	fills   // stands before a value and says nothing: "is simply X"
	ends    // behind a value: another clause begins
	enters  // what follows is typed in: "type X when it asks for the password"
	when    // between what is typed in and its cue
	asks    // before a cue: nobody says the secret here
	copula  // between a plain word and its cue: "hedgehog is my password"
	thing   // what has a password, or whose it is; is none
	another // behind a value: the old or the new one follows
	whose   // endings behind what a secret is of: of a word that says whose that is
	many    // a form of an announcer that speaks of secrets at large
	slogan  // next to a cue: it is a motto or an entry, no secret
)

const (
	announcing = password | phrase | recovery | key | pin | code | login
	noValue    = dull | thing | equals | owner | password | becomes | joins // says something about a secret and is none
)

// roles returns the roles by what a line of a file calls them.
func roles() map[string]role {
	return map[string]role{
		"password": password, "phrase": phrase, "words": recovery, "key": key, "pin": pin, "code": code, "login": login, "loan": loan,
		"is": equals, "to": becomes, "with": with, "name": names, "change": changes, "as": serves, "mine": owner, "and": joins, "dull": dull,
		"of": of, "fill": fills, "ends": ends, "enter": enters, "when": when, "ask": asks, "be": copula, "thing": thing, "other": another,
		"whose": whose, "many": many, "slogan": slogan,
	}
}

// kind returns what a secret announced by a cue is called.
func (r role) kind() string {
	switch r {
	case pin:
		return "PIN"
	case code:
		return "card code"
	case key:
		return "key"
	case recovery:
		return "recovery phrase"
	default:
		return "password"
	}
}

// cue is where a text announces a secret.
type cue struct {
	start, end int
	announcer
	head, behind []word // on its line; secrets fills them
}

// announcer is a word that announces a secret.
type announcer struct {
	role role
	in   *lexicon
}

// lexicon are the words of the languages that know an announcer.
type lexicon struct {
	does map[string]role // of a word in lower case
	// Beginnings and endings of words that are no value.
	starts, ends []string
	owners       []string // endings of words that say whose something is
}

// is reports whether a word in lower case has one of some roles.
func (l *lexicon) is(word string, r role) bool { return l.does[word]&r != 0 }

// describes reports whether a word ends as those do that say what a secret is like, or what happened to it.
func (l *lexicon) describes(word string) bool {
	const shortest = 6 // letters of a word that is told by its beginning
	return isLetters(word) && (slices.ContainsFunc(l.ends, func(end string) bool { return len(word) > len(end)+1 && strings.HasSuffix(word, end) }) ||
		len(word) >= shortest && slices.ContainsFunc(l.starts, func(start string) bool { return strings.HasPrefix(word, start) }))
}

// owns reports whether a word ends as those do that say whose something is.
func (l *lexicon) owns(word string) bool {
	return slices.ContainsFunc(l.owners, func(end string) bool { return strings.HasSuffix(word, end) })
}

// add takes another language's words in, but not what it tells by beginnings and endings: those mean nothing in this one.
func (l *lexicon) add(other *lexicon) *lexicon {
	out := &lexicon{does: map[string]role{}, starts: l.starts, ends: l.ends, owners: l.owners}
	for _, from := range []*lexicon{l, other} {
		for w, r := range from.does {
			out.does[w] |= r
		}
	}
	return out
}

// announcers are the words of all languages that announce a secret, in lower case.
type announcers map[string]announcer

// knowledge is what the files say, and forms that are told apart by a pattern.
type knowledge struct {
	announcers announcers
	harmless   *regexp.Regexp // addresses, times, dates, files, public keys, codes, amounts
	account    *regexp.Regexp // names of accounts: where money is sent to (Base58Check), Twilio's
	licence    *regexp.Regexp // product keys
}

// known makes it once; what it returns never changes.
var known = sync.OnceValue(func() knowledge { //nolint:gochecknoglobals // a constant that is computed once
	const documents = `[\w\-]+\.(?:xlsx?|docx?|pptx?|pdf|txt|csv|zip|png|jpe?g|md|json|ya?ml|xml|py|go|js|ts|html?|sql|sh|log|conf|cz|com|pl|ru|eu|org|net)`
	a, _ := readAnnouncers(files) // a test reads them too
	return knowledge{
		announcers: a,
		harmless: regexp.MustCompile(`^(?:[\w.+\-]+@[\w\-]+\.[\w.\-]+|https?://.*|www\..*|` + // addresses
			`\d{1,2}:\d{2}(?::\d{2})?|\d{4}-\d{2}-\d{2}(?:T.*)?|\d{1,2}\.\d{1,2}\.(?:\d{2,4})?|` + // times and dates
			documents + `|/[\w./\-]+|ssh-(?:rsa|ed25519|dss)|AAAA[BCE][\w+/]+=*|AC[0-9a-f]{32}|` + // files, public keys, accounts
			`[A-Z]{1,6}[-_]?\d{2,}(?:[-_/]\d+)*|\d+(?:\.\d+)*(?:x|px|mm|cm|kg|km|gb|mb|kč|zł|eur|usd|%)?)$`), // codes and amounts
		account: regexp.MustCompile(`^(?:[13][1-9A-HJ-NP-Za-km-z]{25,34}|AC[0-9a-f]{32})$`),
		licence: regexp.MustCompile(`^[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3,4}$`),
	}
})

// readAnnouncers reads the words of each language; the error is a *text.ListError.
func readAnnouncers(from fs.FS) (announcers, error) {
	out := announcers{}
	var all []*lexicon
	names, err := fs.Glob(from, "data/*.txt")
	if err != nil {
		return out, err
	}

	// Each language by itself: its words, and what they announce. A word of two languages is of both.
	for _, name := range names {
		lines, err := text.ReadList(from, name)
		if err != nil {
			return out, err
		}
		l := &lexicon{does: map[string]role{}}
		for _, line := range lines {
			if err := l.take(line); err != nil {
				return out, err
			}
		}

		for w, does := range l.does {
			r := does & announcing
			if r == 0 {
				continue
			}
			if had, ok := out[w]; ok {
				out[w] = announcer{had.role, had.in.add(l)}
				continue
			}
			out[w] = announcer{r & -r, l}
		}
		all = append(all, l)
	}

	// A language may lend words to others: they are looked for in its texts too, once all announcers are known.
	for _, l := range all {
		for w, does := range l.does {
			if had, ok := out[w]; ok && does&loan != 0 {
				out[w] = announcer{had.role, had.in.add(l)}
			}
		}
	}
	return out, nil
}

// take reads one line. "_" in a word that announces is a space, which may be written in other ways too.
func (l *lexicon) take(line text.Line) error {
	r, ok := roles()[line.Key]
	if !ok {
		return line.Wrong("is of no known kind")
	}
	for _, w := range line.Words() {
		if end, ok := strings.CutPrefix(w, "*"); ok {
			l.addEnding(r, end)
			continue
		}
		if start, ok := strings.CutSuffix(w, "*"); ok {
			l.starts = append(l.starts, start)
			continue
		}
		gaps := []string{"_"}
		if r&(announcing|loan) != 0 {
			gaps = []string{" ", "_", "-", ""}
		}
		for _, gap := range gaps {
			w := strings.ReplaceAll(w, "_", gap)
			l.does[w] |= r
			if folded := text.Fold(w); folded != w { // as many write
				l.does[folded] |= r
			}
		}
	}
	return nil
}

// addEnding adds the ending of words that are no value, or that say whose something is.
func (l *lexicon) addEnding(r role, end string) {
	if r == whose {
		l.owners = append(l.owners, end)
		return
	}
	l.ends = append(l.ends, end)
	if folded := text.Fold(end); folded != end && len(folded) > 2 { // a shorter one is that of many other words
		l.ends = append(l.ends, folded)
	}
}
