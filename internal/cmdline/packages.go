package cmdline

import "strings"

// packageManager says whether a program runs the scripts of a package. Such take
// any setting as an option, under names that may be cut short or have one dash,
// so that only options that are known to be harmless are.
func packageManager(name string) bool {
	switch name {
	case "npm", "pnpm", "yarn", "yarnpkg", "bun", "npx", "pnpx", "bunx":
		return true
	}
	return false
}

// packageOptions notes the options of a package manager that are not known to be
// harmless. What comes after -- is for the script.
func packageOptions(p *Part, name string) {
	for i := 1; i < len(p.Words); i++ {
		w := p.Words[i]
		switch {
		case w.Known && w.Text == "--":
			return
		case !w.Known && mayBeOption(w):
			p.markUnknown(i, "an argument that is not known could be an option")
		case strings.HasPrefix(w.Text, "-") && !(w.Known && harmlessPackageOption(w.Text)):
			p.markUnknown(i, "an option may run something else (%s %s)", name, w.Text)
		}
	}
}

// harmlessPackageOption says whether an option only changes what is printed, or
// which scripts of the packages here are run. None of them takes a value from
// the next word.
func harmlessPackageOption(option string) bool {
	switch option {
	case "-s", "--silent", "-q", "--quiet", "-d", "-dd", "--verbose", "--json", "--parseable", "-l", "--long", "-h", "--help", "-v", "--version",
		"--if-present", "--workspaces", "-ws", "--include-workspace-root", "--recursive", "--parallel", "--stream",
		"--color", "--no-color", "--no-progress", "--no-audit", "--no-fund", "--no-update-notifier", "--offline", "--prefer-offline",
		"--foreground-scripts", "--ignore-scripts", "--dry-run", "--production", "--frozen-lockfile", "--immutable", "-D", "--save-dev",
		"-E", "--save-exact", "-y", "--yes", "--no-install", "--all":
		return true
	}
	for _, prefix := range []string{"--loglevel=", "--depth=", "--color=", "--omit=", "--include=", "--reporter=", "--filter="} {
		if strings.HasPrefix(option, prefix) {
			return true
		}
	}
	return false
}
