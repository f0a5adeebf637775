package mask

import (
	"embed"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

//go:embed data/*.txt
var files embed.FS

// role is what a word does beside a secret.
type role string

const (
	password role = "password"
	phrase   role = "phrase" // of several words
	recovery role = "words"  // twelve or more from a list (BIP 39)
	key      role = "key"
	pin      role = "pin"
	code     role = "code"
	login    role = "login"  // a name and a password follow
	equals   role = "is"     // the value follows
	becomes  role = "to"     // the value follows, if it looks like one
	with     role = "with"   // an announcer whose very next word is the value: "s heslem X"
	names    role = "name"   // what follows is a name, no secret: "network X"
	changes  role = "change" // before the cue: what follows "to" is the value, however it looks
	serves   role = "as"     // between a value and its cue, too: "use X as the password"
	owner    role = "mine"   // stands between a value and its cue: "X is my password"
	joins    role = "and"
	dull     role = "dull" // is no value
)

// kind is what a secret announced by a cue is called.
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
}

// announcer is a word that announces a secret.
type announcer struct {
	role role
	in   *lexicon
}

// lexicon are the words of the languages that know an announcer.
type lexicon struct {
	roles map[role]map[string]bool
	ends  []string // endings of words that are no value
}

// is reports whether a word in lower case does something.
func (l *lexicon) is(word string, r role) bool { return l.roles[r][word] }

// isDull reports whether a word says something about a secret and is none.
func (l *lexicon) isDull(word string) bool {
	return l.is(word, dull) || l.is(word, equals) || l.is(word, owner) || l.is(word, password) || l.is(word, becomes) || l.is(word, joins)
}

// describes reports whether a word ends as those do that say what a secret is like, or what happened to it.
func (l *lexicon) describes(word string) bool {
	return isLetters(word) && slices.ContainsFunc(l.ends, func(end string) bool { return len(word) > len(end)+1 && strings.HasSuffix(word, end) })
}

// add takes another language's words in.
func (l *lexicon) add(other *lexicon) *lexicon {
	out := &lexicon{roles: map[role]map[string]bool{}, ends: slices.Concat(l.ends, other.ends)}
	for _, from := range []*lexicon{l, other} {
		for r, words := range from.roles {
			if out.roles[r] == nil {
				out.roles[r] = map[string]bool{}
			}
			maps.Copy(out.roles[r], words)
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
	names, err := fs.Glob(from, "data/*.txt")
	if err != nil {
		return out, err
	}
	for _, name := range names {
		lines, err := text.ReadList(from, name)
		if err != nil {
			return out, err
		}
		l := &lexicon{roles: map[role]map[string]bool{}}
		for _, line := range lines {
			if err := l.take(line); err != nil {
				return out, err
			}
		}
		for _, r := range []role{password, phrase, recovery, key, pin, code, login} {
			for w := range l.roles[r] {
				if had, ok := out[w]; ok {
					out[w] = announcer{had.role, had.in.add(l)}
					continue
				}
				out[w] = announcer{r, l}
			}
		}
	}
	return out, nil
}

// take reads one line. "_" in a word that announces is a space, which may be written in other ways too.
func (l *lexicon) take(line text.Line) error {
	r := role(line.Key)
	if l.roles[r] == nil {
		l.roles[r] = map[string]bool{}
	}
	switch r {
	case password, phrase, recovery, key, pin, code, login:
		for _, w := range line.Words() {
			for _, gap := range []string{" ", "_", "-", ""} {
				l.roles[r][strings.ReplaceAll(w, "_", gap)] = true
			}
		}
	case equals, becomes, serves, with, names, changes, owner, joins, dull:
		for _, w := range line.Words() {
			if end, ok := strings.CutPrefix(w, "*"); ok {
				l.ends = append(l.ends, end)
				continue
			}
			l.roles[r][w] = true
		}
	default:
		return line.Wrong("is of no known kind")
	}
	return nil
}
