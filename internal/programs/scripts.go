package programs

import (
	"path"
	"regexp"
	"strings"
)

// What the small languages may say, in literal forms that neither run nor read nor write anything.
var (
	sedPlain = regexp.MustCompile(`^(?:(?:[0-9]+|\$|/[^/\\\n]*/)(?:,(?:\+?[0-9]+|\$|/[^/\\\n]*/))?!?)?(?:[pdqG=]|s(?:/[^/\n]*/[^/\n]*/|\|[^|\n]*\|[^|\n]*\||#[^#\n]*#[^#\n]*#|,[^,\n]*,[^,\n]*,)[gpiI0-9]*)$`)
	awkPlain = regexp.MustCompile(`^(?:[^"'|><@(){}\n]*)\{\s*(?:print|printf)?[^|><@(){}\n]*\}$|^(?:NR|NF|\$[0-9]+)[^|>@(){}\n]*$|^!\w+\[\$[0-9]+\]\+\+$`)
	jqOdd    = regexp.MustCompile(`\$ENV|\benv\b|\bimport\b|\binclude\b|\binput_filename\b|\$__|\bget_search_list\b|\bdebug\b|\binput\b|\binputs\b`)
)

// script reports whether the code that a program is given only looks at its input; of other
// programs every text does.
func script(program string, of Role) bool {
	switch path.Base(program) {
	case "sed":
		return of.Word.Known && everyCommand(of.Word.Text)
	case "awk", "gawk", "mawk":
		return of.Word.Known && awkPlain.MatchString(strings.TrimSpace(of.Word.Text)) && !strings.Contains(of.Word.Text, "getline") && !strings.Contains(of.Word.Text, "system")
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
