package cmdline

import "strings"

// arg is an argument: an option under its one name, or anything else.
type arg struct {
	option string // "-x" or "--name"; empty for a positional argument
	word   Word   // the positional argument, or an option's own value
	at     int    // which word of the command it comes from
	valued bool   // a positional argument that came with its option: --name=value
	loose  bool   // a positional argument that may be the value of the option before it
}

// readArgs takes the arguments of a program apart. The first word is the
// program.
func readArgs(words []Word) []arg {
	if len(words) == 0 {
		return nil
	}
	spec := optionsOf(words)
	var args []arg
	loose := false
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case w.Known && w.Text == "--":
			for j := i + 1; j < len(words); j++ {
				args = append(args, arg{word: words[j], at: j})
			}
			return args
		case !w.Known || !strings.HasPrefix(w.Text, "-") || w.Text == "-":
			args = append(args, arg{word: w, at: i, loose: loose})
			loose = false
		default:
			found, wants := spec.split(w.Text, i)
			args = append(args, found...)
			loose = wants != takesNothing
			if wants == takesNext && i+1 < len(words) {
				i++
				args = append(args, arg{word: words[i], at: i, valued: true})
				loose = false
			}
		}
	}
	return args
}

// takes is whether an option is followed by its value.
type takes int

const (
	mayTakeNext takes = iota // nobody knows
	takesNothing
	takesNext
)

// options are what is known of a program's options.
type options struct {
	clusters bool              // -ab is -a -b
	names    map[string]string // a long name to the short one it is the same as, or one name to another
	valued   map[string]bool   // options that are followed by a value
	closed   bool              // all options that take a value are known
}

// split takes one word of options apart.
func (o options) split(text string, at int) ([]arg, takes) {
	if strings.HasPrefix(text, "--") {
		name, value, has := strings.Cut(text, "=")
		name = o.name(name)
		args := []arg{{option: name, at: at}}
		if has {
			return append(args, arg{word: known(value), at: at, valued: true}), takesNothing
		}
		return args, o.wants(name)
	}
	if !o.clusters {
		name, value, has := strings.Cut(text, "=")
		args := []arg{{option: o.name(name), at: at}}
		if has {
			return append(args, arg{word: known(value), at: at, valued: true}), takesNothing
		}
		return args, o.wants(o.name(name))
	}
	var args []arg
	for i := 1; i < len(text); i++ {
		name := o.name("-" + text[i:i+1])
		args = append(args, arg{option: name, at: at})
		if o.valued[name] {
			if i+1 < len(text) {
				return append(args, arg{word: known(text[i+1:]), at: at, valued: true}), takesNothing
			}
			return args, takesNext
		}
	}
	return args, o.wants("")
}

func (o options) wants(name string) takes {
	switch {
	case o.valued[name]:
		return takesNext
	case o.closed:
		return takesNothing
	}
	return mayTakeNext
}

func (o options) name(name string) string {
	if same, ok := o.names[name]; ok {
		return same
	}
	return name
}
