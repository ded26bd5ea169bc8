package httpapi_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/httpapi"
)

// guardedServer serves with few connections.
func guardedServer(t *testing.T, l httpapi.ConnectionLimits) string {
	t.Helper()
	return guardedBy(t, httpapi.NewConnections(l, zap.NewNop()))
}

func guardedBy(t *testing.T, guard *httpapi.Connections) string {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/stranger" {
			defer httpapi.Recognised(r)()
		}
		if r.URL.Path == "/hijack" { // as a WebSocket: it reads on
			c, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.Copy(io.Discard, c)
				_ = c.Close()
			}
			return
		}
		if r.URL.Path != "/" && r.URL.Path != "/body" { // it is at work until its client hangs up
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	}))
	s.Config.ConnState, s.Config.ConnContext = guard.State, guard.Context
	s.Config.MaxHeaderBytes = 1 << 20
	s.Listener = guard.Listener(s.Listener)
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func connect(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	return c
}

// ask sends a request on a connection, and returns the status of the answer.
func ask(c net.Conn, path string) (int, error) { return askAs(c, path, "a") }

func askAs(c net.Conn, path, who string) (int, error) {
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\nAs: %s\r\n\r\n", path, who); err != nil {
		return 0, err
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, nil
}

func TestWhoHasAskedNothingGivesWayToWhoDoes(t *testing.T) {
	t.Parallel()
	address := guardedServer(t, httpapi.ConnectionLimits{All: 3})
	busy := connect(t, address)
	if status, err := ask(busy, "/slow"); status != 200 {
		t.Fatalf("%d, %v", status, err)
	}
	silent := []net.Conn{connect(t, address), connect(t, address)}
	for i := range 5 {
		c := connect(t, address)
		if status, err := ask(c, "/"); status != 200 {
			t.Errorf("connection %d beyond the limit: %d, %v", i, status, err)
		}
	}
	for i, c := range silent {
		if _, err := io.ReadAll(c); err != nil {
			t.Errorf("the silent connection %d is kept: %v", i, err)
		}
	}
	_ = busy.SetReadDeadline(time.Now().Add(100 * time.Millisecond)) // for what must not come
	if _, err := busy.Read(make([]byte, 1)); err == nil || err == io.EOF {
		t.Errorf("the one at work was hung up on: %v", err)
	}
}

func TestWhereAllAreAtWorkOneMoreIsNotTaken(t *testing.T) {
	t.Parallel()
	address := guardedServer(t, httpapi.ConnectionLimits{PerAddress: 2})
	busy := []net.Conn{connect(t, address), connect(t, address)}
	for _, c := range busy {
		if status, err := ask(c, "/slow"); status != 200 {
			t.Fatalf("%d, %v", status, err)
		}
	}
	if status, err := ask(connect(t, address), "/"); err == nil {
		t.Errorf("a third is served: %d", status)
	}
	_ = busy[0].Close()
	for deadline := time.Now().Add(30 * time.Second); ; { // the server has to see it first
		if status, _ := ask(connect(t, address), "/"); status == 200 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the place of one that has left is not given to another")
		}
	}
}

func TestAStrangerGivesWayWhateverItIsInTheMiddleOf(t *testing.T) {
	t.Parallel()
	address := guardedServer(t, httpapi.ConnectionLimits{PerAddress: 4})
	strangers := []net.Conn{connect(t, address), connect(t, address), connect(t, address)}
	for _, c := range strangers {
		if status, err := ask(c, "/stranger"); status != 200 {
			t.Fatalf("%d, %v", status, err)
		}
	}
	half := connect(t, address) // a body that never comes: a quarter of the places is for no strangers
	if _, err := fmt.Fprint(half, "POST /stranger HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(strangers[0]); err != nil {
		t.Errorf("the oldest stranger is kept: %v", err)
	}
	for i := range 4 {
		if status, err := ask(connect(t, address), "/slow"); status != 200 {
			t.Errorf("known %d: %d, %v", i, status, err)
		}
	}
	for i, c := range append(strangers[1:], half) {
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Errorf("stranger %d is kept: %v", i, err)
		}
	}
	if status, err := ask(connect(t, address), "/"); err == nil {
		t.Errorf("one more than there are places: %d", status)
	}
}

