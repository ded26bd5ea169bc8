package install

import (
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/session"
)

// standIn is a gateway for one call, on this machine alone.
type standIn struct {
	url    string
	server *http.Server
	served chan struct{}
	asked  atomic.Int64 // how often an approval was asked for
}

// open starts a stand-in that answers as told; nil: one that is dead.
func open(answer func(w http.ResponseWriter, r *http.Request)) (*standIn, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &standIn{url: "http://" + listener.Addr().String(), served: make(chan struct{})}
	s.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asks(r) {
			s.asked.Add(1)
		}
		answer(w, r)
	})}
	if answer == nil {
		close(s.served)
		return s, listener.Close()
	}
	go func() {
		defer close(s.served)
		_ = s.server.Serve(listener) // it ends with close
	}()
	return s, nil
}

func (s *standIn) close() error {
	err := s.server.Close()
	<-s.served
	return err
}

// access writes the stand-in's access file to a folder.
func (s *standIn) access(folder string) (file string, err error) {
	file = filepath.Join(folder, "access.json")
	return file, client.Access{URL: s.url, Token: "canary"}.WriteTo(file)
}

func asks(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Path == "/api/approvals"
}

// deciding answers as a gateway does. reason is that of a denial; empty: it approves.
func deciding(reason string) func(w http.ResponseWriter, r *http.Request) {
	var last atomic.Pointer[client.Question]
	return func(w http.ResponseWriter, r *http.Request) {
		var answer any = session.Session{ID: "canary"}
		switch {
		case r.URL.Path == "/api/me":
			answer = map[string]any{"identity": auth.Identity{Subject: "the canary", Roles: []auth.Role{auth.Agent}}}
		case asks(r):
			q := new(client.Question)
			_ = json.UnmarshalRead(io.LimitReader(r.Body, 1<<20), q) // what is no question is answered alike
			last.Store(q)
			row := decided(reason)
			row.Type, row.Metadata = q.Type, q.Metadata
			answer = row
		case strings.HasSuffix(r.URL.Path, "/claim"):
			if q := last.Load(); q != nil {
				answer = map[string]any{"args": q.Args}
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.MarshalWrite(w, answer) // who has gone reads nothing
	}
}

func decided(reason string) client.Approval {
	a := client.Approval{Request: approval.Request{ApprovalID: "canary"}, Status: approval.Approved}
	a.Response = &approval.Response{ApprovalID: "canary", Status: approval.Approved, By: approval.By{Subject: "the canary"}}
	if reason != "" {
		a.Status = approval.Denied
		a.Response.Status, a.Response.Reason, a.Response.Message = approval.Denied, approval.UserDenied, reason
	}
	return a
}
