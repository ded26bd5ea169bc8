package policy

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
)

// hazards lists harmful commands: a risk level, a description, and patterns. The first match counts.
const hazards = `
critical | makes a file system          | mkfs*
critical | changes disks                | fdisk, parted, sfdisk, gdisk, cfdisk, mkswap, cryptsetup, lvremove, vgremove, pvremove
high     | deletes files recursively    | rm -r
medium   | deletes files                | rm, unlink, rmdir
high     | destroys data                | shred, wipefs, truncate
medium   | copies bytes to where it is told | dd
high     | changes permissions recursively  | chmod -R, chown -R, chgrp -R, setfacl -R
medium   | changes permissions          | chmod, chown, chgrp, setfacl, chattr
high     | force-pushes                 | git push --force, git push --force-with-lease, git push --mirror
high     | deletes remote branches      | git push --delete, git push --prune, git push :*
medium   | publishes commits            | git push
high     | throws away changes          | git reset --hard, git clean
high     | rewrites history             | git filter-branch, git filter-repo
medium   | deletes references           | git branch -D, git branch -d, git tag -d
low      | reaches the network          | git clone, git fetch, git ls-remote
low      | may change the working tree  | git checkout, git switch, git restore, git stash, git merge, git rebase, git cherry-pick, git revert, git reset, git rm, git mv, git pull, git apply, git am
low      | may change the repository    | git add, git commit, git init, git config
high     | changes privileges           | sudo, su, doas, pkexec, runuser, run0, sudoedit, gosu, su-exec
high     | runs something later         | crontab, at, batch, systemd-run
high     | runs in another root or namespace | chroot, unshare, nsenter
high     | stops the machine            | reboot, shutdown, halt, poweroff, init, telinit
high     | changes the system           | mount, umount, iptables, nft, ufw, sysctl, modprobe, insmod, rmmod, swapoff
high     | changes accounts             | useradd, userdel, usermod, groupadd, groupdel, passwd, chpasswd, visudo
high     | publishes packages           | npm publish, npm unpublish, npm deprecate, pnpm publish, yarn publish, cargo publish, cargo yank, gem push, twine upload
high     | deletes or stops things elsewhere | docker rm, docker rmi, docker kill, docker stop, docker system prune, docker volume rm, docker compose down, podman rm, kubectl delete, kubectl drain, helm uninstall, terraform destroy, aws * delete*, aws * terminate*, aws s3 rm, gcloud * delete, az * delete
medium   | changes or runs things elsewhere  | docker run, docker exec, docker push, docker build, docker compose up, podman run, kubectl apply, kubectl create, kubectl exec, kubectl scale, kubectl run, helm install, helm upgrade, terraform apply, aws * create*, gcloud * create, az * create
medium   | installs or removes packages | npm install, npm i, npm ci, npm update, npm uninstall, pnpm install, pnpm add, pnpm remove, yarn install, yarn add, yarn remove, pip install, pip uninstall, pip3 install, pip3 uninstall, cargo install, cargo add, gem install, go install, go get, apt, apt-get, aptitude, dnf, yum, pacman, zypper, brew, apk, dpkg, rpm, snap
medium   | reaches the network          | curl, wget, fetch, nc, ncat, netcat, socat, telnet, ftp, lftp, ssh, scp, sftp, rsync, aria2c, http, https, nmap
medium   | stops processes              | kill, pkill, killall, xkill
medium   | controls services            | systemctl start, systemctl stop, systemctl restart, systemctl enable, systemctl disable, service, launchctl
medium   | looks into a process         | strace, ltrace, gdb
low      | may write many files         | tar -x, tar x*, unzip, 7z
low      | may overwrite files          | mv, cp, install, ln
low      | may print secrets            | history, printenv
low      | runs the project's own code  | go test, go run, go build, go generate, go vet, npm, npx, pnpm, yarn, bun, deno, make, gmake, cmake, ctest, cargo, pytest, vitest, jest, eslint, prettier, tsc, mypy, pylint
`

