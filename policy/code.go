package policy

import (
	"os"
	"slices"
	"strings"
	"unicode"
)

// codeNames are names of files, and of folders with all that is in them, from
// which programs run code without being told to. Who may write there runs
// whatever they like at the next git status. Sources and build files are not
// among them: that these are run is what they are for.
var codeNames = []string{
	".git", ".hg", ".svn", ".jj", ".gitattributes", ".gitconfig", // version control: hooks, filters, pagers
	".husky", ".githooks", ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml", "lefthook-local.yml",
	".vscode", ".idea", ".fleet", ".zed", ".devcontainer", ".devcontainer.json", // editors
	".exrc", ".vimrc", ".gvimrc", ".nvimrc", ".nvim.lua", ".dir-locals.el",
	".envrc", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile",
	".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
	".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn", ".pnpmfile.cjs", ".pnpmfile.mjs", ".cargo", ".mvn", ".bazelrc", ".gdbinit", ".lldbinit",
	".mise.toml", "mise.toml", ".mise", ".tool-versions",
	".claude", ".cursor", ".cursorrules", ".mcp.json", ".gemini", ".codex", ".roo", ".kiro", ".amazonq", ".continue", ".windsurf", // agents
	".windsurfrules", ".opencode", ".clinerules", ".aider.conf.yml", ".goose",
}

// runsCode reports whether a place in a folder is one from which programs run
// code. Only what lies below the folder counts: a rule that names such a place
// means it.
func runsCode(folder, p place, places places) bool {
	if codeBelow(folder.lexical, p.lexical) || codeBelow(folder.resolved, p.lexical) || codeBelow(folder.resolved, p.resolved) {
		return true
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	own := places.at(home)
	return dotFile(own.lexical, folder.lexical, p.lexical) || dotFile(own.resolved, folder.resolved, p.resolved)
}

// codeBelow asks the names of a path below a folder.
func codeBelow(folder, path string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, "/")+"/")
	if !ok {
		return false
	}
	names := codeNames
	before, last := "", ""
	for name := range strings.SplitSeq(rest, "/") {
		before, last = last, bare(name)
		named := func(code string) bool { return strings.EqualFold(code, last) }
		if slices.ContainsFunc(names, named) || named(".bin") && strings.EqualFold(before, "node_modules") {
			return true
		}
	}
	return strings.EqualFold(last, "HEAD") // with one, a plain folder is a repository of git
}

// bare is a name without what some file systems don't see in it.
func bare(name string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII && unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
}

// dotFile reports whether a path begins with a dot in the home folder, unless
// the rule's folder lies deeper.
func dotFile(home, folder, path string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(home, "/")+"/")
	return ok && strings.HasPrefix(rest, ".") && below(folder, home)
}

// sideOf returns whether an allow rule has to permit reading or writing a path among the arguments.
func (c *call) sideOf(p callPath) side {
	switch {
	case p.write:
		return toWrite
	case c.Spec.Writes != nil:
		return toAllow
	}
	return c.argSide()
}

// argSide is for what the paths among the arguments are asked, to allow: to
// read, if it is our own word that the tool does no more.
func (c *call) argSide() side {
	if c.runs() || c.Spec.Hints.Trusted && c.Spec.Hints.ReadOnly {
		return toAllow
	}
	return toWrite
}
