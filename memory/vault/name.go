package vault

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// mostName bounds the bytes of a folder's name.
const mostName = 60

// folderName returns an agent's name as the name of a folder: lower-case letters, digits, "-" and "_". One that is not such a name itself gets
// a part of its sum, so that no two agents have one folder, on no file system.
func folderName(agent string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, strings.ToLower(agent))
	name = text.Head(name, mostName)
	if name != agent || reserved.MatchString(name) {
		name += "-" + sum(agent)[:8]
	}
	return name
}

// reserved are names that some system keeps for itself, that are not in one case, and those that look as if they had a sum.
var reserved = regexp.MustCompile(`^(con|prn|aux|nul|com\d|lpt\d)$|^-|-[0-9a-f]{8}$|[^\x00-\x7f]`)

// sum returns the beginning of a text's SHA-256, in hexadecimal digits.
func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:16])
}

// lineID returns a record's id as a line has it: a block id, as Obsidian takes it.
func lineID(record string) string { return sum("record " + record)[:12] }
