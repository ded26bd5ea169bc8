package transport_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/internal/process"
	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// The test binary is a program for tests where these are set: it writes a line as
// often as asked, with $N for how often and $X for 12 MiB, and reads what comes, or nothing.
const (
	lineVariable  = "TEST_LINE"
	timesVariable = "TEST_TIMES"
	deafVariable  = "TEST_DEAF"
)

func TestMain(m *testing.M) {
	line, be := os.LookupEnv(lineVariable)
	if !be {
		goleak.VerifyTestMain(m)
		return
	}
	times, err := strconv.Atoi(os.Getenv(timesVariable))
	if err != nil {
		panic(err)
	}
	long := ""
	if strings.Contains(line, "$X") {
		long = strings.Repeat("x", 12<<20)
	}
	out := bufio.NewWriter(os.Stdout)
	for n := range times {
		_, _ = strings.NewReplacer("$N", strconv.Itoa(n), "$X", long).WriteString(out, line+"\n")
	}
	fmt.Fprintln(out, end)
	_ = out.Flush()
	signal.Ignore(syscall.SIGTERM)
	if os.Getenv(deafVariable) != "" {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGUSR1) // without it, and without cgo, Go ends a program that only waits
		<-signals
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	fmt.Fprintln(os.Stderr, "my stdin is closed")
}

// end is the last message of the program.
const end = `{"jsonrpc":"2.0","id":"end","result":{}}`

// logged is a log that a transport writes to.
type logged struct {
	mu    sync.Mutex
	lines []string
}

func (l *logged) log(level, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, level+": "+text)
}

func (l *logged) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

func family() process.Family {
	return process.Family{Mark: process.Mark{Name: "TEST_FAMILY", Value: uuid.NewString()}}
}

// program is the transport of a program that writes a line some times, and its
// connection.
func program(t *testing.T, line string, times int, more ...string) (*transport.Transport, sdk.Connection, *logged) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	said := &logged{}
	tr := transport.NewStdio(transport.Program{
		Command: []string{self},
		Environ: append(more, lineVariable+"="+line, timesVariable+"="+strconv.Itoa(times)),
		Secrets: []string{"open-sesame"},
		Family:  family(),
	}, said.log)
	conn, err := tr.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Shutdown(func() {}) })
	return tr, conn, said
}

// readAll reads messages until the last of the program, or an error.
func readAll(t *testing.T, conn sdk.Connection, each func(jsonrpc.Message)) error {
	t.Helper()
	for {
		m, err := conn.Read(t.Context())
		if err != nil {
			return err
		}
		if r, ok := m.(*jsonrpc.Response); ok && r.ID.Raw() == "end" {
			return nil
		}
		each(m)
	}
}

func TestLinesThatAreNoMessagesAreLoggedWithoutSecrets(t *testing.T) {
	t.Parallel()
	for _, line := range []string{`Hello open-sesame`, `{"hello":"open-sesame"}`} {
		tr, conn, said := program(t, line, 3)
		read := 0
		if err := readAll(t, conn, func(jsonrpc.Message) { read++ }); err != nil || read != 0 || tr.Lost() != nil {
			t.Errorf("%s: %d messages, %v, lost: %v", line, read, err, tr.Lost())
		}
		if want := "stdout: " + strings.ReplaceAll(line, "open-sesame", "***"); strings.Count(said.text(), want) != 3 {
			t.Errorf("the log is %s", said.text())
		}
	}
}

func TestRequestsBeyondALimitCutTheConnection(t *testing.T) {
	t.Parallel()
	const ping = `{"jsonrpc":"2.0","id":"p$N","method":"ping"}`
	for name, tt := range map[string]struct {
		line    string
		times   int
		answers bool
		want    error
	}{
		"as many as may be open":         {ping, 64, false, nil},
		"one more":                       {ping, 65, false, transport.ErrFlood},
		"many, but they are answered":    {ping, 500, true, nil},
		"few that are too long together": {`{"jsonrpc":"2.0","id":"p$N","method":"ping","params":{"x":"$X"}}`, 3, false, transport.ErrFlood},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr, conn, _ := program(t, tt.line, tt.times)
			err := readAll(t, conn, func(m jsonrpc.Message) {
				if tt.answers {
					if err := conn.Write(t.Context(), &jsonrpc.Response{ID: m.(*jsonrpc.Request).ID, Result: []byte("{}")}); err != nil {
						t.Error(err)
					}
				}
			})
			if (err != nil) != (tt.want != nil) || !errors.Is(tr.Lost(), tt.want) {
				t.Errorf("it is read with %v, lost: %v", err, tr.Lost())
			}
			if tt.want != nil {
				<-tr.Done()
			}
		})
	}
}

