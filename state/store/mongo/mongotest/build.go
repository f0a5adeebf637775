package mongotest

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:embed TestMongo.java
var source []byte

//go:embed pom.xml
var pom []byte

const version = "1.47.0" // as in pom.xml

// missing ends a test that cannot have its server: skipped, or failed where a server is required.
func missing(tb testing.TB, format string, args ...any) {
	tb.Helper()
	if os.Getenv("MNEME_REQUIRE_MONGO") == "1" {
		tb.Fatalf("MNEME_REQUIRE_MONGO=1, but "+format, args...)
	}
	tb.Skipf(format+"; or name a server in MNEME_TEST_MONGO_URI", args...)
}

// classPath builds the server if nobody has yet and returns where its classes are. Processes may build at
// the same time: each in a folder of its own, and the first to finish gives it its name.
func classPath(tb testing.TB) string {
	tb.Helper()
	for _, program := range []string{"java", "javac", "mvn"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(tb, "there is no %s here: install a JDK (17 or later) and Maven", program)
		}
	}

	cache, err := os.UserCacheDir()
	if err != nil {
		missing(tb, "there is no folder for the server's jars: %v; set HOME", err)
	}

	sum := sha256.Sum256(append(append([]byte{}, source...), pom...))
	home := filepath.Join(cache, "mneme-ci", "mongo-java-server-"+version, hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(home); err != nil {
		if err := build(home); err != nil {
			missing(tb, "the test server cannot be built: %v", err)
		}
	}
	return filepath.Join(home, "classes") + string(os.PathListSeparator) + filepath.Join(home, "lib", "*")
}

func build(home string) error {
	// It is built in a folder of its own, beside the one that it becomes.
	if err := os.MkdirAll(filepath.Dir(home), 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(home), "build-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // gone already when it got its name

	// The server is one Java file; Maven brings what it needs.
	for name, text := range map[string][]byte{"TestMongo.java": source, "pom.xml": pom} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	for _, command := range [][]string{
		{"mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib"},
		{"javac", "-cp", filepath.Join("lib", "*"), "-d", "classes", "TestMongo.java"},
	} {
		c := exec.CommandContext(context.Background(), command[0], command[1:]...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %.2000s", command[0], err, out)
		}
	}

	// Who was first has given the folder its name; his is as good.
	if err := os.Rename(dir, home); err != nil {
		if _, there := os.Stat(home); there != nil {
			return err
		}
	}
	return nil
}
