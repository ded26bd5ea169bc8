package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// ErrTooMany is returned by Secrets for a folder with more files than it may look at.
var ErrTooMany = errors.New("too many files to look for secrets in")

// Secrets calls found for each file and folder below root that usually holds secrets, until it
// returns false. It looks at no more than most entries, and does not enter node_modules or the
// objects of a Git repository. With hidden false it skips names that begin with a dot. A
// socket counts as a secret: whoever connects to it leaves the folder. So does a hard link to a
// file with secrets that is found, under whatever name.
func Secrets(root string, most int, hidden bool, found func(path string, folder bool) bool) error {
	var linked []fs.FileInfo
	err := search(root, most, hidden, func(e fs.DirEntry) bool { return Secret(e.Name()) }, func(path string, e fs.DirEntry) bool {
		if info, err := e.Info(); err == nil && e.Type().IsRegular() && Links(info) > 1 {
			linked = append(linked, info)
		}
		return found(path, e.IsDir())
	})
	if err != nil || len(linked) == 0 {
		return err
	}
	same := func(e fs.DirEntry) bool {
		info, err := e.Info()
		return err == nil && !Secret(e.Name()) && slices.ContainsFunc(linked, func(l fs.FileInfo) bool { return os.SameFile(l, info) })
	}
	return search(root, most, hidden, same, func(path string, e fs.DirEntry) bool { return found(path, e.IsDir()) })
}

// Links is how many names a file has.
func Links(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// search is one walk of Secrets, for the entries that are.
func search(root string, most int, hidden bool, is func(fs.DirEntry) bool, found func(path string, e fs.DirEntry) bool) error {
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
		case e.Type()&fs.ModeSymlink == 0 && is(e), e.Type()&fs.ModeSocket != 0:
			if !found(path, e) {
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
