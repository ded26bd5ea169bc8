package mcp

import (
	"errors"
	"net/url"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// libraryWords matches the prefixes that the MCP library adds to errors.
var libraryWords = regexp.MustCompile(`((calling|sending) "[a-zA-Z/]+"|rejected by transport): `)

// maxMessage is how long one message of a server may be, in bytes.
const maxMessage = 16 << 20

var errMessageSize = errors.New("mcp: a message of the server is longer than 16 MiB")

// transport is how a server is reached: it carries one connection.
type transport interface {
	mcp.Transport

	// where names the server's place to people, without secrets.
	where() string
	// hide is a text without the secrets that were given for the server.
	hide(text string) string
	// clean is an error's text, in one line, without secrets.
	clean(err error) string
	// words are the last that the server said beside the protocol.
	words() string
	// lost reports whether the server's side of the connection has ended.
	lost() bool
	// forgotten reports whether the server has refused something because it
	// doesn't know the connection any more. That says nothing of a certain call.
	forgotten() bool
	// fault is why the connection had to be cut; empty where it was not.
	fault() string
	// cut ends all reading and writing at once.
	cut()
	// done is closed by cut.
	done() <-chan struct{}
	// shutdown ends the connection, which closeSession does as far as the protocol is
	// concerned, and all that belongs to it, and waits for it.
	shutdown(closeSession func())
}

// plain is an error's text without the words that the libraries put around it.
func plain(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return libraryWords.ReplaceAllString(err.Error(), "")
}
