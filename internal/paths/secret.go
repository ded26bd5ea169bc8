package paths

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// ErrTooMany is returned by Secrets for a folder with more files than it may look at.
var ErrTooMany = errors.New("too many files to look for secrets in")

// Secrets calls found for each file and folder below root that usually holds secrets, until it
// returns false. It looks at no more than most entries, and does not enter node_modules or the
// objects of a Git repository. With hidden false it skips names that begin with a dot. A
// socket counts as a secret: whoever connects to it leaves the folder.
func Secrets(root string, most int, hidden bool, found func(path string, folder bool) bool) error {
	seen := 0
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == root {
			return nil //nolint:nilerr // what can't be entered can't be read either
		}
		if seen++; seen > most {
			return ErrTooMany
		}
		skip := e.IsDir() && (e.Name() == "node_modules" || e.Name() == "objects" && filepath.Base(filepath.Dir(path)) == ".git")
		switch {
		case !hidden && strings.HasPrefix(e.Name(), "."):
			skip = e.IsDir()
		case Secret(e.Name()) && e.Type()&fs.ModeSymlink == 0, e.Type()&fs.ModeSocket != 0:
			if !found(path, e.IsDir()) {
				return fs.SkipAll
			}
			skip = e.IsDir()
		}
		if skip {
			return fs.SkipDir
		}
		return nil
	})
}

// Secret reports whether a file or folder with this name usually holds secrets.
func Secret(name string) bool {
	name = strings.ToLower(name)
	return secretNames[name] ||
		slices.ContainsFunc(secretStarts, func(start string) bool { return strings.HasPrefix(name, start) }) ||
		slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(name, end) }) ||
		strings.HasPrefix(name, "service-account") && strings.HasSuffix(name, ".json")
}

var (
	secretStarts = []string{".env.", ".env-", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"}
	secretEnds   = []string{".env", ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".tfstate", ".tfstate.backup", ".tfvars"}
	secretNames  = namesOf(".netrc _netrc .npmrc .yarnrc.yml .pypirc .pgpass .my.cnf .git-credentials .htpasswd .vault-token .envrc .dev.vars .s3cfg .boto .ssh .gnupg .aws .azure .kube .docker",
		"credentials", "secrets")
)

// namesOf makes a set of names. For the further ones it adds the usual data file extensions.
func namesOf(names string, further ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	for _, name := range further {
		for _, end := range []string{"", ".yaml", ".yml", ".json", ".toml", ".ini", ".txt", ".csv"} {
			set[name+end] = true
		}
	}
	return set
}
