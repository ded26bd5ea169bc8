package cmdline

import "strings"

// readOptions reads the options that a command begins with, and returns the
// index of the word after them. With an option that is not in the table it
// blames that word and returns false.
func readOptions(p *Part, table string, numbers bool) (opts []option, at int, ok bool) {
	kinds := map[string]byte{}
	for field := range strings.FieldsSeq(table) {
		name := strings.TrimRight(field, ":?")
		kinds[name] = 0
		if len(field) > len(name) {
			kinds[name] = field[len(name)]
		}
	}
	for at = 1; at < len(p.Words); at++ {
		w := p.Words[at]
		switch {
		case !w.Known && mayBeOption(w):
			p.markUnknown(at, "an argument that is not known could be an option")
			return nil, at, false
		case !w.Known || !strings.HasPrefix(w.Text, "-") || w.Text == "-":
			return opts, at, true
		case w.Text == "--":
			return opts, at + 1, true
		case numbers && allDigits(w.Text[1:]):
			continue
		}
		var found []option
		if strings.HasPrefix(w.Text, "--") {
			found, ok = longOption(p.Words, &at, kinds)
		} else {
			found, ok = shortOptionsIn(p.Words, &at, kinds)
		}
		if !ok {
			p.markUnknown(min(at, len(p.Words)-1), "has an option that is not understood (%s %s)", base(p.Words[0].Text), w.Text)
			return nil, at, false
		}
		opts = append(opts, found...)
	}
	return opts, at, true
}

func longOption(words []Word, at *int, kinds map[string]byte) ([]option, bool) {
	name, value, has := strings.Cut(words[*at].Text, "=")
	kind, ok := kinds[name]
	o := option{name: name, at: *at}
	switch {
	case !ok || has && kind == 0:
		return nil, false
	case has:
		o.value = known(value)
	case kind == ':':
		*at++
		if *at >= len(words) || words[*at].Many {
			return nil, false
		}
		o.value = words[*at]
	}
	return []option{o}, true
}

func shortOptionsIn(words []Word, at *int, kinds map[string]byte) ([]option, bool) {
	text := words[*at].Text
	if kind, ok := kinds[text]; ok && len(text) > 2 && kind == 0 {
		return []option{{name: text, at: *at}}, true
	}
	var opts []option
	for i := 1; i < len(text); i++ {
		name := "-" + text[i:i+1]
		kind, ok := kinds[name]
		o := option{name: name, at: *at}
		switch {
		case !ok:
			return nil, false
		case kind == 0:
			opts = append(opts, o)
			continue
		case i+1 < len(text) || kind == '?':
			o.value = known(text[i+1:])
		default:
			*at++
			if *at >= len(words) || words[*at].Many {
				return nil, false
			}
			o.value = words[*at]
		}
		return append(opts, o), true
	}
	return opts, true
}

// optionValue returns the last option of these names; its index is 0 if there
// is none.
func optionValue(opts []option, names ...string) option {
	var found option
	for _, o := range opts {
		for _, n := range names {
			if o.name == n {
				found = o
			}
		}
	}
	return found
}

func allDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}