func TestNotificationsBeyondALimitAreLeftOut(t *testing.T) {
	t.Parallel()
	tr, conn, said := program(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":$N}}`, 5000)
	read := 0
	if err := readAll(t, conn, func(jsonrpc.Message) { read++ }); err != nil || tr.Lost() != nil {
		t.Errorf("%v, lost: %v", err, tr.Lost())
	}
	if read < 200 || read > 2500 || strings.Count(said.text(), "some are left out") != 1 {
		t.Errorf("%d are read; the log is %s", read, said.text())
	}
}

func TestWritingToAProgramThatReadsNothingEnds(t *testing.T) {
	t.Parallel()
	tr, conn, _ := program(t, "", 0, deafVariable+"=1")
	if err := readAll(t, conn, func(jsonrpc.Message) {}); err != nil {
		t.Fatal(err)
	}
	long := &jsonrpc.Request{Method: "notifications/x", Params: []byte(`"` + strings.Repeat("x", 1<<20) + `"`)}
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan error, 2)
	go func() { results <- conn.Write(ctx, long) }()
	go func() { results <- conn.Write(ctx, long) }()
	cancel()
	for range 2 {
		if err := <-results; !errors.Is(err, context.Canceled) {
			t.Errorf("a write whose ctx has ended says %v", err)
		}
	}
	go func() { results <- conn.Write(t.Context(), long) }()
	tr.Cut()
	if err := <-results; err == nil {
		t.Error("what was cut can be written to")
	}
	if _, err := conn.Read(t.Context()); !errors.Is(err, io.EOF) || tr.Lost() != nil {
		t.Errorf("a read of what was cut says %v, lost: %v", err, tr.Lost())
	}
}

func TestAProgramThatEndsIsLost(t *testing.T) {
	t.Parallel()
	tr := transport.NewStdio(transport.Program{Command: []string{"true"}, Family: family()}, (&logged{}).log)
	conn, err := tr.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(t.Context()); !errors.Is(err, io.EOF) || !errors.Is(tr.Lost(), transport.ErrEnded) {
		t.Errorf("it is read with %v, lost: %v", err, tr.Lost())
	}
	<-tr.Done()
	tr.Shutdown(func() {})
}

// A server that has the gateway's terminal could type into it what runs after it.
func TestAProgramHasNoTerminal(t *testing.T) {
	t.Parallel()
	said := &logged{}
	tr := transport.NewStdio(transport.Program{
		Command: []string{"sh", "-c", `[ $$ = "$(cut -d' ' -f6 /proc/$$/stat)" ] && echo it leads a session >&2`}, Family: family(),
	}, said.log)
	conn, err := tr.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("it is read with %v", err)
	}
	<-tr.Done()
	tr.Shutdown(func() {})
	if !strings.Contains(said.text(), "it leads a session") {
		t.Errorf("it is in the session of the gateway: %s", said.text())
	}
}

func TestAProgramIsToldToEndByItsStdin(t *testing.T) {
	t.Parallel()
	tr, conn, said := program(t, "", 0)
	if err := readAll(t, conn, func(jsonrpc.Message) {}); err != nil {
		t.Fatal(err)
	}
	tr.Shutdown(func() {})
	if !strings.Contains(said.text(), "stderr: my stdin is closed") || tr.Lost() != nil {
		t.Errorf("lost: %v; the log is %s", tr.Lost(), said.text())
	}
}

func TestWhatDidNotStartCanBeShutDown(t *testing.T) {
	t.Parallel()
	tr := transport.NewStdio(transport.Program{Command: []string{"/no/such/program"}, Family: family()}, (&logged{}).log)
	_, err := tr.Connect(t.Context())
	if failed := (*transport.StartError)(nil); !errors.As(err, &failed) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it says %v", err)
	}
	ended := false
	tr.Shutdown(func() { ended = true })
	if !ended || tr.Lost() != nil {
		t.Errorf("the session is ended: %v, lost: %v", ended, tr.Lost())
	}
}
