package cmdline

import "strings"

// danger is which options make a program run something else.
type danger struct {
	long   string // --name, or -name for programs with long names after one dash
	short  string // letters
	valued string // letters of harmless options with a value, which may be in the same word
	words  string // arguments, anywhere
	single bool   // its long names come after one dash
	reads  bool   // it only reads, so that a word which is not known is no danger
}

// dangerOf returns which options make a program run something that is not seen.
// It is a help, not a proof: a program that is not here is trusted with
// whatever a rule allows it.
func dangerOf(name string) (danger, bool) {
	d := danger{}
	switch name {
	case "git":
		d = danger{long: "config-env exec-path upload-pack receive-pack ext-diff open-files-in-pager extcmd exec template textconv upload-archive pager editor", words: "ext::"}
	case "tar", "gtar", "bsdtar":
		d = danger{long: "to-command checkpoint-action use-compress-program info-script new-volume-script rsh-command rmt-command files-from dereference", short: "IFTh", valued: "fCXbgKLNVH"}
	case "rg":
		d = danger{long: "pre hostname-bin follow", short: "L", valued: "efgtTmABCMjdEr"}
	case "ag", "ack", "bat", "batcat", "delta":
		d = danger{long: "pager ackrc diff-so-fancy map-syntax follow"}
	case "sort":
		d = danger{long: "compress-program files0-from", valued: "kotST"}
	case "go":
		d = danger{long: "exec toolexec vettool overlay modfile pkgdir extld C", single: true}
	case "rsync":
		d = danger{long: "rsh rsync-path config dparam remote-option copy-links copy-unsafe-links copy-dirlinks", short: "eMLk", valued: "fTB"}
	case "scp":
		d = danger{short: "SoFDJ", valued: "ciPlX"}
	case "sftp":
		d = danger{short: "SoFDJbs", valued: "ciPlX"}
	case "wget":
		d = danger{long: "use-askpass execute config", short: "e", valued: "OoaiPtTUwQlARIDXB"}
	case "curl":
		d = danger{long: "config engine proto-default", short: "K", valued: "oXHdFAbceuTmUxzQrwEtyYPCD"}
	case "zip":
		d = danger{long: "unzip-command", short: "T", valued: "bnxit"}
	case "man":
		d = danger{long: "pager html preprocessor config-file gxditview", short: "PHCpX", valued: "LmMsSerERT"}
	case "less", "more", "most":
		d = danger{long: "lesskey-file lesskey-src lesskey-content log-file LOG-FILE tag prompt cmd", short: "koOt", valued: "bhjpxyzPD#"}
	case "cargo":
		d = danger{long: "config"}
	case "make", "gmake":
		d = danger{long: "eval file makefile directory include-dir", short: "EfCI", valued: "jloW"}
	case "gcc", "g++", "cc", "c++", "clang", "clang++":
		d = danger{long: "wrapper fplugin specs B Xclang load plugin", single: true}
	default:
		return moreDanger(name)
	}
	return d, true
}

func moreDanger(name string) (danger, bool) {
	d := danger{}
	switch name {
	case "hg":
		d = danger{long: "config ssh remotecmd tool"}
	case "svn":
		d = danger{long: "config-option config-dir diff-cmd diff3-cmd editor-cmd merge-tool"}
	case "apt", "apt-get", "aptitude":
		d = danger{long: "option config-file", short: "oc", valued: "t"}
	case "dpkg":
		d = danger{long: "pre-invoke post-invoke admindir root path-exclude"}
	case "fzf":
		d = danger{long: "preview bind execute listen with-shell"}
	case "split":
		d = danger{long: "filter", valued: "abClnt"}
	case "gpg", "gpg2":
		d = danger{long: "exec-path photo-viewer agent-program dirmngr-program pinentry-program options homedir"}
	case "openssl":
		d = danger{long: "engine provider provider-path config", single: true}
	case "pip", "pip3":
		d = danger{long: "python global-option install-option build-option config-settings"}
	case "pytest", "py.test":
		d = danger{long: "rootdir confcutdir override-ini", short: "pco", valued: "kmrnW"}
	case "eslint", "prettier", "jest", "vitest", "webpack", "rollup", "tsc", "babel", "mocha":
		d = danger{long: "config plugin rulesdir require import loader resolve-plugins-relative-to parser globalSetup setupFiles transform", short: "cr"}
	case "gradle", "gradlew", "mvn":
		d = danger{long: "init-script file build-file settings", short: "Ibfs"}
	case "ip":
		d = danger{words: "exec:", long: "batch", short: "b"}
	case "mount", "tcpdump", "grep", "egrep", "fgrep", "zgrep", "wc", "du", "file", "diff", "tree", "cp":
		return readingDanger(name)
	case "docker", "podman", "kubectl", "nerdctl", "docker-compose", "oc":
		d = danger{words: "exec:"}
	case "terraform":
		d = danger{words: "console:", long: "plugin-dir", single: true}
	case "vagrant", "heroku":
		d = danger{words: "ssh: run:"}
	case "dotnet":
		d = danger{words: "exec:"}
	case "poetry", "pipenv", "uv", "rye", "pdm", "hatch", "conda", "mamba", "bundle", "rbenv", "pyenv", "nodenv", "devbox", "opam", "stack", "cabal":
		d = danger{words: "run: exec: shell:"}
	case "uvx", "pipx":
		d = danger{long: "call shell python", short: "c"}
	default:
		return d, false
	}
	return d, true
}

