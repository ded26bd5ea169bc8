package mask

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// usage is a program that takes a secret in a flag whose name does not tell.
type usage struct {
	programs []string
	flags    []string
	glued    bool // the value may follow the flag without a space
	spaced   bool // it may be the next word
	colon    bool // only what follows the first colon is secret
	first    bool // what follows the first flag is another program
}

func usages() []usage {
	mysql := []string{"mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlshow", "mysqlcheck", "mariadb", "mariadb-dump", "mariadb-admin"}
	return []usage{
		{programs: mysql, flags: []string{"-p"}, glued: true},
		{programs: []string{"sshpass"}, flags: []string{"-p"}, glued: true, spaced: true, first: true},
		{programs: []string{"redis-cli"}, flags: []string{"-a"}, glued: true, spaced: true},
		{programs: []string{"curl"}, flags: []string{"-u", "-U", "--user", "--proxy-user"}, glued: true, spaced: true, colon: true},
		{programs: []string{"http", "https", "xh"}, flags: []string{"-a", "--auth"}, spaced: true, colon: true},
		{programs: []string{"docker login", "podman login"}, flags: []string{"-p"}, spaced: true},
		{programs: []string{"openssl"}, flags: []string{"-passin", "-passout", "-pass"}, spaced: true, colon: true},
	}
}

// commands finds such secrets in command lines.
func commands(uses []usage) []finder {
	var all []finder
	for _, u := range uses {
		program := regexp.MustCompile(`(?:^|[\s/"'(=` + "`" + `])(?:` + strings.Join(u.programs, "|") + `)(?:["']?\s|$)`)
		between := `[ \t=]+`
		if u.glued {
			between = `=?`
		}
		if u.glued && u.spaced {
			between = `[ \t=]*`
		}
		flag := regexp.MustCompile(`\s(?:` + strings.Join(u.flags, "|") + `)` + between)
		all = append(all, finder{u.programs, func(text string) []span {
			var found []span
			for _, part := range simpleCommands(text) {
				if program.MatchString(text[part.start:part.end]) {
					found = append(found, u.secrets(text[:part.end], part.start, flag)...)
				}
			}
			return found
		}})
	}
	return all
}

func (u usage) secrets(text string, from int, flag *regexp.Regexp) []span {
	var all []span
	limit := -1
	if u.first {
		limit = 1
	}
	for _, m := range flag.FindAllStringIndex(text[from:], limit) {
		if s, ok := valueAt(text, from+m[1], ""); ok {
			all = append(all, u.part(text, s)...)
		}
	}
	return all
}

// part is what is secret of a value: all of it, or what follows the user's name.
func (u usage) part(text string, s span) []span {
	if !u.colon {
		return []span{s}
	}
	value := text[s.start:s.end]
	user, password, ok := strings.Cut(value, ":")
	if !ok || password == "" || refers(password) || strings.HasPrefix(password, Mark) || strings.Trim(value, "0123456789:") == "" {
		return nil
	}
	if slices.Contains([]string{"file", "env", "fd"}, user) { // openssl's other ways
		return nil
	}
	return []span{{s.start + len(user) + 1, s.end}}
}

// simpleCommands cuts a command line at what ends a command outside of quotes.
// Where a quote is not closed, so that nothing is sure, only lines are cut.
func simpleCommands(text string) []span {
	parts, closed := cutCommands(text, true)
	if !closed {
		parts, _ = cutCommands(text, false)
	}
	return parts
}

func cutCommands(text string, quotes bool) (parts []span, closed bool) {
	start, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case quotes && (c == '"' || c == '\''):
			quote = c
		case c == '\n', quotes && strings.IndexByte(";|&", c) >= 0:
			parts, start = append(parts, span{start, i}), i+1
		}
	}
	return append(parts, span{start, len(text)}), quote == 0
}

// argv follows the elements of a list that may be a program and its arguments.
type argv struct {
	uses     []usage // of the programs that have come so far
	all      []usage
	names    names
	previous string
}

// secrets returns what the next element has of secrets because of those before.
func (a *argv) secrets(element string) []span {
	whole := span{0, len(element)}
	previous := a.previous
	a.previous = element
	for _, u := range a.all {
		if slices.Contains(u.programs, path.Base(element)) {
			a.uses = append(a.uses, u)
			a.all = slices.DeleteFunc(slices.Clone(a.all), func(o usage) bool { return slices.Equal(o.programs, u.programs) })
			return nil
		}
	}
	if couldRun(element) {
		return nil
	}
	if name := strings.TrimLeft(previous, "-"); name != previous && name != "" && element != "" &&
		a.names.secret(name) && !asks(name) && !strings.ContainsAny(name, "= \t") && !refers(element) && !notAValue(element) {
		return []span{whole}
	}
	for _, u := range a.uses {
		for _, flag := range u.flags {
			value, glued := strings.CutPrefix(element, flag)
			switch {
			case u.spaced && previous == flag && element != "" && !refers(element):
				return u.part(element, whole)
			case u.glued && glued && value != "" && !refers(value) && !strings.HasPrefix(flag, "--"):
				return u.part(element, span{len(flag), len(element)})
			}
		}
	}
	return nil
}
