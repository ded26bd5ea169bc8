package cmdline

import "strings"

// amongArguments says whether a program that nobody knows may be one that runs
// another, which is named by one of its arguments.
func (g glob) amongArguments(words []Word) Answer {
	if runsModule(words, "pytest") || runsModule(words, "unittest") {
		return No
	}
	if name := base(words[0].Text); knownProgram(name) && !runsArguments(name, words[1:]) {
		return No
	}
	for _, w := range words[1:] {
		if g.isProgram(w.Text) {
			return Maybe
		}
		for _, field := range strings.FieldsFunc(w.Text, func(c rune) bool { return strings.ContainsRune(" \t\n=;|&()<>{}`'\"$,:", c) }) {
			if g.isProgram(field) {
				return Maybe
			}
		}
	}
	return No
}

// knownProgram says whether it is known what a program does with its arguments:
// either they are looked through for what they run, or they are only words.
func knownProgram(name string) bool {
	if _, ok := wrapperFor(name); ok || shellName(name) || builtinName(name) || packageManager(name) || subcommands(name) {
		return true
	}
	if level, _ := plainHazard(name); level != None {
		return true
	}
	if _, ok := dangerOf(name); ok {
		return true
	}
	switch name {
	case "find", "fd", "fdfind", "awk", "gawk", "mawk", "nawk", "sed", "gsed", "busybox", "toybox":
		return true
	case "cat", "tac", "nl", "head", "tail", "cut", "paste", "join", "comm", "uniq", "shuf", "tr", "fold", "fmt", "column", "expand", "unexpand",
		"rev", "split", "csplit", "od", "xxd", "hexdump", "strings", "base64", "base32", "md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum", "tee",
		"ls", "dir", "stat", "readlink", "realpath", "basename", "dirname", "pwd", "touch", "mkdir", "rmdir", "rm", "unlink", "mktemp",
		"chmod", "chown", "chgrp", "df", "cmp", "diff3", "sdiff", "patch", "look", "locate", "dd",
		"gzip", "gunzip", "zcat", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzip", "zipinfo", "7z", "jq", "yq", "iconv", "envsubst",
		"date", "cal", "sleep", "seq", "yes", "bc", "dc", "expr", "factor", "numfmt", "nproc", "uname", "hostname", "whoami", "id", "groups", "who",
		"w", "uptime", "free", "ps", "top", "pgrep", "pidof", "lsof", "ss", "netstat", "ping", "dig", "host", "nslookup", "tty", "stty",
		"which", "whereis", "whatis", "apropos", "info", "tput", "clear", "reset", "cowsay", "figlet", "notify-send",
		"gofmt", "goimports", "gopls", "staticcheck", "golangci-lint", "rustc", "rustfmt", "javac", "black", "ruff", "flake8", "mypy", "pylint",
		"shellcheck", "yamllint", "tsc", "eslint", "prettier", "gcov", "nm", "objdump", "readelf", "ldd", "strip", "ar", "ranlib", "ld", "as",
		"fzf", "tokei", "cloc", "scc", "exa", "eza", "lsd", "bat", "pandoc", "dot", "convert", "identify", "markdownlint":
		return true
	}
	return false
}

// runsArguments says whether a program that is known for other things runs some
// of its arguments here.
func runsArguments(name string, args []Word) bool {
	switch name {
	case "npx", "pnpx", "bunx", "uvx", "pipx":
		return true
	case "docker", "podman", "kubectl", "uv", "poetry", "pipenv", "conda", "bundle", "nix", "rustup", "mix", "helm", "snap", "flatpak", "deno", "cargo",
		"vagrant", "heroku", "dotnet", "nerdctl", "docker-compose", "oc", "rye", "pdm", "hatch", "mamba", "rbenv", "pyenv", "nodenv", "devbox", "opam", "stack", "cabal",
		"npm", "pnpm", "yarn", "bun", "gcloud", "az", "systemctl", "journalctl", "hg":
	default:
		return false
	}
	for _, w := range args {
		switch w.Text {
		case "run", "exec", "shell", "develop", "cmd", "dlx", "compose", "debug", "ssh", "eval":
			return name != "npm" || w.Text != "run"
		case "x":
			return name == "npm" || name == "pnpm" || name == "bun"
		}
	}
	return false
}

// builtinName says whether a name is a command of the shell itself.
func builtinName(name string) bool {
	if special(name) {
		return true
	}
	switch name {
	case "echo", "[[", "type", "wait", "jobs", "fg", "bg", "disown", "kill", "times", "ulimit", "umask", "shift", "break", "continue", "getopts",
		"let", "mapfile", "readarray", "complete", "compgen", "compopt", "bind", "fc", "history", "dirs", "logout", "suspend", "caller", "help", "nameref":
		return true
	}
	return false
}
