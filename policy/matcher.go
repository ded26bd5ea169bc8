package policy

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/programs"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// side is for whom a condition is asked: a rule that allows, which needs
// certainty, or one that forbids or asks, for which a suspicion counts.
type side int

const (
	toAllow side = iota
	toForbid
	toWrite // to allow that something is written there
)

// doubt is what a side makes of a thing that can't be known.
func (s side) doubt() programs.Answer {
	if s == toForbid {
		return programs.Maybe
	}
	return programs.No
}

// truth is a plain yes or no as an answer.
func truth(yes bool) programs.Answer {
	if yes {
		return programs.Yes
	}
	return programs.No
}

// matcher is a Matcher that is ready to be asked.
type matcher struct {
	kind   string    // the member that is set
	equals tool.JSON // canonical
	list   bool      // equals is a list
	text   string    // of glob, prefix, pathWithin; hostWithin in lower case
	regex  approval.Pattern
}

func compileMatcher(m Matcher) (matcher, error) {
	var set []matcher
	for _, member := range []struct {
		kind string
		text *string
	}{
		{"glob", m.Glob}, {"prefix", m.Prefix}, {"regex", m.Regex}, {"pathWithin", m.PathWithin}, {"hostWithin", m.HostWithin},
	} {
		if member.text != nil {
			set = append(set, matcher{kind: member.kind, text: *member.text})
		}
	}
	if m.Equals != nil {
		set = append(set, matcher{kind: "equals", equals: m.Equals})
	}
	if len(set) != 1 {
		return matcher{}, errors.New("want exactly one of equals, glob, prefix, regex, pathWithin, hostWithin")
	}
	return set[0].compiled()
}

func (m matcher) compiled() (matcher, error) {
	var err error
	switch m.kind {
	case "equals":
		var canonical strictjson.Canonical
		canonical, err = strictjson.Canonicalize(m.equals)
		m.equals = canonical.Value()
		m.list = err == nil && strictjson.Kind(m.equals) == '['
	case "glob":
		err = checkGlob(m.text)
	case "prefix":
		if m.text == "" {
			err = errors.New("an empty prefix is one of every text: leave the condition out")
		}
	case "regex":
		if _, err = regexp.Compile(m.text); err == nil {
			m.regex, err = approval.CompilePattern("(?s:" + m.text + ")")
		}
	case "pathWithin":
		err = checkPath(m.text)
	case "hostWithin":
		m.text = strings.ToLower(m.text)
		if !plainHost(m.text) {
			err = fmt.Errorf("%q is no host: write a bare name such as example.com, without scheme, port or path; "+
				"an international one in its xn-- form", m.text)
		}
	}
	return m, err
}

// checkGlob refuses what looks like more than * can do: it would never match
// what its author has in mind.
func checkGlob(glob string) error {
	switch {
	case glob == "":
		return errors.New(`an empty glob matches only the empty text: write equals: "" for that`)
	case !utf8.ValidString(glob):
		return errors.New("not valid UTF-8")
	case orderly(glob, "[", "]"), orderly(glob, "{", ",", "}"), strings.Contains(glob, "?"):
		return errors.New("malformed glob: only * is a wildcard here, so ? and [ ] and { , } would stand for themselves; write a regex instead")
	}
	return nil
}

// orderly reports whether the marks stand in text one after the other.
func orderly(text string, marks ...string) bool {
	for _, mark := range marks {
		_, rest, ok := strings.Cut(text, mark)
		if !ok {
			return false
		}
		text = rest
	}
	return true
}

// matches asks the values of an argument.
func (a argument) matches(c *call, s side) programs.Answer {
	values, missing := a.path.find(c.args)
	if s == toAllow {
		if missing || len(values) == 0 {
			return programs.No
		}
		return everyOf(values, func(v any) programs.Answer { return a.match.on(c, v, s) })
	}
	return anyOf(values, func(v any) programs.Answer { return a.match.on(c, v, s) })
}

func everyOf[T any](values []T, answer func(T) programs.Answer) programs.Answer {
	all := programs.Yes
	for _, v := range values {
		all = min(all, answer(v))
	}
	return all
}

func anyOf[T any](values []T, answer func(T) programs.Answer) programs.Answer {
	best := programs.No
	for _, v := range values {
		best = max(best, answer(v))
	}
	return best
}

// on asks one value.
func (m matcher) on(c *call, value any, s side) programs.Answer {
	if m.kind == "equals" && m.equal(value) {
		return programs.Yes
	}
	if list, ok := value.([]any); ok && !m.list {
		each := func(v any) programs.Answer { return m.on(c, v, s) }
		switch {
		case len(list) == 0:
			return programs.No
		case s == toAllow:
			return everyOf(list, each)
		}
		return anyOf(list, each)
	}
	if m.kind == "equals" {
		return programs.No
	}
	text, ok := value.(string)
	if !ok {
		return s.doubt()
	}
	switch m.kind {
	case "glob":
		return truth(Covers(m.text, text))
	case "prefix":
		return truth(strings.HasPrefix(text, m.text))
	case "regex":
		return truth(m.regex.Covers(text))
	case "pathWithin":
		if s == toAllow {
			s = c.argSide()
		}
		return c.within(m.text, c.bases(), text, s)
	case "hostWithin":
		return hostWithin(m.text, text, s)
	default:
		return s.doubt()
	}
}

// equal compares as JSON data, in the form of RFC 8785.
func (m matcher) equal(value any) bool {
	data, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return false
	}
	canonical, err := strictjson.Canonicalize(data)
	return err == nil && canonical.String() == string(m.equals)
}

// hostWithin reports whether a text is a URL of a host, or of one below it. A
// URL that programs read differently is in doubt.
func hostWithin(host, text string, s side) programs.Answer {
	of, plain := hostOf(text)
	if !plain {
		return s.doubt()
	}
	return truth(of == host || strings.HasSuffix(of, "."+host) && !isAddress(host))
}

// hostOf is the host of an absolute http or ws URL in which nothing is odd.
func hostOf(text string) (string, bool) {
	for _, r := range text {
		if r <= ' ' || r >= 0x7f || r == '\\' {
			return "", false
		}
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.Opaque != "" || u.Host == "" {
		return "", false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https", "ws", "wss":
	default:
		return "", false
	}
	host := strings.ToLower(u.Hostname())
	return host, plainHost(host)
}

// plainHost reports whether a host name in lower case can only be read in one
// way: labels of ASCII letters, digits and hyphens, or an IP address in its
// usual form.
func plainHost(host string) bool {
	if isAddress(host) {
		return true
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" ||
			strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
	}
	// A last label that is a number makes it an IPv4 address in an unusual form,
	// such as 127.1 or 0x7f000001.
	last := labels[len(labels)-1]
	return last[0] < '0' || last[0] > '9'
}

func isAddress(host string) bool {
	address, err := netip.ParseAddr(host)
	return err == nil && address.Zone() == "" && address.String() == host
}
