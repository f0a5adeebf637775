package mask

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/linear"
)

//go:embed data/*.bin
var files embed.FS

// The models are read on first use.
var (
	gate = sync.OnceValue(func() *linear.Model { return linear.MustRead(files, "data/gate.bin") }) //nolint:gochecknoglobals // constants, read once
	tags = sync.OnceValue(func() *linear.Model { return linear.MustRead(files, "data/tags.bin") }) //nolint:gochecknoglobals // constants, read once
)

// How likely secrets must be, by the logarithm of the odds: in a stretch of text for its tokens to be looked at, and the token itself.
const (
	maySay = -6.
	sure   = .6
)

// open are words by which somebody says that what he tells is no secret.
var open = regexp.MustCompile(`(?i)\b(?:that|this|it)(?:'s|’s| is| was)? (?:not |no |isn['’]t |n['’]t )(?:a |any )?(?:secret|password|confidential)|nothing secret|not a secret|` +
	`(?:není to|to není) (?:žádné |žádný |nic )?(?:tajn|tajemstv|heslo)|nic tajného|to nie (?:jest )?(?:żaden |żadne )?(?:tajn|sekret|hasło)|nic tajnego|` +
	`(?:das|es) ist (?:kein(?:e)? (?:geheimnis|passwort|kennwort)|nicht geheim)|nichts geheimes|это (?:вовсе )?не (?:секрет|пароль|тайна)|не секретн|ничего секретного`)

// longestMessage is how many bytes a message has at most in which somebody says so.
const longestMessage = 4 << 10

// stretch is how many tokens of a text are looked at together, and so many overlap.
const stretch, overlap = 48, 12

// learnt lists what the models take for secrets.
func learnt(s string, all []token) (out []span) {
	secret := make([]bool, len(all))
	for from := 0; from < len(all); from += stretch - overlap {
		part := all[from:min(len(all), from+stretch)]
		says := gate().Sum(signsOf(part), linear.Counted)[0]
		if says >= maySay {
			tagAll(part, secret[from:], says)
		}
		if from+stretch >= len(all) {
			break
		}
	}
	if !slices.Contains(secret, true) || len(s) <= longestMessage && open.MatchString(s) {
		return nil
	}
	evened(all, secret)
	for i := range all {
		switch {
		case !secret[i]:
		case i > 0 && secret[i-1] && joined(s[all[i-1].end:all[i].start]) && len(out) > 0:
			out[len(out)-1].end = all[i].end
		default:
			out = append(out, span{all[i].start, all[i].end, called(all, i)})
		}
	}
	for i := range out {
		out[i].end = quoteEnd(s, out[i])
	}
	return out
}

// quoteEnd is where a secret ends that begins a quotation: with it, if that is on the same line and not far.
func quoteEnd(s string, f span) int {
	const longest = 64 // bytes
	before, _ := utf8.DecodeLastRuneInString(s[:f.start])
	if !strings.ContainsRune("\"„“«", before) {
		return f.end
	}
	rest := s[f.end:min(len(s), f.end+longest)]
	if n := strings.IndexAny(rest, "\"“”»\n"); n > 0 && rest[n] != '\n' {
		return f.end + n
	}
	return f.end
}

// tagAll tells which tokens of a stretch are of secrets, besides those that are known to be.
func tagAll(part []token, secret []bool, says float64) {
	const most = 128
	signs := make(linear.Signs, 0, most)
	for i := range part {
		if asked(part, i) && !secret[i] {
			signs = signsOfToken(signs[:0], part, i, secret, says)
			secret[i] = tags().Score(signs) >= sure
		}
	}
}