func TestHeadersThatNeverEndAreBoundedOverAllConnections(t *testing.T) {
	address := guardedServer(t, httpapi.ConnectionLimits{})
	piece := "X: " + strings.Repeat("x", 8000) + "\r\n"
	dropped := make(chan struct{}, 120)
	for range cap(dropped) {
		c := connect(t, address)
		go func() {
			_, _ = fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\n"+strings.Repeat(piece, 100)) // cut off, or taken
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, net.ErrClosed) {
				dropped <- struct{}{}
			}
		}()
	}
	select {
	case <-dropped:
	case <-time.After(20 * time.Second):
		t.Error("90 MB of headers are read at a time")
	}
	if status, err := ask(connect(t, address), "/"); status != 200 {
		t.Errorf("meanwhile another: %d, %v", status, err)
	}
}

func TestOfIdleConnectionsThoseOfWhoHasTheMostGiveWay(t *testing.T) {
	address := guardedServer(t, httpapi.ConnectionLimits{PerAddress: 4})
	quiet := connect(t, address)
	if status, err := askAs(quiet, "/", "ada"); status != 200 {
		t.Fatalf("%d, %v", status, err)
	}
	for range 12 {
		if status, err := askAs(connect(t, address), "/", "eve"); status != 200 {
			t.Fatalf("%d, %v", status, err)
		}
	}
	if status, err := askAs(quiet, "/", "ada"); status != 200 {
		t.Errorf("the oldest, whose owner has no other: %d, %v", status, err)
	}
}

func TestWhatIsCountedOfHeadersIsGivenBackWhole(t *testing.T) {
	guard := httpapi.NewConnections(httpapi.ConnectionLimits{}, zap.NewNop())
	address := guardedBy(t, guard)
	long := "X: " + strings.Repeat("x", 28_000) + "\r\n"
	for name, send := range map[string]func(c net.Conn){
		"headers in two pieces": func(c net.Conn) {
			_, _ = fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\n"+long)
			_, _ = fmt.Fprint(c, long+"\r\n")
			_, _ = http.ReadResponse(bufio.NewReader(c), nil)
		},
		"headers that never end": func(c net.Conn) { _, _ = fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\n"+long+long) },
		"a body that is drained": func(c net.Conn) {
			_, _ = fmt.Fprintf(c, "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n%s", strings.Repeat("x", 60_000))
			_, _ = http.ReadResponse(bufio.NewReader(c), nil)
		},
		"a WebSocket": func(c net.Conn) {
			_, _ = fmt.Fprintf(c, "GET /hijack HTTP/1.1\r\nHost: x\r\n\r\n%s", strings.Repeat("x", 4<<20))
		},
	} {
		c := connect(t, address)
		send(c)
		if name == "a WebSocket" && guard.Unread() != 0 {
			t.Errorf("what it reads counts as headers: %d bytes", guard.Unread())
		}
		_ = c.Close()
		for deadline := time.Now().Add(30 * time.Second); guard.Unread() != 0; {
			if time.Now().After(deadline) {
				t.Fatalf("%s: %d bytes are not given back", name, guard.Unread())
			}
		}
	}
}

func TestConnectionsOfATrustedProxyAreManyClients(t *testing.T) {
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	address := guardedServer(t, httpapi.ConnectionLimits{PerAddress: 1, Trusted: loopback})
	for range 4 {
		if status, err := ask(connect(t, address), "/slow"); status != 200 {
			t.Errorf("%d, %v", status, err)
		}
	}
}

func TestOnlyNamedAddressesAreTaken(t *testing.T) {
	t.Parallel()
	address := guardedServer(t, httpapi.ConnectionLimits{Only: func(netip.Addr) bool { return false }})
	if status, err := ask(connect(t, address), "/"); err == nil {
		t.Errorf("it is served: %d", status)
	}
}
