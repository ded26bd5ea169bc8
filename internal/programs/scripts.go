package programs

import (
	"path"
	"regexp"
	"strings"
)

// What the small languages may say, in literal forms that neither run nor read nor write anything.
var (
	sedPlain = regexp.MustCompile(`^(?:(?:[0-9]+|\$|/[^/\\\n]*/)(?:,(?:\+?[0-9]+|\$|/[^/\\\n]*/))?!?)?(?:[pdqG=]|s(?:/(?:[^/\\\n]|\\[^/\n])*/(?:[^/\\\n]|\\[^/\n])*/|\|(?:[^|\\\n]|\\[^|\n])*\|(?:[^|\\\n]|\\[^|\n])*\||#(?:[^#\\\n]|\\[^#\n])*#(?:[^#\\\n]|\\[^#\n])*#|,(?:[^,\\\n]|\\[^,\n])*,(?:[^,\\\n]|\\[^,\n])*,)[gpiI0-9]*)$`)
	awkRegex = regexp.MustCompile(`^/(?:[^/\\\n|>"]|\\[^\n"])+/`)
	awkToken = regexp.MustCompile(`^(?:\s+|"(?:[^"\\\n]|\\.)*"|[0-9.]+|\$?[A-Za-z_][A-Za-z_0-9]*|\|\||&&|[$+\-*%=!<~?:,;(){}\[\]/])`)
	awkUpper = regexp.MustCompile(`^(?:BEGIN|END|NR|NF|FNR|FS|OFS|RS|ORS|FILENAME|SUBSEP)$`)
	jqOdd    = regexp.MustCompile(`\$ENV|\benv\b|\bimport\b|\binclude\b|\binput_filename\b|\$__|\bget_search_list\b|\bdebug\b|\binput\b|\binputs\b`)
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

// awkPlain reports whether a program of awk is made of nothing but what computes and prints: no
// redirection, no pipe, and no name that reads or runs something.
func awkPlain(code string) bool {
	before := byte('\n') // the last letter that is no blank
	for code != "" {
		token := awkToken.FindString(code)
		if code[0] == '/' {
			// A regular expression or a division, which awk tells by what stands before it.
			switch {
			case strings.IndexByte("\n{(,;!~&|", before) >= 0:
				token = awkRegex.FindString(code)
			case before == '+' || before == '-' || strings.IndexByte("*%=<>?:/[}", before) >= 0:
				return false
			}
		}
		if token == "" {
			return false
		}
		if last := strings.TrimRight(token, " \t"); last != "" {
			before = last[len(last)-1]
		}
		code = code[len(token):]
		switch name := strings.TrimPrefix(token, "$"); name {
		case "getline", "system", "close", "fflush", "function", "func", "include", "load", "nextfile", "extension":
			return false
		default:
			if first := name + " "; first[0] >= 'A' && first[0] <= 'Z' && !awkUpper.MatchString(name) {
				return false
			}
		}
	}
	return true
}
