package mcpgate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
)

// Offer is a server that clients reach by HTTP.
type Offer struct {
	Options // without Gateway

	// Connect starts a connection to the server. end ends it, and waits.
	Connect func(ctx context.Context) (server Conn, end func(), err error)
}

// Keyring knows who may come in.
type Keyring interface {
	// Follow returns an access that ends once the credential is not good any more.
	Follow(ctx context.Context, credentialID string) (who auth.Identity, access context.Context, done context.CancelFunc, err error)
}

// Limits of a Door.
const (
	maxSessions = 32 // of one login or token
	idleFor     = 30 * time.Minute
	sessionName = "Mcp-Session-Id"
	answerName  = "X-Lineclear-Answer-Within" // Options.AnswerWithin for this client
	versionName = "Mcp-Protocol-Version"
)

// Codes of MCP.
const (
	unknownSession     = -32001
	unsupportedVersion = -32022
)

// Door is where MCP clients come in by streamable HTTP.
type Door struct {
	offers  map[string]Offer
	keyring Keyring
	inside  http.Handler // the gateway's own API
	ctx     context.Context
	stop    context.CancelFunc

	running  sync.WaitGroup
	mu       sync.Mutex
	sessions map[string]*session
}

// NewDoor returns the door to the servers of a gateway, whose API is inside. Sessions end
// with the credential that has begun them, with closing, or by Close, which waits for them.
func NewDoor(closing context.Context, offers map[string]Offer, keyring Keyring, inside http.Handler) *Door {
	ctx, stop := context.WithCancel(closing)
	return &Door{offers: offers, keyring: keyring, inside: inside, ctx: ctx, stop: stop, sessions: map[string]*session{}}
}

// Close ends all sessions and waits for them.
func (d *Door) Close() error {
	d.stop()
	d.running.Wait()
	return nil
}

// Serve serves one request of a client to a server.
func (d *Door) Serve(w http.ResponseWriter, r *http.Request, server string, who auth.Identity) {
	offer, known := d.offers[server]
	agentID := offer.AgentID
	if !known || !who.Covers(agentID) {
		refuse(w, http.StatusNotFound, nil, refusedByUs, fmt.Sprintf("the gateway offers no MCP server %q to this token", label(server)))
		return
	}
	var s *session
	if id := r.Header.Get(sessionName); id != "" {
		if s = d.find(id, server, who); s == nil {
			refuse(w, http.StatusNotFound, nil, unknownSession, "session not found: begin one with initialize")
			return
		}
	}
	switch {
	case r.Method == http.MethodPost:
		d.post(w, r, s, offer, who)
	case s == nil:
		refuse(w, http.StatusBadRequest, nil, badRequest, sessionName+": missing")
	case r.Method == http.MethodDelete:
		s.end(ErrClientEnded)
		w.WriteHeader(http.StatusNoContent)
	default:
		s.listen(w, r)
	}
}

// find is a session of whoever has begun it.
func (d *Door) find(id, server string, who auth.Identity) *session {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sessions[id]
	if s == nil || s.server != server || s.owner != who.Root {
		return nil
	}
	return s
}

// post takes one message of a client's.
func (d *Door) post(w http.ResponseWriter, r *http.Request, s *session, offer Offer, who auth.Identity) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, nil, badRequest, "the message is too long: "+err.Error())
		return
	}
	m, err := read(raw)
	switch {
	case err != nil:
		refuse(w, http.StatusBadRequest, m.id, badRequest, err.Error())
	case s == nil && m.method == "initialize":
		s, err = d.begin(r, offer, who)
		if err != nil {
			refuse(w, http.StatusOK, m.id, refusedByUs, remedy(err)) // most clients show the words of a 200 alone
			return
		}
		w.Header().Set(sessionName, s.id)
		s.request(w, r, m)
	case s == nil && (m.isNew() || r.Header.Get(versionName) >= "2026-07-28"):
		write(w, http.StatusBadRequest, written{ID: m.id, Error: &failure{
			Code: unsupportedVersion, Message: "the gateway relays sessions: begin one with initialize",
			Data: map[string]any{"supported": []string{"2025-11-25", "2025-06-18", "2025-03-26"}, "requested": "2026-07-28"},
		}}.bytes())
	case s == nil:
		refuse(w, http.StatusBadRequest, m.id, badRequest, sessionName+": missing; begin with initialize")
	case m.isRequest():
		s.request(w, r, m)
	default:
		if s.put(r.Context(), raw) {
			s.cancelled(m)
			w.WriteHeader(http.StatusAccepted)
		} else {
			refuse(w, http.StatusNotFound, nil, unknownSession, "session not found: it has ended")
		}
	}
}

// begin begins a session.
func (d *Door) begin(r *http.Request, offer Offer, who auth.Identity) (*session, error) {
	secret := r.Header.Get("Authorization")[len("Bearer "):]
	o := offer.Options
	if within := r.Header.Get(answerName); within != "" {
		d, err := time.ParseDuration(within)
		if err != nil || d <= 0 {
			return nil, fmt.Errorf("%s: %q is no duration: write it like 50s", answerName, within)
		}
		o.AnswerWithin = d
	}
	s := &session{
		id: rand.Text() + rand.Text(), server: offer.Server, owner: who.Root, in: make(chan []byte), done: make(chan struct{}),
		streams: map[string]*stream{}, tokens: map[string]*stream{}, used: time.Now(),
	}
	_, access, leave, err := d.keyring.Follow(d.ctx, who.Credential)
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancelCause(access)
	s.end = end
	if !d.enter(s) {
		end(nil)
		leave()
		return nil, errors.New("too many MCP sessions of this token are open: end some")
	}
	conn, shutdown, err := offer.Connect(ctx)
	if err != nil {
		end(err)
		leave()
		d.forget(s)
		return nil, fmt.Errorf("the MCP server can't be started: %w", err)
	}
	o.Gateway = client.New("http://"+r.Host, secret).Using(&http.Client{Transport: within{d.inside, r.RemoteAddr}})
	d.running.Go(func() {
		defer d.forget(s)
		defer leave()
		defer shutdown()
		defer end(nil)
		_ = New(o, s, conn).Run(ctx) // the client learns it by the end of its session
	})
	d.running.Go(func() { s.watch(ctx) })
	return s, nil
}

// enter registers a session. Many clients never end theirs: if there are too many of a token,
// the one that has been quiet the longest has to go.
func (d *Door) enter(s *session) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	own, quiet, since := 0, (*session)(nil), time.Now()
	for _, other := range d.sessions {
		if other.owner != s.owner {
			continue
		}
		own++
		if used, open := other.lastUse(); !open && used.Before(since) {
			quiet, since = other, used
		}
	}
	if own >= maxSessions {
		if quiet == nil {
			return false
		}
		delete(d.sessions, quiet.id)
		quiet.end(ErrClientEnded)
	}
	d.sessions[s.id] = s
	return true
}

func (d *Door) forget(s *session) {
	d.mu.Lock()
	delete(d.sessions, s.id)
	d.mu.Unlock()
	close(s.done)
}

func refuse(w http.ResponseWriter, status int, id []byte, code int, words string) {
	write(w, status, errorTo(id, code, "%s", words))
}

func write(w http.ResponseWriter, status int, message []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(message) // it is gone
}
