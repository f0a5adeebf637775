package mask

import (
	"regexp"
	"strings"
)

// secret is one kind of secret: what it is called, and the form it has. Groups 1 and 2, where there are any, stay around the
// mask. Wherever the form matches, one of the signs stands, in any case, and what follows it is likely: so a text is
// searched for all signs at once, and for a form only where that is met.
type secret struct {
	name   string
	form   *regexp.Regexp
	likely func(rest string) bool // of the text behind a sign
	signs  []string               // in lower case
}

// Masker hides secrets. It is safe for concurrent use.
type Masker struct {
	secrets []secret
	signs   signs
}

// New makes a Masker.
func New() *Masker {
	form := func(name, pattern string, likely func(string) bool, signs ...string) secret {
		return secret{name, regexp.MustCompile(pattern), likely, signs}
	}
	secrets := []secret{
		form("private key", `(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
			headed, "-----begin"),
		form("API key", `\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct|admin)[-_][A-Za-z0-9_\-]{6,}`,
			run(9), "sk-", "sk_", "pk-", "pk_", "rk-", "rk_"),
		form("API key", `\bsk-[A-Za-z0-9]{20,}`, run(20), "sk-"),
		form("access key", `\b(?:AKIA|ASIA|AGPA|AIDA)[0-9A-Z]{16}\b`, run(16), "akia", "asia", "agpa", "aida"),
		form("token", `\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_\-]{16,}`,
			run(16), "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"),
		form("token", `\bxox[abprs]-[A-Za-z0-9\-]{10,}|\bnpm_[A-Za-z0-9]{30,}|\bhf_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_\-]{30,}`,
			run(12), "xox", "npm_", "hf_", "pypi-"),
		form("API key", `\bAIza[0-9A-Za-z_\-]{35}\b|\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}`,
			run(16), "aiza", "sg."),
		form("token", `\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*`, run(8), "eyj"),
		form("token", `(?i)(\bbearer\s+)[A-Za-z0-9._~+/\-]{16,}=*`, spaced, "bearer"),
		form("password", `(?i)([a-z][a-z0-9+.\-]*://[^\s:/@]+:)[^\s:/@]+(@)`, credentials, "://"),
		form("password", `(?i)((?:\bpassword|\bpasswd|\bpwd|\bheslo|\bhasło|\bpasswort|\bkennwort|(?:^|[^\p{L}])пароль)\s*[:=]\s*)[^\s,;]{4,}`,
			assigned, "password", "passwd", "pwd", "heslo", "hasło", "passwort", "kennwort", "пароль"),
		form("API key", `(?i)(\b(?:api[_\- ]?key|secret[_\- ]?key|access[_\- ]?token|client[_\- ]?secret)\s*[:=]\s*["']?)[A-Za-z0-9._~+/\-]{8,}`,
			assigned,
			"apikey", "api_key", "api-key", "api key", "secretkey", "secret_key", "secret-key", "secret key",
			"accesstoken", "access_token", "access-token", "access token", "clientsecret", "client_secret", "client-secret", "client secret"),
	}
	return &Masker{secrets, newSigns(secrets)}
}

// Secrets returns the text with every secret replaced by "[masked KIND]", and how many there were. It reads the text once,
// and once more for every kind that may be in it.
func (m *Masker) Secrets(text string) (masked string, n int) {
	may := m.signs.in(text, m.secrets)
	for i, s := range m.secrets {
		if may&(1<<i) == 0 {
			continue
		}
		found := s.form.FindAllStringSubmatchIndex(text, -1)
		if len(found) == 0 {
			continue
		}
		var b strings.Builder
		end := 0
		for _, at := range found {
			b.WriteString(text[end:at[0]])
			b.Write(s.form.ExpandString(nil, "${1}[masked "+s.name+"]${2}", text, at))
			end = at[1]
		}
		b.WriteString(text[end:])
		text, n = b.String(), n+len(found)
		may = m.signs.in(text, m.secrets) // the masks are neighbours now that were not there
	}
	return text, n
}
