package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lineclear/lineclear/internal/sandbox"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// serverName matches valid names of servers.
var serverName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// ErrConfig is returned by New for a config that can't be meant.
var ErrConfig = errors.New("mcp: config")

// Config says what a server is and how it is reached.
type Config struct {
	Name string // prefix of its tools: NAME__TOOL

	Command []string          // program and arguments, of a server on stdin and stdout
	Env     map[string]string // what the program gets beside the variables of Inherited

	URL     string            // of a server on streamable HTTP
	Headers map[string]string // sent with every request to it
	OAuth   *OAuth            // as whom it is asked for a token; nil: it is not

	Sandbox *sandbox.Fence // of a program: what it sees and may do; nil: all that our account may

	WorkingDirectory string // an absolute path: where a program runs, and the root that a server is told of

	Trusted bool     // its annotations may be believed
	Only    []string // patterns of path.Match on the server's own names of tools; empty: all
	Except  []string // patterns of those that are left out

	Arguments map[string]tool.Arguments // declarations, by the server's own tool names

	StartTimeout time.Duration // default 30 s
	CallTimeout  time.Duration // since the call or its last progress; default 5 m; a call as a whole has twelve times that
	Idle         time.Duration // how long a connection is kept unused; default 10 m
	ResultLimit  int           // bytes of text of one result; default 256 KiB
}

// OAuth is as whom tokens are asked for: as a client with a secret of its own (client
// credentials), whose tokens are in memory alone, for each connection its own; or by a
// person's Login, whose tokens are in a file that all connections share.
type OAuth = transport.OAuth

// Inherited reports whether a program inherits a variable of ours.
func Inherited(variable string) bool {
	switch variable {
	case "PATH", "HOME", "LANG", "TZ", "TMPDIR", "USER", "LOGNAME", "SHELL":
		return true
	}
	return strings.HasPrefix(variable, "LC_")
}

// Options are what a server is given by its host; the zero value works. The
// functions are called from several goroutines at once and must not call the
// Server. Progress and Log hold up what comes after, so they must be quick.
type Options struct {
	// Ask puts a server's question to a person. It must return soon after ctx
	// ends, as it does when the question or its call is over. Without it servers
	// are told that nobody can be asked.
	Ask func(ctx context.Context, q Question) (Answer, error)

	// Progress is told how far a call is.
	Progress func(call tool.Call, p Progress)

	// Log is told what a server says beside its answers: its log, with its levels;
	// its lines on stderr, and those on stdout that are no messages, with the level
	// "stderr" or "stdout"; and what we leave out of its list of tools, with the
	// level "warning". The text is short and has no hidden characters. What is more
	// than 50 lines a second is left out, and told as a number. The session is empty
	// for Check.
	Log func(sessionID, level, text string)

	// Owner says whose programs are started, so that EndLeftovers finds those of a
	// process that is gone; see OwnerOf. Empty: they are not found.
	Owner string

	// Logins has people's logins at servers, see Login; nil: nobody can log in.
	Logins Logins

	// HTTP carries the requests to a server with a URL; nil: a usual transport.
	HTTP http.RoundTripper
}

// Progress is how far a call is, in units of the server's own.
type Progress struct {
	Done    float64
	Total   float64 // zero: not known
	Message string
}

// CheckName says what is wrong with the name of a server.
func CheckName(name string) error {
	if !serverName.MatchString(name) || strings.Contains(name, "__") || strings.HasSuffix(name, "_") {
		return errors.New("the name has to begin with a letter from a to z; letters, digits, - and single _ may follow, 32 at most, without _ at the end")
	}
	return nil
}