// changesFiles are the hazards of commands that change files without naming them.
var changesFiles = []string{"may change the working tree", "throws away changes", "may write many files"}

// projectsCode is the hazard of commands that run code from the working directory.
const projectsCode = "runs the project's own code"

type hazard struct {
	level   approval.RiskLevel
	text    string
	pattern programs.Pattern
}

var knownHazards = sync.OnceValue(func() []hazard {
	var all []hazard
	for line := range strings.Lines(hazards) {
		level, rest, found := strings.Cut(line, "|")
		if !found {
			continue
		}
		text, patterns, _ := strings.Cut(rest, "|")
		for pattern := range strings.SplitSeq(patterns, ",") {
			made, err := programs.Compile(strings.TrimSpace(pattern))
			if err != nil {
				continue // a test checks that all compile
			}
			all = append(all, hazard{approval.RiskLevel(strings.TrimSpace(level)), strings.TrimSpace(text), made})
		}
	}
	return all
})

// hazardAt returns the index of the first hazard that matches a part, or -1.
func hazardAt(part *plain.Part) int {
	return slices.IndexFunc(knownHazards(), func(h hazard) bool { return h.pattern.Runs(part) })
}

// hazardsOf returns why a part is risky.
func (c *call) hazardsOf(part *plain.Part) []raise {
	var reasons []raise
	add := func(level approval.RiskLevel, what, of string) {
		reasons = append(reasons, raise{level, what + " (" + of + ")"})
	}
	known := c.about(part)
	if known.doubt {
		add(approval.RiskHigh, "is given code that nobody has read", part.Program().Text)
	}
	if everything(part) {
		add(approval.RiskCritical, "deletes everything it can reach", "rm -r")
	} else if known.hazard >= 0 {
		h := knownHazards()[known.hazard]
		of := h.pattern.String()
		if strings.Contains(of, "*") {
			of = path.Base(part.Program().Text)
		}
		add(h.level, h.text, of)
	}
	for _, n := range c.filesOf(part) {
		if n.kind != programs.Read && n.kind != programs.List && isDisk(n.word.Text) {
			add(approval.RiskCritical, "may overwrite a disk", n.word.Text)
		}
	}
	for _, f := range part.Files {
		switch {
		case strings.HasPrefix(f.Path.Text, "/dev/tcp/"), strings.HasPrefix(f.Path.Text, "/dev/udp/"):
			add(approval.RiskHigh, "opens a connection", shown(f.Path))
		case f.Write && !plain.NullDevice(f.Path.Text):
			add(approval.RiskLow, "writes a file", shown(f.Path))
		}
	}
	return reasons
}

func isDisk(path string) bool {
	return slices.ContainsFunc([]string{"sd", "hd", "vd", "xvd", "nvme", "disk", "mmcblk", "mem", "mapper", "dm-"}, func(name string) bool {
		return strings.HasPrefix(path, "/dev/"+name)
	})
}

var removes = sync.OnceValue(func() programs.Pattern {
	recursive, _ := programs.Compile("rm -r")
	return recursive
})

// everything reports whether a part deletes a whole disk, home folder or working directory.
func everything(part *plain.Part) bool {
	return removes().Runs(part) && slices.ContainsFunc(part.Words[1:], func(w plain.Word) bool {
		text := strings.TrimRight(w.Text, "/")
		switch text {
		case "", ".", "..", "~", "/home", "/root", "/etc", "/usr", "/var", "/bin", "/lib", "/boot", "/opt", "/Users":
			return w.Text != ""
		}
		return strings.HasSuffix(text, "/..") || strings.HasSuffix(text, "/.") || text == plain.Join(part.Dir, ".")
	})
}

// fetchesAndRuns returns the program of a call that downloads something and may run it.
func (c *call) fetchesAndRuns() (program string, may bool) {
	for part := range c.parts() {
		switch name := path.Base(part.Program().Text); name {
		case "curl", "wget", "fetch":
			program = name
		default:
			may = may || c.about(part).doubt
		}
	}
	return program, program != "" && (may || c.unknown())
}
