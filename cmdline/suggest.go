package cmdline

import (
	"slices"
	"strings"
)

// Suggest returns patterns that together cover a line, narrow enough that a
// person may remember them, or nil where there are none such.
func Suggest(l Line) []string {
	if len(l.Unknown) > 0 {
		return nil
	}
	var all []string
	for _, p := range l.Parts {
		if p.Light {
			continue
		}
		text, ok := suggestion(p)
		if !ok {
			return nil
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

func suggestion(p Part) (string, bool) {
	if len(p.Words) == 0 || !p.Words[0].Known || len(p.Opaque) > 0 || !harmlessAssigns(p.Assigns) {
		return "", false
	}
	program := p.Words[0].Text
	if tooWide(base(program)) {
		return "", false
	}
	text := quoteAll([]string{program}) + " *"
	if subcommands(program) {
		if len(p.Words) < 2 || !p.Words[1].Known || strings.HasPrefix(p.Words[1].Text, "-") {
			return "", false
		}
		text = quoteAll([]string{program, p.Words[1].Text}) + " *"
	}
	pattern, err := CompilePattern(text)
	return text, err == nil && pattern.Covers(p)
}

// tooWide says whether nobody should clear a program with any arguments.
func tooWide(program string) bool {
	if shellName(program) {
		return true
	}
	if _, ok := wrapperFor(program); ok {
		return true
	}
	for _, prefix := range []string{"python", "perl", "ruby", "node", "php", "lua", "mkfs", "awk"} {
		if strings.HasPrefix(program, prefix) {
			return true
		}
	}
	switch program {
	case "rm", "rmdir", "dd", "shred", "truncate", "chmod", "chown", "chgrp", "chattr", "setfacl", "kill", "killall", "pkill",
		"curl", "wget", "nc", "ncat", "socat", "telnet", "ftp", "sftp", "scp", "rsync", "mount", "umount", "fdisk", "parted", "wipefs",
		"reboot", "shutdown", "halt", "poweroff", "init", "passwd", "useradd", "userdel", "usermod", "visudo", "iptables", "nft",
		"gawk", "mawk", "nawk", "deno", "bun", "tclsh", "osascript", "gdb", "psql", "mysql", "sqlite3", "npx", "bunx", "uvx",
		"export", "declare", "typeset", "readonly", "unset", "set", "shopt", "mv", "cp", "ln", "install", "tee":
		return true
	}
	return false
}
