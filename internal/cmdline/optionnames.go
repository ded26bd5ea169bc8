package cmdline

import "strings"

// optionsOf returns what is known of a command's options. For a program that
// nobody knows, each word of options is a name.
func optionsOf(words []Word) options {
	program := base(words[0].Text)
	key := program
	if program == "git" {
		if i := gitSubcommand(words); i > 0 {
			key = "git " + words[i].Text
		}
	}
	text := optionTable(key)
	if text == "" {
		return options{}
	}
	return parseOptions(text)
}

// optionTable has, for a program, its options as words: "-r=--recursive" are two
// names of one option, "-n:" takes a value, "!" says that the list has all
// options that do.
func optionTable(key string) string {
	switch key {
	case "rm":
		return "! -r=--recursive -r=-R -f=--force -i -v=--verbose -d=--dir"
	case "cp":
		return "! -r=--recursive -r=-R -f=--force -a=--archive -v=--verbose -t:=--target-directory: -S:=--suffix:"
	case "mv":
		return "! -f=--force -v=--verbose -n=--no-clobber -t:=--target-directory: -S:=--suffix:"
	case "ls":
		return "! -a=--all -A=--almost-all -R=--recursive -r=--reverse -h=--human-readable -I:=--ignore: -w:=--width: -T:=--tabsize:"
	case "mkdir":
		return "! -p=--parents -v=--verbose -m:=--mode:"
	case "chmod", "chown", "chgrp":
		return "! -R=--recursive -v=--verbose -f=--silent -f=--quiet -c=--changes --reference:"
	case "grep", "egrep", "fgrep":
		return "! -r=--recursive -R=--dereference-recursive -n=--line-number -i=--ignore-case -l=--files-with-matches -v=--invert-match " +
			"-e:=--regexp: -f:=--file: -m:=--max-count: -A:=--after-context: -B:=--before-context: -C:=--context: -d: -D: --include: --exclude: --exclude-dir:"
	case "curl":
		return "-o:=--output: -O=--remote-name -X:=--request: -d:=--data: -H:=--header: -s=--silent -L=--location -f=--fail -u:=--user: -T:=--upload-file: -K:=--config: -k=--insecure"
	case "wget":
		return "-O:=--output-document: -q=--quiet -P:=--directory-prefix: -e:=--execute: -r=--recursive"
	case "git push":
		return gitGlobals + " ! -f=--force -u=--set-upstream -d=--delete -n=--dry-run -o:=--push-option: --repo: --receive-pack: --exec: -q=--quiet -v=--verbose"
	case "git":
		return gitGlobals
	case "find":
		return ""
	}
	if strings.HasPrefix(key, "git ") {
		return gitGlobals
	}
	return ""
}

// gitGlobals are the options before git's subcommand that take a value, and
// gitFlags the others.
const (
	gitGlobals = "-C: -c: --git-dir: --work-tree: --namespace: --exec-path --config-env: --super-prefix: --attr-source: --shallow-file:"
	gitFlags   = "-v --version -h --help --html-path --man-path --info-path -p --paginate -P --no-pager --no-replace-objects " +
		"--no-lazy-fetch --no-optional-locks --no-advice --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --list-cmds"
)

func parseOptions(text string) options {
	o := options{clusters: true, names: map[string]string{}, valued: map[string]bool{}}
	for field := range strings.FieldsSeq(text) {
		if field == "!" {
			o.closed = true
			continue
		}
		short, long, two := strings.Cut(field, "=")
		name := strings.TrimSuffix(short, ":")
		if strings.HasSuffix(short, ":") {
			o.valued[name] = true
		}
		if two {
			o.names[strings.TrimSuffix(long, ":")] = name
		}
	}
	return o
}

// gitSubcommand returns the index of git's subcommand, or 0 where there is none
// or a word before it is not understood.
func gitSubcommand(words []Word) int {
	at, ok := gitGlobalsEnd(words)
	if !ok || at >= len(words) || !words[at].Known {
		return 0
	}
	return at
}

// gitGlobalsEnd returns the index of the word after git's own options. ok is
// false where one is not understood: the index is that one's then.
func gitGlobalsEnd(words []Word) (at int, ok bool) {
	for at = 1; at < len(words); at++ {
		w := words[at]
		name, _, has := strings.Cut(w.Text, "=")
		switch {
		case !w.Known && (mayBeOption(w) || strings.HasPrefix(w.Text, "-") && !has):
			return at, false
		case !strings.HasPrefix(w.Text, "-"):
			return at, true
		}
		switch {
		case hasField(gitGlobals, name+":") && !has:
			if at++; at < len(words) && words[at].Many {
				return at, false
			}
		case hasField(gitGlobals, name+":"), hasField(gitGlobals, name), hasField(gitFlags, name):
		default:
			return at, false
		}
	}
	return at, true
}

// subcommands says whether a program's first argument names what it does.
func subcommands(program string) bool {
	switch base(program) {
	case "git", "go", "npm", "pnpm", "yarn", "bun", "deno", "cargo", "rustup", "docker", "podman", "kubectl", "helm", "gh", "glab",
		"pip", "pip3", "uv", "poetry", "pipenv", "apt", "apt-get", "brew", "dnf", "yum", "systemctl", "journalctl", "terraform", "aws", "gcloud", "az",
		"hg", "svn", "make", "just", "task", "nix", "conda", "bundle", "gem", "mvn", "gradle", "dotnet", "swift", "flutter", "zig", "mix", "rails", "composer":
		return true
	}
	return false
}
