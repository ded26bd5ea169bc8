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
		if len(p.Words) < 2 || !p.Words[1].Known || strings.HasPrefix(p.Words[1].Text, "-") || wideSubcommand(base(program), p.Words[1].Text) {
			return "", false
		}
		names := []string{program, p.Words[1].Text}
		if groups(names[1]) {
			if len(p.Words) < 3 || !p.Words[2].Known || strings.HasPrefix(p.Words[2].Text, "-") {
				return "", false
			}
			names = append(names, p.Words[2].Text)
		}
		text = quoteAll(names) + " *"
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

// groups says whether a subcommand only names a group: what is done comes next.
func groups(subcommand string) bool {
	switch subcommand {
	case "run", "compose", "tool", "stash", "pr", "issue", "repo", "remote", "worktree":
		return true
	}
	return false
}

// wideSubcommand says whether nobody should clear a subcommand with any
// arguments.
func wideSubcommand(program, sub string) bool {
	switch program {
	case "git", "hg", "svn":
		switch sub {
		case "push", "reset", "clean", "filter-branch", "filter-repo", "config", "update-ref", "reflog", "branch", "tag", "checkout",
			"restore", "rebase", "gc", "submodule", "hook", "rm", "remote", "worktree", "stash", "clone", "bisect":
			return true
		}
		return false
	case "docker", "podman", "kubectl", "helm", "terraform", "aws", "gcloud", "az", "gh", "glab", "systemctl", "oc", "nix":
		switch sub {
		case "get", "describe", "logs", "top", "ps", "images", "inspect", "version", "info", "plan", "show", "list", "ls", "status", "diff", "search":
			return false
		}
		return true
	case "apt", "apt-get", "brew", "dnf", "yum":
		switch sub {
		case "list", "search", "show", "info", "policy":
			return false
		}
		return true
	}
	switch sub {
	case "publish", "unpublish", "install", "i", "add", "ci", "update", "upgrade", "uninstall", "remove", "exec", "dlx", "x", "login", "logout", "config",
		"set", "env", "owner", "token", "yank", "get", "download", "eval", "repl", "run-script":
		return true
	}
	return false
}
