package policy

import (
	"path"
	"strings"

	"github.com/lineclear/lineclear/internal/cmdline"
)

// sweeps reports whether a part works on all that is in the folders which it is
// given, so that naming a folder names what is below it.
func sweeps(part cmdline.Part) bool {
	if len(part.Words) == 0 {
		return false
	}
	switch path.Base(part.Words[0].Text) {
	case "rm", "mv", "tar", "zip", "rsync", "shred":
		return true
	case "cp", "scp", "chmod", "chown", "chgrp":
	case "find":
		return len(part.Opaque) > 0
	default:
		return false
	}
	for _, w := range part.Words[1:] {
		long := strings.HasPrefix(w.Text, "--")
		if long && (strings.HasPrefix(w.Text, "--recursive") || strings.HasPrefix(w.Text, "--archive") || strings.HasPrefix(w.Text, "--dereference-r")) ||
			!long && strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, "rRa") {
			return true
		}
	}
	return false
}

// gathers reports whether a part reads, or hands on, all that is in the folders
// which it is given. Listing names is not reading.
func gathers(part cmdline.Part) bool {
	if len(part.Words) == 0 {
		return false
	}
	switch path.Base(part.Words[0].Text) {
	case "rg", "ag", "ack", "rgrep", "7z", "7za", "7zr", "ln", "mount", "chroot", "docker", "podman", "nerdctl", "bwrap", "firejail", "rclone":
		return true
	case "grep", "egrep", "fgrep", "zgrep", "diff", "gzip", "setfacl":
		return recursive(part.Words[1:])
	}
	return false
}

// recursive reports whether an option says to go down into folders.
func recursive(args []cmdline.Word) bool {
	for i, w := range args {
		switch {
		case w.Text == "--":
			return false
		case strings.HasPrefix(w.Text, "--"):
			name, value, _ := strings.Cut(w.Text, "=")
			if len(name) > 4 && (strings.HasPrefix("--recursive", name) || strings.HasPrefix("--dereference-recursive", name)) ||
				strings.HasPrefix(name, "--dir") && (value == "" || strings.HasPrefix(value, "r")) {
				return true
			}
		case strings.HasPrefix(w.Text, "-"):
			if strings.ContainsAny(w.Text, "rR") || strings.HasSuffix(w.Text, "d") && i+1 < len(args) && strings.HasPrefix(args[i+1].Text, "rec") {
				return true
			}
		}
	}
	return false
}

// searchesHere reports whether a part reads all that is in its own directory,
// since it is given no other.
func searchesHere(part cmdline.Part) bool {
	if !gathers(part) {
		return false
	}
	switch path.Base(part.Words[0].Text) {
	case "rg", "ag", "ack", "grep", "egrep", "fgrep", "zgrep", "rgrep":
	default:
		return false
	}
	named := 0 // the pattern and what is searched
	for _, w := range part.Words[1:] {
		if !strings.HasPrefix(w.Text, "-") {
			named++
		}
	}
	return named <= 1
}
