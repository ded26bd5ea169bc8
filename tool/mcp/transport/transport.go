package transport

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Why a connection is lost.
var (
	ErrFlood     = fmt.Errorf("made more than %d requests at once, or too long ones, and was cut off", maxOpen)
	ErrForgotten = errors.New("mcp: the server does not know the connection any more")
	ErrEnded     = errors.New("mcp: the server has ended")
)

// maxMessage is how long one message of a server may be, in bytes.
const maxMessage = 16 << 20

var errMessageSize = errors.New("mcp: a message of the server is longer than 16 MiB")

// Transport carries one connection to a server. It is an mcp.Transport.
type Transport struct {
	carrier
	*endpoint
}

var _ mcp.Transport = (*Transport)(nil)

// carrier is what a program and HTTP each do in their own way.
type carrier interface {
	mcp.Transport
	// Shutdown ends the connection, which endSession does as far as the protocol
	// is concerned, and all that belongs to it, and waits for it.
	Shutdown(endSession func())
}

// endpoint is what both know of the server's end.
type endpoint struct {
	name    string
	hide    func(text string) string
	log     func(level, text string)
	limiter *limiter
	done    chan struct{} // closed by Cut

	mu   sync.Mutex
	cut  bool
	lost error
}

func newEndpoint(name string, hide func(string) string, log func(level, text string)) *endpoint {
	e := &endpoint{name: name, hide: hide, log: log, done: make(chan struct{})}
	e.limiter = newLimiter(log, func() {
		e.lose(ErrFlood)
		e.Cut()
	})
	return e
}

// Name names the server's place to people, without secrets.
func (e *endpoint) Name() string { return e.name }

// Hide is a text without the secrets that were given for the server.
func (e *endpoint) Hide(text string) string { return e.hide(text) }

// libraryWords matches the prefixes that the library adds to errors.
var libraryWords = regexp.MustCompile(`((calling|sending) "[a-zA-Z/]+"|rejected by transport): `)

// ErrorText is what an error says, without secrets and without the words that the
// libraries put around it.
func (e *endpoint) ErrorText(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return e.hide(libraryWords.ReplaceAllString(err.Error(), ""))
}

// Lost is why the server's end of the connection is gone; nil: it is not.
// ErrForgotten says nothing of a certain call.
func (e *endpoint) Lost() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.lost
}

// lose says why the connection is lost. The first reason counts, and none does
// once it was cut.
func (e *endpoint) lose(why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.cut && e.lost == nil {
		e.lost = why
	}
}

// Cut ends all reading and writing at once.
func (e *endpoint) Cut() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.cut {
		e.cut = true
		close(e.done)
	}
}

// Done is closed by Cut.
func (e *endpoint) Done() <-chan struct{} { return e.done }

var errLeftOut = errors.New("mcp: there were too many of these messages")

// admit decodes a message of the server's, and writes it as the library is to have
// it. One that the library is not to have is errLeftOut.
func (e *endpoint) admit(data []byte) ([]byte, jsonrpc.Message, error) {
	kept := keepRawJSON(data)
	m, err := jsonrpc.DecodeMessage(kept)
	if err == nil && !e.limiter.admits(m, len(data)) {
		err = errLeftOut
	}
	return kept, m, err
}
