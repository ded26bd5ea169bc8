package cmdline

import "strings"

// attached returns what may be the value of a short option in the same word:
// link of -flink. For a program whose options are not known that is any ending
// of the word.
func attached(program, text string) []string {
	const most = 8
	letters, files, ok := valueLetters(program)
	if !ok {
		if d, single := dangerOf(program); single && d.single {
			return nil
		}
		var all []string
		for at := 2; at < len(text) && at < 2+most && letter(text[at-1]); at++ {
			all = append(all, strings.TrimPrefix(text[at:], "="))
		}
		return nonEmpty(all)
	}
	for at := 1; at < len(text); at++ {
		if strings.IndexByte(letters, text[at]) < 0 {
			continue
		}
		if strings.IndexByte(files, text[at]) < 0 {
			return nil
		}
		return nonEmpty([]string{strings.TrimPrefix(text[at+1:], "=")})
	}
	return nil
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func nonEmpty(list []string) []string {
	var all []string
	for _, text := range list {
		if text != "" {
			all = append(all, text)
		}
	}
	return all
}

// valueLetters returns the short options of a program that take a value, and
// those of them whose value is a file. Of programs with no such option both are
// empty.
func valueLetters(program string) (letters, files string, ok bool) {
	switch program {
	case "grep", "egrep", "fgrep", "zgrep":
		return "efmABCdD", "f", true
	case "rg":
		return "efgtTmABCMjdEr", "f", true
	case "find", "echo", "printf", "test", "[", "go", "gofmt", "openssl", "ps", "cat", "tac", "wc", "tr", "pwd", "cd", "which", "sleep", "chmod", "chown", "chgrp",
		"rm", "rmdir", "basename", "dirname", "true", "false", "set", "export", "read", "uname", "id", "cmp", "readlink", "realpath",
		"npm", "pnpm", "yarn", "kill", "df", "free", "terraform":
		return "", "", true
	case "ls":
		return "ITw", "", true
	case "head":
		return "cn", "", true
	case "tail":
		return "cns", "", true
	case "cut":
		return "bcdf", "", true
	case "uniq":
		return "fsw", "", true
	case "sort":
		return "kotST", "oT", true
	case "du":
		return "dBtX", "X", true
	case "tree":
		return "LPIoHT", "o", true
	case "diff":
		return "UCFIxXSWDL", "XS", true
	case "stat":
		return "cf", "", true
	case "date":
		return "dfrsI", "fr", true
	case "base64", "base32":
		return "wio", "io", true
	case "mkdir":
		return "m", "", true
	case "cp", "mv", "ln", "install":
		return "tSmgo", "t", true
	case "touch":
		return "drt", "r", true
	case "file":
		return "eFmPf", "mf", true
	case "awk", "gawk", "mawk", "nawk":
		return "Fvf", "f", true
	case "sed", "gsed":
		return "efl", "f", true
	case "xargs":
		return "adEIiLlnPs", "a", true
	case "tar", "gtar", "bsdtar":
		return "fCXbgKLNVHTIF", "fCXgLTIF", true
	case "git":
		return "FOCoXSmGLnBMUW", "FOCo", true
	case "curl":
		return "oXHdFAbceuTmUxzQrwEtyYPCDK", "oTKcDbE", true
	case "wget":
		return "OoaiPtTUwQlARIDXBe", "OoaiP", true
	case "gcc", "g++", "cc", "c++", "clang", "clang++":
		return "IoLDUlBfmOWgx", "IoLB", true
	case "make", "gmake":
		return "CIfjloW", "CIfoW", true
	}
	return "", "", false
}
