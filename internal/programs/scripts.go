package programs

import (
	"path"
	"regexp"
	"strings"
)

// What the small languages may say, in literal forms that neither run nor read nor write anything.
var (
	sedPlain      = regexp.MustCompile(`^(?:(?:[0-9]+|\$|/[^/\\\n]*/)(?:,(?:\+?[0-9]+|\$|/[^/\\\n]*/))?!?)?(?:[pdqG=]|s(?:/(?:[^/\\\n]|\\[^/\n])*/(?:[^/\\\n]|\\[^/\n])*/|\|(?:[^|\\\n]|\\[^|\n])*\|(?:[^|\\\n]|\\[^|\n])*\||#(?:[^#\\\n]|\\[^#\n])*#(?:[^#\\\n]|\\[^#\n])*#|,(?:[^,\\\n]|\\[^,\n])*,(?:[^,\\\n]|\\[^,\n])*,)[gpiI0-9]*)$`)
	awkRegex      = regexp.MustCompile(`^/(?:[^/\\\n|>"]|\\[^\n"])+/`)
	awkToken      = regexp.MustCompile(`^(?:\s+|"(?:[^"\\\n]|\\.)*"|[0-9.]+|\$?[A-Za-z_][A-Za-z_0-9]*|\|\||&&|[$+\-*%=!<~?:,;(){}\[\]/])`)
	awkRegexAfter = regexp.MustCompile(`^(?:\s*\n\s*|[{(,;!~]|&&|\|\|)$`)
	awkDividend   = regexp.MustCompile(`^(?:\$?[A-Za-z_][A-Za-z_0-9]*|[0-9.]+|\])$`)
	awkUpper      = regexp.MustCompile(`^(?:BEGIN|END|NR|NF|FNR|FS|OFS|RS|ORS|FILENAME|SUBSEP)$`)
	jqOdd         = regexp.MustCompile(`\$\s*ENV|\benv\b|\bimport\b|\binclude\b|\binput_filename\b|\$__|\bget_search_list\b|\bdebug\b|\binput\b|\binputs\b`)
)

// script reports whether the code that a program is given only looks at its input; of other
// programs every text does.
func script(program string, of Role) bool {
	switch path.Base(program) {
	case "sed":
		return of.Word.Known && everyCommand(of.Word.Text)
	case "awk", "gawk", "mawk":
		return of.Word.Known && awkPlain(of.Word.Text)
	case "jq":
		return of.Word.Known && !jqOdd.MatchString(of.Word.Text)
	}
	return true
}

func everyCommand(code string) bool {
	for command := range strings.SplitSeq(code, ";") {
		if !sedPlain.MatchString(strings.TrimSpace(command)) {
			return false
		}
	}
	return true
}

// awkPlain reports whether an awk program only computes and prints: it has no redirection, no pipe,
// and no name that reads a file or runs a command.
func awkPlain(code string) bool {
	previous := "\n" // the token before, without blanks
	for code != "" {
		token := awkToken.FindString(code)
		if code[0] == '/' && awkRegexAfter.MatchString(previous) {
			token = awkRegex.FindString(code)
		} else if code[0] == '/' && !awkDividend.MatchString(previous) {
			return false // only awk can tell whether it is a regular expression or a division
		}
		if token == "" {
			return false
		}
		code = code[len(token):]
		if strings.TrimLeft(token, " \t\r") != "" {
			previous = token
		}
		switch name := strings.TrimPrefix(token, "$"); name {
		case "getline", "system", "close", "fflush", "function", "func", "include", "load", "nextfile", "extension":
			return false
		case "print", "printf", "return", "in", "delete", "exit", "else", "do":
			previous = "" // a regular expression may follow, which awk parses in its own way
		default:
			if first := name + " "; first[0] >= 'A' && first[0] <= 'Z' && !awkUpper.MatchString(name) {
				return false
			}
		}
	}
	return true
}
