package httpapi_test

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/tool"
)

func TestAnExportHasAllThatTheFiltersLeave(t *testing.T) {
	g := openGate(t)
	first := g.want(t, 201, "POST", "/api/approvals", `{"client":"deployer","toolName":"deploy","args":{"to":"=1+1","password":"hunter2hunter2"},"message":"=cmd|' /C calc'!A0"}`, g.program)
	g.want(t, 200, "POST", "/api/approvals/"+first.ApprovalID, `{"status":"denied","message":"-no, \"not\"\ntoday"}`, g.person)
	second := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)

	response, text := g.ask(t, "GET", "/api/approvals/export?format=csv", "", g.person)
	if response.Header.Get("Content-Type") != "text/csv; charset=utf-8" || response.Header.Get("Content-Disposition") != `attachment; filename="lineclear-approvals.csv"` {
		t.Errorf("it comes with %v", response.Header)
	}
	table, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(table) != 3 {
		t.Fatalf("%v: %s", err, text)
	}
	row := map[string]string{}
	for i, name := range table[0] {
		row[name] = table[2][i]
	}
	for name, want := range map[string]string{
		"tool": "deploy", "outcome": "denied", "status": "denied", "reason": "user_denied", "by": "ada", "via": "rest", "client": "deployer",
		"arguments": `{"to":"=1+1","password":"⟦masked⟧"}`, "question": "'=cmd|' /C calc'!A0", "message": "'-no, \"not\"\ntoday", "approval": first.ApprovalID,
		"session": first.SessionID, "run": "void", "withdrawnBy": "",
	} {
		if row[name] != want {
			t.Errorf("%s is %q, want %q", name, row[name], want)
		}
	}
	if row["requestedAt"] == "" || row["answeredAt"] == "" || row["seconds"] == "" || table[1][0] == "" || strings.Contains(text, "hunter2") {
		t.Errorf("the table is %s", text)
	}

	_, listed := g.ask(t, "GET", "/api/approvals?status=pending", "", g.person)
	_, lines := g.ask(t, "GET", "/api/approvals/export?format=jsonl&outcome=pending", "", g.person)
	if want := `{"approvals":[` + strings.TrimSuffix(lines, "\n") + `]}`; listed != want || !strings.Contains(lines, second.ApprovalID) {
		t.Errorf("the list is %s, the export %s", listed, lines)
	}
}

// many has a number of rows, which it makes as they are read.
type many struct {
	door.Approvals
	rows, size int
	wait       func() // called before each page
	broken     int    // the row at which the store fails; 0: it doesn't
}

func (m many) Search(_ context.Context, q approval.Search) (approval.Found, error) {
	if m.wait != nil {
		m.wait()
	}
	at := 0
	_, _ = fmt.Sscan(q.Before, &at)
	var found approval.Found
	for n := at; n < m.rows; n++ {
		if m.broken > 0 && n >= m.broken {
			return approval.Found{}, errors.New("the disk is gone")
		}
		a := approval.New(approval.Request{
			ApprovalID: fmt.Sprint(n + 1), AgentID: "demo", ToolName: "write_file", RequestedAt: time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC),
			Args: tool.JSON(`{"content":"` + strings.Repeat("x", m.size) + `"}`),
		})
		if found.Add(q, a) {
			break
		}
	}
	return found, nil
}

// download requests an export, for the caller to read as it comes.
func (d *doors) download(t *testing.T, form, cookie string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", d.URL+"/api/approvals/export?format="+form, nil)
	if err != nil {
		panic(err)
	}
	withCookie(r, cookie)
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Error(err)
		return &http.Response{Body: http.NoBody}
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func TestALongExportIsNotHeldInMemory(t *testing.T) {
	const rows, size = 10_000, 8 << 10
	heap := func() uint64 {
		var now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&now)
		return now.HeapAlloc
	}
	for _, form := range []string{"csv", "jsonl"} {
		d := openOn(t, house{}, many{rows: rows, size: size})
		lines, before := bufio.NewReader(d.download(t, form, d.login(t, auth.Viewer)).Body), heap()
		read, most := 0, uint64(0)
		for {
			_, err := lines.ReadString('\n')
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if read++; read%1000 == 0 {
				most = max(most, heap())
			}
		}
		if form == "csv" {
			read-- // the column names
		}
		if read != rows || most > before+16<<20 {
			t.Errorf("%s: %d rows of %d MB took %d MB", form, read, rows*size>>20, (most-before)>>20)
		}
	}
}

func TestOneExportAtATimeIsMadeForEach(t *testing.T) {
	begun, goes := make(chan struct{}, 9), make(chan struct{})
	d := openOn(t, house{}, many{rows: 3, size: 1, wait: func() { begun <- struct{}{}; <-goes }})
	ada, bob := d.login(t, auth.Viewer), d.loginAs(t, "bob", auth.Viewer)
	whole := func(cookie string) (status chan int) {
		status = make(chan int, 1)
		go func() {
			response := d.download(t, "csv", cookie)
			_, _ = io.Copy(io.Discard, response.Body)
			status <- response.StatusCode
		}()
		return status
	}
	first := whole(ada)
	<-begun
	if second := <-whole(ada); second != http.StatusTooManyRequests {
		t.Errorf("a second one: %d", second)
	}
	other := whole(bob)
	goes <- struct{}{}
	<-begun // bob's, once ada's page has been read
	goes <- struct{}{}
	if a, b := <-first, <-other; a != 200 || b != 200 {
		t.Errorf("they got %d and %d", a, b)
	}
	again := whole(ada)
	goes <- struct{}{}
	if status := <-again; status != 200 {
		t.Errorf("afterwards: %d", status)
	}
}

func TestAnExportThatCanNotBeEndedBreaksOff(t *testing.T) {
	for _, form := range []string{"csv", "jsonl"} {
		d := openOn(t, house{}, many{rows: 2000, size: 1000, broken: 1500})
		raw, err := io.ReadAll(d.download(t, form, d.login(t, auth.Viewer)).Body)
		if err == nil || strings.Contains(string(raw), "disk") || len(raw) < 100_000 {
			t.Errorf("%s: %d bytes, %v", form, len(raw), err)
		}
	}
}
