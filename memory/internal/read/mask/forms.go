package mask

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// form is one way secrets are written: what it is called, and a pattern, whose first group, if there is one, is the secret.
// Wherever the pattern matches, one of the signs stands, in any case, and what follows it is likely: so a text is
// searched for all signs at once, and for a form only where that is met.
type form struct {
	kind    string
	pattern *regexp.Regexp
	likely  func(rest string) bool // of the text behind a sign
	signs   []string               // in lower case
}

// find lists the secrets of one form.
func (f form) find(text string) []span {
	var out []span
	for _, at := range f.pattern.FindAllStringSubmatchIndex(text, -1) {
		for len(at) > 2 { // the first group that took part
			at = at[2:]
			if at[0] >= 0 {
				break
			}
		}
		if !blankValue.MatchString(text[at[0]:at[1]]) {
			out = append(out, span{at[0], at[1], f.kind})
		}
	}
	return out
}

// blankValue are values that stand for one.
var blankValue = regexp.MustCompile(`(?i)^(?:pass(?:word|wd)?|pwd|secret|user|token|changeme|xxx+|\S*your-\S*|\*+|\$\{?\w+\}?|\{\{.*|<.*|%s|your.*|.*[_-]?xxxxxx+.*)$`)

// forms returns the keys of known services and the places in which programs write secrets. The services document their prefixes.
func forms() []form {
	of := func(kind, pattern string, likely func(string) bool, signs ...string) form {
		return form{kind, regexp.MustCompile(pattern), likely, signs}
	}
	return []form{
		of("private key", `(?s)-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:\s*\n|\\n|\s*[A-Za-z0-9+/]{16}).*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)`, headed, "-----begin"),
		of("private key", `\bAGE-SECRET-KEY-1[0-9A-Z]{50,}`, run(50), "age-secret-key-1"),
		// Models, payments, clouds, code, chat: a prefix, then random letters.
		of("API key", `\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct|admin)[-_][A-Za-z0-9_\-]{6,}`,
			run(9), "sk-", "sk_", "pk-", "pk_", "rk-", "rk_"),
		of("API key", `\bsk-[A-Za-z0-9]{20,}`, run(20), "sk-"),
		of("API key", `\b(?:gsk_|xai-|pplx-|r8_|tgp_v1_|fw_)[A-Za-z0-9_\-]{20,}`, run(20), "gsk_", "xai-", "pplx-", "r8_", "tgp_v1_", "fw_"),
		of("API key", `\bAIza[0-9A-Za-z_\-]{35}\b|\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}|\bkey-[0-9a-f]{32}\b`, run(16), "aiza", "sg.", "key-"),
		of("API key", `\b(?:shp(?:at|ss|ca|pa)_|lin_api_|ntn_|dop_v1_|doo_v1_|dapi|rnd_|sq0(?:atp|csp)-|secret_|re_|phc_|phx_|NRAK-|hvs\.|hvb\.|CFPAT-|pat)[A-Za-z0-9_\-.]{22,}`,
			run(22), "shpat_", "shpss_", "shpca_", "shppa_", "lin_api_", "ntn_", "dop_v1_", "doo_v1_", "dapi", "rnd_", "sq0atp-", "sq0csp-",
			"secret_", "re_", "phc_", "phx_", "nrak-", "hvs.", "hvb.", "cfpat-", "pat"),
		of("access key", `\b(?:AKIA|ASIA|AGPA|AIDA|ABIA|ACCA)[0-9A-Z]{16}\b`, run(16), "akia", "asia", "agpa", "aida", "abia", "acca"),
		of("access key", `\bSK[0-9a-f]{32}\b`, run(32), "sk"),
		of("token", `\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bgl(?:pat|dt|rt|cbt|ptt|soat)-[A-Za-z0-9_\-]{16,}`,
			run(16), "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsoat-"),
		of("token", `\bxox[abeoprs]-[A-Za-z0-9\-]{10,}|\bxapp-[A-Za-z0-9\-]{16,}|\bnpm_[A-Za-z0-9]{30,}|\bhf_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_\-]{30,}|\bdckr_pat_[A-Za-z0-9_\-]{20,}`,
			run(10), "xox", "xapp-", "npm_", "hf_", "pypi-", "dckr_pat_"),
		of("token", `\bya29\.[A-Za-z0-9_\-]{20,}|\bGOCSPX-[A-Za-z0-9_\-]{20,}|\bATATT3[A-Za-z0-9_\-=]{20,}|\bEAA[A-Z][A-Za-z0-9]{40,}|\bsl\.[A-Za-z0-9_\-]{60,}`,
			run(20), "ya29.", "gocspx-", "atatt3", "eaa", "sl."),
		of("token", `\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*`, run(8), "eyj"),
		of("token", `\b[0-9]{8,10}:[A-Za-z0-9_\-]{35}\b`, run(34), ":a"), // Telegram's begin with A
		of("token", `\b[MNO][A-Za-z0-9_\-]{22,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,}`, run(30), "mt", "mj", "mz", "nd", "nt", "nj", "nz", "od", "ot"),
		of("webhook", `hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/_\-]{20,})|discord(?:app)?\.com/api/webhooks/([0-9]+/[A-Za-z0-9_\-]{40,})`,
			func(string) bool { return true }, "hooks.slack.com/", "/api/webhooks/"),
		of("token", `\b(?:dp\.(?:pt|st|ct|sa|scim|audit)\.|sbp_|pscale_(?:tkn|pw|oauth)_|oy2|rubygems_|tskey-[a-z]+-)[A-Za-z0-9_\-]{20,}`,
			run(16), "dp.", "sbp_", "pscale_", "oy2", "rubygems_", "tskey-"),
		of("API key", `\b[0-9a-f]{32}-us[0-9]{1,2}\b`, func(string) bool { return true }, "-us"),
		of("session", `(?i)\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid|session(?:[_-]?id)?|sid|auth[_-]?token|_auth(?:token)?)=["']?([A-Za-z0-9%._+/\-]{16,}=*)`,
			run(16), "sessid=", "sessionid=", "sid=", "session=", "session_id=", "session-id=", "_auth=", "authtoken=", "auth_token=", "auth-token="),
		of("webhook secret", `\bwhsec_[A-Za-z0-9+/=_\-]{20,}`, run(20), "whsec_"),
		// Places: headers, addresses, options, variables.
		of("token", `(?i)\bbearer\s+([A-Za-z0-9._~+/\-]{16,}=*)`, spaced(16), "bearer"),
		of("credentials", `(?i)\bbasic\s+([A-Za-z0-9+/]{12,}={0,2})(?:[\s"'`+"`"+`]|$)`, spaced(12), "basic"),
		of("password", `(?i)\b[a-z][a-z0-9+.\-]*://[^\s:/@]*:([^\s/@]+)@`, credentials, "://"),
		of("password", `(?i)\bWIFI:[^\n]{0,80}?P:([^;\s]{4,})`, func(string) bool { return true }, "wifi:"),
		of("key", `(?i)\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=([A-Za-z0-9+/%=_\-]{20,})`, assigned, "accountkey", "sharedaccesskey", "sharedaccesssignature"),
		of("signature", `(?i)[?&](?:sig|signature|x-amz-signature|token|access_token|api_?key|key|secret|password|auth)=([A-Za-z0-9%+/._~\-]{12,}=*)`,
			run(12), "sig=", "signature=", "token=", "key=", "secret=", "password=", "auth="),
		of("password", `(?i)\bsshpass\s+-p\s*["']?([^\s"']{4,})|\bnet use\b[^\n]*?/user:\S+\s+([^\s/]{4,})|\bsqlcmd\b[^\n]*?\s-P\s+(\S{4,})|\bcurl\b[^\n]*?\s-u\s+["']?[^\s:"']+:([^\s"']{4,})|\bmysql(?:dump)?\b[^\n]*?\s-p([^\s]{4,})|\s/P\s+(\S{4,})|\s-u\s+\S+\s+-p\s+(\S{4,})|\b(?:unzip|7z|7za|rar|zip)\b[^\n]*?\s-[pP]\s?(\S{4,})|\bopenssl\b[^\n]*?(?:\s-k\s+|pass:)(\S{4,})|\becho\s+["']?([^\s"']{4,})["']?\s*\|\s*sudo\s+-S`,
			func(string) bool { return true }, "sshpass", "/user:", "-p", "-u ", "/p ", "openssl", "sudo -s"),
		of("password", `\bnet user\s+\S+\s+([^\s/]{4,})|\bhtpasswd\b[^\n]*?\s-\w*b\w*\s+\S+\s+\S+\s+(\S{4,})|\s-U\s+[^\s%]+%(\S{4,})|\bwpa_passphrase\s+\S+\s+(\S{8,})|(?i)\bidentified by\s+["']?([^\s"';]{4,})|<(?:\w+:)?(?:password|passwd|secret|apikey|token)>([^<\s]{4,})<|key="[^"]*(?:secret|password|token|key)"\s+value="([^"]{6,})"`,
			func(string) bool { return true }, "net user", "htpasswd", "-u ", "wpa_passphrase", "identified by", "</", " value="),
		of("token", `\bbot([0-9]{8,10}:[A-Za-z0-9_\-]{35})`, run(40), "bot"),
		of("key", `\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}:fx\b`, func(string) bool { return true }, ":fx"),
		of("token", `\bsntrys_[A-Za-z0-9_\-]{20,}|\bxkeysib-[A-Za-z0-9\-]{20,}|\b(?:glsa|glc)_[A-Za-z0-9_]{20,}|\bATCTT3[A-Za-z0-9_\-=]{20,}|\bdapi[0-9a-f]{32}|\bPMAK-[A-Za-z0-9\-]{20,}`, run(20), "sntrys_", "xkeysib-", "glsa_", "glc_", "atctt3", "dapi", "pmak-"),
		of("webhook", `webhook\.office\.com/webhookb2/([^\s"'<>]{40,})|\bhook\.[a-z0-9.]*make\.com/([A-Za-z0-9]{20,})|hooks\.zapier\.com/hooks/catch/[0-9]+/([A-Za-z0-9]{5,})|\.bitrix24\.[a-z]+/rest/[0-9]+/([A-Za-z0-9]{12,})|maker\.ifttt\.com/\S*?/key/([A-Za-z0-9_\-]{15,})`,
			func(string) bool { return true }, "webhook.office.com/", "make.com/", "hooks.zapier.com/", ".bitrix24.", "maker.ifttt.com"),
		of("password", `(?i)\b[a-z][a-z0-9+.\-]*://([A-Za-z0-9_\-]{16,})@`, func(string) bool { return true }, "://"),
		of("key", `(?i)\botpauth://\S*?secret=([A-Z2-7]{8,})`, func(string) bool { return true }, "otpauth:"),
	}
}

// headed knows what may be the heading of a private key.
func headed(rest string) bool { return strings.HasPrefix(rest, " ") }

// run knows what begins with so many bytes as keys are made of.
func run(n int) func(string) bool {
	return func(rest string) bool {
		if len(rest) < n {
			return false
		}
		for i := range n {
			c := rest[i]
			if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf || strings.IndexByte("._~+/-%", c) >= 0) {
				return false
			}
		}
		return true
	}
}

// assigned knows what gives a value to the name before it.
func assigned(rest string) bool {
	rest = strings.TrimLeft(rest, spaces)
	return rest != "" && (rest[0] == ':' || rest[0] == '=')
}

// spaced knows a key of so many bytes behind white space.
func spaced(n int) func(string) bool {
	return func(rest string) bool {
		behind := strings.TrimLeft(rest, spaces)
		return len(behind) < len(rest) && run(n)(behind)
	}
}

// credentials knows the name and the password in an address.
func credentials(rest string) bool {
	const ends = spaces + ":/@"
	name := strings.IndexAny(rest, ends)
	if name < 0 || rest[name] != ':' {
		return false
	}
	rest = rest[name+1:]
	password := strings.IndexAny(rest, spaces+"/@")
	return password > 0 && rest[password] == '@'
}
