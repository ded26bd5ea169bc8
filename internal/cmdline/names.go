package cmdline

import "strings"

// harmlessName says whether setting a variable changes nothing about what
// programs and which code run.
func harmlessName(name string, exported bool) bool {
	if strings.HasPrefix(name, "LC_") {
		return true
	}
	switch name {
	case "LANG", "LANGUAGE", "TZ", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS",
		"LINES", "CI", "CGO_ENABLED", "GOOS", "GOARCH", "GOMAXPROCS", "GOGC", "DEBUG", "VERBOSE", "NODE_ENV",
		"RUST_BACKTRACE", "RUST_LOG", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "SOURCE_DATE_EPOCH":
		return true
	}
	if exported || strings.HasSuffix(name, "_proxy") || name == "path" || name == "fpath" || name == "cdpath" {
		return false
	}
	return name == strings.ToLower(name) || len(name) == 1
}

func harmlessAssigns(list []Assign) bool {
	for _, a := range list {
		if !harmlessName(a.Name, a.Exported) {
			return false
		}
	}
	return true
}

// dangerousName says whether setting a variable may make any program run other
// code than its own.
func dangerousName(name string) bool {
	for _, prefix := range []string{
		"LD_", "DYLD_", "GIT_", "BASH_", "PYTHON", "PERL", "RUBY", "NODE_", "NPM_", "npm_", "JAVA_", "_JAVA", "GCONV", "SUDO_", "SSH_",
		"PHP", "LUA", "CARGO_", "RUSTC", "PIP_", "UV_", "YARN_", "DOCKER_", "LESS", "AWK", "JULIA_", "ERL_", "DOTNET_", "ELECTRON_", "OPENSSL_", "TCL",
	} {
		if strings.HasPrefix(name, prefix) {
			return !harmlessName(name, true)
		}
	}
	for _, suffix := range []string{"PAGER", "EDITOR", "_COMMAND", "_HELPER", "_ASKPASS", "_RSH", "_OPTS", "_OPTIONS", "_SHELL", "_EXEC", "_PROGRAM", "_WRAPPER", "_BROWSER", "FLAGS"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	switch name {
	case "PATH", "ENV", "IFS", "SHELL", "SHELLOPTS", "BASHOPTS", "PS0", "PS1", "PS2", "PS4", "CDPATH", "FIGNORE",
		"VISUAL", "BROWSER", "GOROOT", "GOPATH", "GOTOOLCHAIN", "GOENV", "GOBIN", "CC", "CXX", "AR", "FC", "MAKE", "MAKEFILES", "RIPGREP_CONFIG_PATH", "FCEDIT",
		"INPUTRC", "TERMINFO", "CURL_HOME", "WGETRC", "HISTFILE", "TMOUT", "R_PROFILE", "KUBECONFIG", "POSIXLY_CORRECT", "HOME", "XDG_CONFIG_HOME", "ZDOTDIR", "FPATH", "MANOPT", "CLASSPATH":
		return true
	}
	return false
}

// special says whether a function of this name would change how a line is read
// here.
func special(name string) bool {
	if _, ok := wrapperFor(name); ok || shellName(name) {
		return true
	}
	switch name {
	case "cd", "pushd", "popd", "chdir", "eval", "source", ".", "trap", "set", "shopt", "alias", "unalias", "enable", "hash",
		"export", "declare", "typeset", "local", "readonly", "read", "printf", "unset", "test", "[", ":", "true", "false", "return", "exit":
		return true
	}
	return false
}

// base is a program's name without its directory.
func base(program string) string {
	return program[strings.LastIndexByte(program, '/')+1:]
}