// asked reports whether a token may be of a secret: what names a value may not, nor addresses; words and UUIDs, where nothing around them speaks of a secret, unless
// the words stand in a list.
func asked(part []token, i int) bool {
	const listed = 10 // words
	t := &part[i]
	if t.hidden || t.class == pathClass || t.kind >= 0 && strings.ContainsAny(at(part, i+1).before, ":=") {
		return false
	}
	if t.class != wordClass && !uuid.MatchString(t.fold) {
		return true
	}
	if before, _, _ := cueOf(part, i, -1); before > 0 || t.class != wordClass {
		return before > 0
	}
	behind, _, _ := cueOf(part, i, 1)
	run, _ := like(part, i)
	return behind > 0 || run >= listed && t.word != at(part, i-1).word
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$`)

// evened makes a word between two of a secret one, and of a list of like tokens all, if most are.
func evened(all []token, secret []bool) {
	const shortest, longest = 4, 30
	for i := 0; i < len(all); {
		to, n := i+1, 0
		if secret[i] {
			n++
		}
		for to < len(all) && listed(&all[i], &all[to]) {
			if secret[to] {
				n++
			}
			to++
		}
		for j := i; j < to && to-i >= shortest && to-i <= longest && 2*n > to-i; j++ {
			secret[j] = !all[j].hidden
		}
		i = to
	}
	for i := 1; i+1 < len(all); i++ {
		words := all[i-1].class == wordClass && all[i].class == wordClass && all[i+1].class == wordClass
		if words && secret[i-1] && secret[i+1] && !all[i].hidden && all[i].before == "" && all[i+1].before == "" {
			secret[i] = true
		}
	}
}

// listed reports whether a token goes on with the list of another one.
func listed(first, t *token) bool {
	return alike(first, t) && (t.class != wordClass || t.sentence == first.sentence && first.kind < 0 && (t.before == "" || t.before == ","))
}

// joined reports whether what stands between two tokens makes one secret of them.
func joined(gap string) bool {
	return strings.Trim(gap, " -/") == "" || !strings.ContainsAny(gap, " \n")
}

// signsOf are those of a stretch of text: the beginnings of its words, two in a row, the shapes of the rest.
func signsOf(part []token) linear.Signs {
	s := make(linear.Signs, 0, 6*len(part)+2)
	last := none.sign
	for i := range part {
		t := &part[i]
		s.Mix('h', t.sign)
		s.Mix('b', last, t.sign)
		s.Mix('w', t.word)
		if t.class != wordClass {
			s.Mix('s', last, t.form)
			s.Mix('l', uint32(t.letters))
		}
		if t.before != "" {
			s.Mix('p', last, t.gap, t.made)
		}
		last = t.sign
	}
	s.Mix('e', last)
	s.Mix('n', uint32(len(part)))
	return s
}

// none is what stands before the first token and behind the last.
var none = token{class: "^", word: 3, sign: 3, stem: 3, tail: 3, form: 3, made: 3, gap: 3, kind: -1} //nolint:gochecknoglobals // a constant

func at(part []token, i int) *token {
	if i < 0 || i >= len(part) {
		return &none
	}
	return &part[i]
}

// How far around a token is looked: before, and behind.
const before, behind = 10, 6

// signsOfToken adds those of a token of a stretch: its form, its neighbours, what is said before it and behind it, the run of likes in which it stands, and how much
// the whole speaks of a secret. secret tells which tokens before it are of one.
func signsOfToken(s linear.Signs, part []token, i int, secret []bool, says float64) linear.Signs {
	t, p1, p2, n1, n2 := &part[i], at(part, i-1), at(part, i-2), at(part, i+1), at(part, i+2)
	c, size := t.made, uint32(min(t.letters, 40))
	prev := uint32(0)
	if i > 0 && (secret[i-1] || p1.hidden) {
		if prev = 1; t.form == p1.form {
			prev = 2
		}
	}
	speaks := uint32(min(8, max(-4, says)) + 4)

	// Its form, and its place.
	s.Mix('1', c)
	s.Mix('2', c, size)
	s.Mix('3', t.form)
	s.Mix('4', t.form, size)
	s.Mix('5', t.word, size)
	s.Mix('6', t.stem, c)
	s.Mix('7', t.tail, c)
	s.Mix('8', c, prev)
	s.Mix('9', c, prev, p1.form, t.gap)
	s.Mix('0', c, speaks)
	s.Mix('A', t.form, speaks)
	s.Mix('B', t.gap, c)
	s.Mix('C', n1.gap, c)
	s.Mix('D', n1.gap, t.gap, c)
	s.Mix('E', uint32(min(i, 6)), c)
	s.Mix('F', uint32(min(len(part)-i, 6)), c)
	s.Mix('G', uint32(min(len(part), 12)), c)
	if len(t.fold) == 4 && (strings.HasPrefix(t.fold, "19") || strings.HasPrefix(t.fold, "20")) {
		s.Mix('H')
	}

	// Its neighbours.
	s.Mix('I', p1.word, c)
	s.Mix('J', p1.sign, c, t.gap)
	s.Mix('K', p1.sign, t.form, size)
	s.Mix('L', p2.sign, c)
	s.Mix('M', p2.word, p1.word, c)
	s.Mix('N', p2.sign, p1.sign, c)
	s.Mix('O', n1.word, c)
	s.Mix('P', n1.sign, c, n1.gap)
	s.Mix('Q', n2.sign, c)
	s.Mix('R', n1.sign, n2.sign, c)
	s.Mix('S', p1.sign, n1.sign, c)
	s.Mix('T', p1.made, n1.made, c)
	s.Mix('U', p1.stem, c)

	// What is said of secrets before it and behind it.
	for way := -1; way <= 1; way += 2 {
		cue, far, here := cueOf(part, i, way)
		mark := uint32(way+1)<<8 | cue
		s.Mix('X', mark, c, size)
		s.Mix('Y', mark, near(far), c, here)
		s.Mix('Z', mark, t.form, t.gap)
		s.Mix('x', mark, c, uint32(min(far, 6)), n1.gap)
		s.Mix('y', mark, c, p1.word)
	}

	run, place := like(part, i)
	s.Mix('V', run, c)
	s.Mix('W', run, place, t.form)
	for j := max(0, i-before); j < i; j++ {
		around(&s, 'a', &part[j], t, near(i-j))
	}
	for j := i + 1; j < len(part) && j <= i+behind; j++ {
		around(&s, 'c', &part[j], t, near(j-i))
	}
	return s
}

// around adds what is said by a token nearby.
func around(s *linear.Signs, kind byte, w, t *token, far uint32) {
	here := uint32(0)
	if w.sentence == t.sentence {
		here = 1
	}
	s.Mix(kind, w.sign, t.made, far)
	s.Mix(kind+1, w.sign, t.form, here)
	s.Mix(kind+4, w.stem, t.made, here)
}

// like is how many tokens in a row are like one, and how many of them stand before it.
func like(part []token, i int) (run, place uint32) {
	from, to := i, i+1
	for from > 0 && alike(&part[from-1], &part[i]) {
		from--
	}
	for to < len(part) && alike(&part[to], &part[i]) {
		to++
	}
	return uint32(to - from), uint32(min(i-from, 3))
}

func alike(a, b *token) bool { return a.form == b.form && a.hidden == b.hidden }

// near is how far away something is, roughly.
func near(n int) uint32 {
	switch {
	case n <= 2:
		return 1
	case n <= 5:
		return 2
	}
	return 3
}
