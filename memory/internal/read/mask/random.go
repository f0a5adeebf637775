package mask

import (
	"math"
	"regexp"
	"strings"
)

// findRandom lists what was made by chance and by nobody's hand: letters of both cases and digits mixed without order. What is known to
// be no secret stays: hashes and UUIDs (hexadecimal), addresses, public keys and certificates, sums of packages.
func findRandom(s string) []span {
	var out []span
	for i := 0; i < len(s); i++ {
		if !isKeyByte(s[i]) {
			continue
		}
		start := i
		for i < len(s) && isKeyByte(s[i]) {
			i++
		}
		end := start + len(strings.TrimRight(s[start:i], "-_/"))
		if end-start >= shortestRandom && isRandom(s[start:end]) && !isPublic(s, start, end) {
			for end < len(s) && s[end] == '=' { // of base64
				end++
			}
			out = append(out, span{start, end, "key"})
		}
	}
	return out
}

const (
	shortestRandom = 20  // letters
	longestRandom  = 128 // what is longer is data
)

func isKeyByte(c byte) bool { return isAlnum(c) || strings.IndexByte("+/_-", c) >= 0 }

// isRandom measures order: names and numbers change between small letters, capitals and digits seldom, keys at three of five places
// and use most of the alphabet (Shannon's entropy in bits a letter).
func isRandom(token string) bool {
	// Long texts are no keys; the forms of licence keys are known.
	if len(token) > longestRandom {
		return false
	}
	if known().licence.MatchString(token) {
		return true
	}

	// How often each byte stands, and how often the kind of letter changes.
	var count [256]int
	var upper, lower, digits, changes int
	kind := func(c byte) int {
		switch {
		case isUpper(c):
			return 1
		case isLower(c):
			return 2
		case isDigit(c):
			return 3
		}
		return 0
	}
	for i := range len(token) {
		count[token[i]]++
		switch kind(token[i]) {
		case 1:
			upper++
		case 2:
			lower++
		case 3:
			digits++
		}
		if i > 0 && kind(token[i]) != kind(token[i-1]) {
			changes++
		}
	}

	// The entropy: few letters that come again are no key.
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(token))
			bits -= p * math.Log2(p)
		}
	}
	return upper >= 2 && lower >= 2 && digits >= 2 && float64(changes) >= .38*float64(len(token)) && bits >= 3.7
}

// publicKey is what announces a key that everybody may know.
var publicKey = regexp.MustCompile(`(?i)(?:public ?key|peer:?|veřejn\S* kl\S*|klucz\S* publiczn\S*|публичн\S* ключ\S*)(?:\s+\pL+){0,2}\s*[:=]?\s*$`)

// isPublic reports whether what stands around a token says that it is no secret.
func isPublic(s string, start, end int) bool {
	token := s[start:end]
	if known().account.MatchString(token) || strings.Count(token, "/") > 2 || start > 0 && s[start-1] == '.' || end < len(s) && s[end] == '.' && end+1 < len(s) && isLower(s[end+1]) {
		return true
	}
	if strings.Trim(token, "X-") == "" {
		return true
	}
	for _, p := range []string{
		"sha1-", "sha256-", "sha384-", "sha512-", "AAAAB3Nza", "AAAAC3Nza", "AAAAE2Vj", // hashes and public keys
		"req_", "msg_", "call_", "toolu_", "chatcmpl-", "pi_", "ch_", "cs_live_", "cs_test_", "cus_", "evt_", "run_", "thread_", "resp_", // ids of services
	} {
		if strings.HasPrefix(token, p) {
			return true
		}
	}
	const longest = 512 // bytes of an address
	before := s[max(0, start-longest):start]
	if publicKey.MatchString(before) {
		return true
	}
	before = before[strings.LastIndexAny(before, " \t\n\r\"'<>()")+1:]
	if strings.Contains(before, "://") || strings.Contains(before, "www.") || strings.HasSuffix(before, "h1:") ||
		strings.HasPrefix(before, "data:") || strings.HasSuffix(before, "base64,") || strings.HasSuffix(before, "sha256:") || strings.HasSuffix(before, "SHA256:") {
		return true
	}
	const certificate = 4 << 10
	head := s[max(0, start-certificate):start]
	from := strings.LastIndex(head, "-----BEGIN ")
	return from >= 0 && !strings.Contains(head[from:], "-----END ")
}
