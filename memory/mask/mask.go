package mask

import (
	"regexp"
	"slices"
	"strings"
)

// secret is one kind of secret: what it is called, and the form it has. Groups 1 and 2, where there are any, stay around the
// mask. Signs are what a text must have one of, in lower case, to be worth a search: most have none, and looking for
// them takes a twentieth of the time.
type secret struct {
	name  string
	form  *regexp.Regexp
	signs []string
}

// Masker hides secrets. It is safe for concurrent use.
type Masker struct{ secrets []secret }

// New makes a Masker.
func New() *Masker {
	form := func(name, pattern string, signs ...string) secret {
		return secret{name, regexp.MustCompile(pattern), signs}
	}
	return &Masker{[]secret{
		form("private key", `(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`, "-----begin"),
		form("API key", `\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct|admin)[-_][A-Za-z0-9_\-]{6,}`, "sk-", "sk_", "pk-", "pk_", "rk-", "rk_"),
		form("API key", `\bsk-[A-Za-z0-9]{20,}`, "sk-"),
		form("access key", `\b(?:AKIA|ASIA|AGPA|AIDA)[0-9A-Z]{16}\b`, "akia", "asia", "agpa", "aida"),
		form("token", `\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_\-]{16,}`,
			"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"),
		form("token", `\bxox[abprs]-[A-Za-z0-9\-]{10,}|\bnpm_[A-Za-z0-9]{30,}|\bhf_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_\-]{30,}`, "xox", "npm_", "hf_", "pypi-"),
		form("API key", `\bAIza[0-9A-Za-z_\-]{35}\b|\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}`, "aiza", "sg."),
		form("token", `\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*`, "eyj"),
		form("token", `(?i)(\bbearer\s+)[A-Za-z0-9._~+/\-]{16,}=*`, "bearer"),
		form("password", `(?i)([a-z][a-z0-9+.\-]*://[^\s:/@]+:)[^\s:/@]+(@)`, "://"),
		form("password", `(?i)((?:\bpassword|\bpasswd|\bpwd|\bheslo|\bhasło|\bpasswort|\bkennwort|(?:^|[^\p{L}])пароль)\s*[:=]\s*)[^\s,;]{4,}`,
			"password", "passwd", "pwd", "heslo", "hasło", "passwort", "kennwort", "пароль"),
		form("API key", `(?i)(\b(?:api[_\- ]?key|secret[_\- ]?key|access[_\- ]?token|client[_\- ]?secret)\s*[:=]\s*["']?)[A-Za-z0-9._~+/\-]{8,}`,
			"key", "token", "secret"),
	}}
}

// Secrets returns the text with every secret replaced by "[masked KIND]", and how many there were.
func (m *Masker) Secrets(text string) (masked string, n int) {
	lower := strings.ReplaceAll(strings.ToLower(text), "ſ", "s") // as (?i) has it
	for _, s := range m.secrets {
		if !slices.ContainsFunc(s.signs, func(sign string) bool { return strings.Contains(lower, sign) }) {
			continue
		}
		found := len(s.form.FindAllStringIndex(text, -1))
		if found == 0 {
			continue
		}
		n += found
		text = s.form.ReplaceAllString(text, "${1}[masked "+s.name+"]${2}")
	}
	return text, n
}
