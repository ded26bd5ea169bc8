package cmdline

import (
	"slices"
	"strings"
)

// programHazard says what harm a program could do, in words for people.
func programHazard(p Part) (Level, string) {
	name := p.name()
	switch name {
	case "rm", "unlink", "rmdir":
		return rmHazard(p, name)
	case "dd":
		for _, w := range p.Words {
			if path, ok := strings.CutPrefix(w.Text, "of="); ok && isDisk(path) {
				return Critical, "overwrites a disk (dd " + w.Text + ")"
			}
		}
		return Medium, "copies bytes to where it is told (dd)"
	case "git":
		return gitHazard(p)
	case "chmod", "chown", "chgrp", "setfacl", "chattr":
		if p.has("-R", "--recursive") {
			return High, "changes permissions recursively (" + name + " -R)"
		}
		return Medium, "changes permissions (" + name + ")"
	case "tar", "unzip", "7z":
		return Low, "may write many files (" + name + ")"
	case "docker", "podman", "kubectl", "helm", "terraform", "aws", "gcloud", "az":
		return subcommandHazard(p, name)
	case "npm", "pnpm", "yarn", "pip", "pip3", "cargo", "gem":
		return packageHazard(p, name)
	}
	return plainHazard(name)
}

// plainHazard has the programs that are as bad with any arguments.
func plainHazard(name string) (Level, string) {
	if strings.HasPrefix(name, "mkfs") {
		return Critical, "makes a file system (" + name + ")"
	}
	switch name {
	case "sudo", "su", "doas", "pkexec", "runuser", "run0", "sudoedit", "gosu", "su-exec":
		return High, "changes privileges (" + name + ")"
	case "curl", "wget", "fetch", "nc", "ncat", "netcat", "socat", "telnet", "ftp", "lftp", "ssh", "scp", "sftp", "rsync", "aria2c", "http", "https", "nmap":
		return Medium, "reaches the network (" + name + ")"
	case "kill", "pkill", "killall", "xkill":
		return Medium, "stops processes (" + name + ")"
	case "shred", "wipefs", "truncate":
		return High, "destroys data (" + name + ")"
	case "fdisk", "parted", "sfdisk", "gdisk", "cfdisk", "mkswap", "cryptsetup", "lvremove", "vgremove", "pvremove":
		return Critical, "changes disks (" + name + ")"
	case "reboot", "shutdown", "halt", "poweroff", "init", "telinit":
		return High, "stops the machine (" + name + ")"
	case "mount", "umount", "iptables", "nft", "ufw", "sysctl", "modprobe", "insmod", "rmmod", "swapoff":
		return High, "changes the system (" + name + ")"
	case "systemctl", "service", "launchctl":
		return Medium, "controls services (" + name + ")"
	case "useradd", "userdel", "usermod", "groupadd", "groupdel", "passwd", "chpasswd", "visudo":
		return High, "changes accounts (" + name + ")"
	case "apt", "apt-get", "aptitude", "dnf", "yum", "pacman", "zypper", "brew", "apk", "dpkg", "rpm", "snap":
		return Medium, "installs or removes software (" + name + ")"
	case "crontab", "at", "batch", "systemd-run":
		return High, "runs something later (" + name + ")"
	case "mv", "cp", "install", "ln":
		return Low, "may overwrite files (" + name + ")"
	case "chroot", "unshare", "nsenter":
		return High, "runs in another root or namespace (" + name + ")"
	case "strace", "ltrace", "gdb":
		return Medium, "looks into a process (" + name + ")"
	case "history", "printenv":
		return Low, "may print secrets (" + name + ")"
	}
	return None, ""
}

func rmHazard(p Part, name string) (Level, string) {
	if name != "rm" || !p.has("-r", "-R", "--recursive") {
		return Medium, "deletes files (" + name + ")"
	}
	for _, a := range readArgs(p.Words) {
		if a.option == "" && everything(a.word) {
			return Critical, "deletes everything it can reach (rm -r)"
		}
	}
	return High, "deletes files recursively (rm -r)"
}

// everything says whether a path stands for a whole disk, home or directory.
func everything(w Word) bool {
	if !w.Known {
		return w.Home || w.Glob && (w.Text == "" || w.Text == "/" || w.Text == "./" || w.Text == "../")
	}
	switch strings.TrimRight(w.Text, "/") {
	case "", ".", "..", "~", "/home", "/root", "/etc", "/usr", "/var", "/bin", "/lib", "/boot", "/opt", "/Users":
		return w.Text != ""
	}
	return strings.HasSuffix(w.Text, "/..") || strings.HasSuffix(w.Text, "/.")
}

func gitHazard(p Part) (Level, string) {
	at := gitSubcommand(p.Words)
	if at == 0 {
		return None, ""
	}
	switch sub := p.Words[at].Text; sub {
	case "push":
		forced := p.has("-f", "--force", "--force-with-lease", "--mirror")
		for _, w := range p.Words[at:] {
			forced = forced || strings.HasPrefix(w.Text, "+")
		}
		switch {
		case forced:
			return High, "force-pushes (git push --force)"
		case p.has("-d", "--delete", "--prune") || slices.ContainsFunc(p.Words, func(w Word) bool { return len(w.Text) > 1 && w.Text[0] == ':' }):
			return High, "deletes remote branches (git push)"
		}
		return Medium, "publishes commits (git push)"
	case "reset":
		if p.has("--hard") {
			return High, "throws away changes (git reset --hard)"
		}
	case "clean":
		return High, "deletes untracked files (git clean)"
	case "checkout", "restore", "stash", "rebase":
		return Low, "may change the working tree (git " + sub + ")"
	case "branch", "tag":
		if p.has("-D", "-d", "--delete") {
			return Medium, "deletes references (git " + sub + ")"
		}
	case "clone", "fetch", "pull", "ls-remote":
		return Low, "reaches the network (git " + sub + ")"
	case "filter-branch", "filter-repo":
		return High, "rewrites history (git " + sub + ")"
	}
	return None, ""
}

func subcommandHazard(p Part, name string) (Level, string) {
	for _, w := range p.Words[1:] {
		switch w.Text {
		case "rm", "rmi", "delete", "destroy", "prune", "drain", "uninstall", "down", "terminate", "kill":
			return High, "deletes or stops things elsewhere (" + name + " " + w.Text + ")"
		case "apply", "run", "exec", "create", "push", "install", "upgrade", "scale", "deploy":
			return Medium, "changes or runs things elsewhere (" + name + " " + w.Text + ")"
		}
	}
	return None, ""
}

func packageHazard(p Part, name string) (Level, string) {
	for _, w := range p.Words[1:] {
		switch w.Text {
		case "install", "i", "add", "ci", "update", "upgrade", "uninstall", "remove":
			return Medium, "installs or removes packages (" + name + " " + w.Text + ")"
		case "publish", "yank", "unpublish", "deprecate":
			return High, "publishes packages (" + name + " " + w.Text + ")"
		}
	}
	return None, ""
}

// has says whether a part has one of these options, in any spelling.
func (p Part) has(names ...string) bool {
	for _, a := range readArgs(p.Words) {
		if slices.Contains(names, a.option) {
			return true
		}
	}
	return false
}
