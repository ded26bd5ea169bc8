package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/policy"
)

// one is a listener with one connection.
type one struct {
	conns chan net.Conn
	addr  net.Addr
}

func (l one) Accept() (net.Conn, error) {
	c, ok := <-l.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (one) Close() error     { return nil }
func (l one) Addr() net.Addr { return l.addr }

// net/http reads on while it answers. A deadline that passes there ends what follows on the connection.
func TestASlowAnswerDoesNotEndWhatFollowsOnItsConnection(t *testing.T) {
	for name, slow := range map[string]string{
		"to a stranger": "GET / HTTP/1.1\r\nHost: gate.example\r\n\r\n",
		"to a login":    "GET /api/policy HTTP/1.1\r\nHost: gate.example\r\nAuthorization: Bearer %s\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fence, err := auth.NewOriginCheck("http://gate.example")
				if err != nil {
					t.Fatal(err)
				}
				keys := keyring(t, &auth.Memory{})
				token := keys.Local(auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}})
				ended := make(chan error, 1)
				handler := httpapi.New(httpapi.Backend{
					Keyring: keys, Origins: fence, Door: door.New(door.Backend{Agents: house{}}, approval.ViaREST),
					Rules: func(string) []policy.Listed { time.Sleep(time.Minute); return nil },
					Dashboard: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
						if r.URL.Path == "/" {
							time.Sleep(time.Minute)
							return
						}
						ended <- context.Cause(r.Context())
					}),
				}).Handler()
				here, there := net.Pipe()
				conns := make(chan net.Conn, 1)
				conns <- there
				server := &http.Server{Handler: handler, ReadTimeout: 30 * time.Second}
				go func() { _ = server.Serve(one{conns, there.LocalAddr()}) }()
				defer func() {
					_ = here.Close()
					close(conns)
					_ = server.Close()
				}()
				answers := bufio.NewReader(here)
				if strings.Contains(slow, "%s") {
					slow = fmt.Sprintf(slow, token)
				}
				for _, request := range []string{slow, "GET /next HTTP/1.1\r\nHost: gate.example\r\n\r\n"} {
					if _, err := here.Write([]byte(request)); err != nil {
						t.Fatal(err)
					}
					response, err := http.ReadResponse(answers, nil)
					if err != nil {
						t.Fatal(err)
					}
					_ = response.Body.Close()
				}
				if err := <-ended; err != nil {
					t.Errorf("the next request has ended: %v", err)
				}
			})
		})
	}
}
