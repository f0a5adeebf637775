package mask

import "strings"

// findAccounts lists passwords behind an e-mail address: "jo@example.com / X", "jo@example.com:X", also on the next line.
func findAccounts(s string) []span {
	const longest = 64 // bytes of a domain
	var out []span
	for at := strings.IndexByte(s, '@'); at >= 0; {
		end := at + 1
		for end < len(s) && end-at < longest && (isAlnum(s[end]) || s[end] == '.' || s[end] == '-') {
			end++
		}
		if at > 0 && isAlnum(s[at-1]) && strings.Contains(strings.TrimRight(s[at+1:end], "."), ".") {
			if v := behindAccount(s, end); v.end > 0 {
				out = append(out, v)
			}
		}
		next := strings.IndexByte(s[at+1:], '@')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return out
}

// behindAccount returns the password that a sign or a new line sets off from an address.
func behindAccount(s string, end int) span {
	rest := strings.TrimLeft(s[end:], " \t")
	if rest == "" || strings.IndexByte(":/|;\n", rest[0]) < 0 {
		return span{}
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	start := len(s) - len(rest)
	token := strings.TrimRight(s[start:tokenEnd(s, start)], ".,;)"+closing)
	behind := start + len(token)
	alone := behind == len(s) || s[behind] == '\n' || strings.IndexByte(".,;) ", s[behind]) >= 0
	if !alone || strings.Contains(token, "/") || !hasDigit(token) || !hasLetter(token) || !looks(token, looked) || !mixed(token) && !strings.ContainsAny(token, "!@#$%^&*_+=?") {
		return span{}
	}
	return span{start, behind, password.kind()}
}