func (c Config) checked() (Config, error) {
	fail := func(format string, args ...any) (Config, error) {
		return Config{}, fmt.Errorf("%w of server %q: %s", ErrConfig, c.Name, fmt.Sprintf(format, args...))
	}
	if err := CheckName(c.Name); err != nil {
		return fail("%s", err)
	}
	switch {
	case len(c.Command) == 0 && c.URL == "":
		return fail("give a command or a url")
	case len(c.Command) > 0 && c.URL != "":
		return fail("give a command or a url, not both")
	case len(c.Command) > 0 && c.Command[0] == "":
		return fail("the command's program is empty")
	case len(c.Command) > 0 && len(c.Headers) > 0:
		return fail("headers are for a server with a url")
	case c.URL != "" && len(c.Env) > 0:
		return fail("env is for a server with a command")
	case c.URL != "" && c.Sandbox != nil:
		return fail("sandbox is for a server with a command")
	case c.OAuth != nil && c.URL == "":
		return fail("oauth is for a server with a url")
	case c.OAuth != nil && !c.OAuth.Login && (c.OAuth.ClientID == "" || c.OAuth.ClientSecret == ""):
		return fail("oauth needs a clientId and a clientSecret, or login: true")
	case c.OAuth != nil && c.OAuth.ClientID == "" && c.OAuth.ClientSecret != "":
		return fail("oauth has a clientSecret without its clientId")
	case c.OAuth != nil && !isIssuer(c.OAuth.Issuer):
		return fail("oauth.issuer has to be the address of the authorization server, with https:// (or http:// on this machine): the secret is sent to no other")
	case c.WorkingDirectory != "" && !filepath.IsAbs(c.WorkingDirectory):
		return fail("the working directory %q is not an absolute path", c.WorkingDirectory)
	case c.StartTimeout < 0 || c.CallTimeout < 0 || c.Idle < 0 || c.ResultLimit < 0:
		return fail("a limit is below zero")
	}
	if u, err := url.Parse(c.URL); c.URL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return fail("the url has to be one of http:// or https:// with a host")
	}
	for name, value := range c.Headers {
		if !isHeader(name, value) || c.OAuth != nil && http.CanonicalHeaderKey(name) == "Authorization" {
			return fail("the header %q can't be sent", name)
		}
	}
	for name, value := range c.Env {
		if name == "" || name == ownerVariable || name == connectionVariable || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
			return fail("the variable %q can't be set", name)
		}
	}
	for _, pattern := range slices.Concat(c.Only, c.Except) {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return fail("%q is no pattern of names", pattern)
		}
	}
	c.StartTimeout = cmp.Or(c.StartTimeout, 30*time.Second)
	c.CallTimeout = cmp.Or(c.CallTimeout, 5*time.Minute)
	c.Idle = cmp.Or(c.Idle, 10*time.Minute)
	c.ResultLimit = cmp.Or(c.ResultLimit, 256<<10)
	return c, nil
}

func isIssuer(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// isHeader also refuses the names that the protocol or HTTP itself needs.
func isHeader(name, value string) bool {
	token := func(r rune) bool {
		return r > ' ' && r < 0x7f && !strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !token(r) }) {
		return false
	}
	switch canonical := http.CanonicalHeaderKey(name); {
	case strings.HasPrefix(canonical, "Mcp-"):
		return false
	case slices.Contains([]string{"Host", "Content-Length", "Content-Type", "Accept", "Connection", "Transfer-Encoding", "Last-Event-Id"}, canonical):
		return false
	}
	return !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// Takes reports whether an agent is to have the tool with this name of the
// server's own.
func (c Config) Takes(name string) bool {
	matches := func(pattern string) bool { return matches(pattern, name) }
	return (len(c.Only) == 0 || slices.ContainsFunc(c.Only, matches)) && !slices.ContainsFunc(c.Except, matches)
}

// Unmatched are the patterns that match none of the names.
func Unmatched(patterns, names []string) []string {
	var found []string
	for _, pattern := range patterns {
		if !slices.ContainsFunc(names, func(name string) bool { return matches(pattern, name) }) {
			found = append(found, pattern)
		}
	}
	return found
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