// readingDanger has the programs that can be told to read what no word names:
// the files of a list, or those that links lead to.
func readingDanger(name string) (danger, bool) {
	switch name {
	case "grep", "egrep", "fgrep", "zgrep":
		return danger{reads: true, long: "dereference-recursive", short: "R", valued: "efmABCdD"}, true
	case "cp":
		return danger{reads: true, long: "dereference", short: "LH", valued: "tS"}, true
	case "wc":
		return danger{reads: true, long: "files0-from"}, true
	case "du":
		return danger{reads: true, long: "files0-from", valued: "dBtX"}, true
	case "file":
		return danger{reads: true, long: "files-from compile", short: "fC", valued: "eFmP"}, true
	case "diff":
		return danger{reads: true, long: "recursive", short: "r", valued: "UCFIxXSWD"}, true
	case "tree":
		return danger{reads: true, long: "fromfile fromtabfile infofile", short: "l", valued: "LPIoHT"}, true
	}
	return oddDanger(name)
}

func oddDanger(name string) (danger, bool) {
	switch name {
	case "tcpdump":
		return danger{short: "z", valued: "wrFciGWsTeE"}, true
	case "mount":
		return danger{short: "toO"}, true
	}
	return danger{}, false
}

// runningOptions notes options of a program that make it run something else.
func runningOptions(p *Part, name string) {
	if packageManager(name) {
		packageOptions(p, name)
		return
	}
	d, ok := dangerOf(name)
	if !ok {
		return
	}
	for i := 1; i < len(p.Words); i++ {
		w := p.Words[i]
		switch {
		case endsOptions(p.Words, i):
			d.argumentsOnly(p, name, i)
			return
		case !w.Known && mayBeOption(w) && !d.reads:
			p.markUnknown(i, "an argument that is not known could be an option")
		case strings.HasPrefix(w.Text, "-") && d.runs(w.Text):
			p.markUnknown(i, "an option may %s something else (%s %s)", d.does(), name, w.Text)
		case d.argument(p.Words, i):
			p.markUnknown(i, "may run something else (%s %s)", name, w.Text)
		}
	}
	special := map[string]func(*Part){
		"git": gitRuns, "go": goRuns, "make": makeRuns, "gmake": makeRuns, "tar": tarRuns, "gtar": tarRuns, "less": pagerRuns, "more": pagerRuns,
	}
	if note := special[name]; note != nil {
		note(p)
	}
}

func (d danger) argumentsOnly(p *Part, name string, from int) {
	for i := from + 1; i < len(p.Words); i++ {
		if d.argument(p.Words, i) {
			p.markUnknown(i, "may run something else (%s %s)", name, p.Words[i].Text)
		}
	}
}

// does says what the options do that are in the list.
func (d danger) does() string {
	if d.reads {
		return "read"
	}
	return "run"
}

// endsOptions says whether a word is the -- after which no options come. After
// what looks like an option it may be that one's value.
func endsOptions(words []Word, i int) bool {
	return words[i].Known && words[i].Text == "--" && (i == 1 || !strings.HasPrefix(words[i-1].Text, "-"))
}

// runs says whether a word of options has one that runs something else. A long
// name may be cut short.
func (d danger) runs(text string) bool {
	name, _, _ := strings.Cut(text, "=")
	if bare := strings.TrimLeft(name, "-"); bare != "" && (strings.HasPrefix(name, "--") || d.single) {
		for field := range strings.FieldsSeq(d.long) {
			if strings.HasPrefix(field, bare) && (!d.single || field == bare) || d.single && len(field) > 5 && strings.HasPrefix(bare, field) {
				return true
			}
		}
		return false
	}
	for i := 1; i < len(text); i++ {
		if strings.IndexByte(d.short, text[i]) >= 0 {
			return true
		}
		if strings.IndexByte(d.valued, text[i]) >= 0 {
			return false
		}
	}
	return false
}

// argument says whether an argument makes the program run something else:
// "run:" is that word, "bisect:run" the second after the first, "ext::" a
// beginning.
func (d danger) argument(words []Word, i int) bool {
	for field := range strings.FieldsSeq(d.words) {
		first, second, _ := strings.Cut(field, ":")
		text := words[i].Text
		switch {
		case strings.HasSuffix(field, "::"):
			if strings.Contains(text, field) {
				return true
			}
		case second == "":
			if text == first {
				return true
			}
		case text == second && i > 1 && words[i-1].Text == first:
			return true
		}
	}
	return false
}
