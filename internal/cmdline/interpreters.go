package cmdline

import "strings"

// language is how an interpreter is called.
type language struct {
	harmless string // options that run nothing, as for wrappers
	reads    bool   // without a script it runs its input
	ends     string // options after which the rest belongs to what they name
}

// languageOf returns how an interpreter is called.
func languageOf(name string) (language, bool) {
	switch {
	case strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy"):
		return language{harmless: "-b -B -d -E -I -O -OO -P -q -s -S -u -v -x -W: -X: -V --version -VV -h --help", reads: true, ends: "-m"}, true
	case strings.HasPrefix(name, "perl"):
		return language{harmless: "-w -W -T -t -u -v --version -h --help", reads: true}, true
	case strings.HasPrefix(name, "ruby"), strings.HasPrefix(name, "jruby"):
		return language{harmless: "-w -W -v --version -h --help", reads: true}, true
	case strings.HasPrefix(name, "php"):
		return language{harmless: "-v --version -h --help -l -m -i", reads: true}, true
	case strings.HasPrefix(name, "lua"):
		return language{harmless: "-v", reads: true}, true
	}
	switch name {
	case "node", "nodejs":
		return language{harmless: "-v --version -h --help -c --check --test --watch --enable-source-maps --no-warnings --trace-warnings", reads: true}, true
	case "tclsh", "wish", "expect", "osascript", "Rscript", "R", "julia", "ghci", "runghc", "irb", "guile", "racket", "sbcl", "clisp",
		"elixir", "iex", "erl", "escript", "groovy", "scala", "jshell", "octave", "gjs", "qjs", "ts-node", "tsx", "jq-repl":
		return language{harmless: "--version --help", reads: true}, true
	}
	return language{}, false
}

// interpreter notes code that a part hands to an interpreter.
func interpreter(p *Part, name string) {
	switch name {
	case "awk", "gawk", "mawk", "nawk", "original-awk":
		awk(p)
		return
	case "jq", "gojq", "jaq":
		jq(p)
		return
	case "sed", "gsed":
		sed(p)
		return
	}
	if why := wholly(name); why != "" {
		p.markUnknown(0, "%s (%s)", why, name)
		return
	}
	lang, ok := languageOf(name)
	if !ok {
		return
	}
	for i := 1; i < len(p.Words); i++ {
		w := p.Words[i]
		switch {
		case !w.Known && mayBeOption(w):
			p.markUnknown(i, "an argument that is not known could be an option")
			return
		case w.Known && w.Text == "-", strings.HasPrefix(w.Text, "/dev/"), strings.HasPrefix(w.Text, "/proc/"):
			p.markUnknown(-1, "runs what comes on its input (%s)", name)
			return
		case w.Known && w.Text == "--":
			continue
		case !strings.HasPrefix(w.Text, "-"):
			return // a script: its arguments are its own
		}
		if hasField(lang.ends, w.Text) {
			return
		}
		switch kind := lang.kind(w.Text); kind {
		case ':':
			i++
		case '-':
		case 'v':
			return
		default:
			p.markUnknown(i, "runs code that is not seen (%s %s)", name, w.Text)
			return
		}
	}
	if lang.reads {
		p.markUnknown(-1, "runs what comes on its input (%s)", name)
	}
}

// kind says whether an option is harmless: '-', with a value ':', or 'v' where
// it only prints something; 0 for any other.
func (l language) kind(option string) byte {
	switch option {
	case "-V", "-VV", "-v", "--version", "-h", "--help":
		if hasField(l.harmless, option) {
			return 'v'
		}
	}
	switch {
	case hasField(l.harmless, option):
		return '-'
	case hasField(l.harmless, option+":"):
		return ':'
	case len(option) > 2 && option[1] != '-' && hasField(l.harmless, option[:2]+":"):
		return '-'
	}
	return 0
}

func hasField(list, word string) bool {
	for field := range strings.FieldsSeq(list) {
		if field == word {
			return true
		}
	}
	return false
}

// wholly says of a program why whatever it is given may run anything, or "".
func wholly(name string) string {
	switch name {
	case "vim", "vi", "nvim", "view", "gvim", "vimdiff", "rvim", "ex", "ed", "emacs", "emacsclient", "nano", "pico", "joe", "mcedit", "helix", "hx", "kak":
		return "is an editor that runs commands"
	case "gdb", "lldb", "mysql", "mariadb", "psql", "sqlite3", "sqlite", "mongosh", "mongo", "redis-cli", "duckdb", "ftp", "lftp", "telnet", "mail", "mailx", "mutt":
		return "has commands of its own that run others"
	case "rlwrap", "unbuffer", "entr", "dbus-run-session", "dbus-launch", "systemd-run", "at", "batch", "crontab", "screen", "tmux", "socat",
		"nc", "ncat", "netcat", "xvfb-run", "fakeroot", "proot", "bwrap", "firejail", "unionfs", "start-stop-daemon", "daemonize", "setpriv",
		"capsh", "newgrp", "sg", "pkexec", "run0", "gosu", "su-exec", "linux32", "linux64", "setarch", "i386", "x86_64", "prlimit", "numactl", "cgexec",
		"catchsegv", "valgrind", "perf", "ltrace-run", "hyperfine", "watchexec", "inotifywait-run", "nodemon", "reflex", "torsocks", "proxychains",
		"proxychains4", "tsocks", "pipexec", "dtach", "abduco", "ttyd", "run-parts", "run-mailcap", "see", "open", "xdg-open", "ssh-agent",
		"mosh", "rsh", "rexec", "pdsh", "ansible", "choom", "uclampset", "pkgexec", "faketime", "eatmydata", "cpulimit", "trickle", "ld.so",
		"ld-linux.so.2", "ld-linux-x86-64.so.2", "dotenv", "direnv", "nix-shell", "asdf", "mise", "logsave", "sem", "coproc", "qemu-x86_64", "doit":
		return "runs what it is given"
	}
	return ""
}
