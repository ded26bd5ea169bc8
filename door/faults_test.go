package door_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/gate"
)

// declared lists the sentinel errors of a package.
func declared(t *testing.T, pkg string) []string {
	t.Helper()
	files, err := os.ReadDir("../" + pkg)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), "../"+pkg+"/"+f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			vars, ok := d.(*ast.GenDecl)
			if !ok || vars.Tok != token.VAR {
				continue
			}
			for _, spec := range vars.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					if strings.HasPrefix(name.Name, "Err") {
						found = append(found, pkg+"."+name.Name)
					}
				}
			}
		}
	}
	return found
}

func TestEveryErrorThatReachesADoorIsInTheTable(t *testing.T) {
	raw, err := os.ReadFile("faults.go")
	if err != nil {
		t.Fatal(err)
	}
	inside := []string{ // these don't reach a door, or are no fault of a client's
		"approval.ErrNobody", "approval.ErrOutdated", "approval.ErrGrantEnded", "approval.ErrUnbounded",
		"approval.ErrNotApprover", // an auth.ErrForbidden
		"auth.ErrOutOfScope",      // another
		"auth.ErrWaiting",         // of a terminal that logs in, which is told so
		"session.ErrUnwritten",    // ours: to be tried again
	}
	seen := 0
	for _, pkg := range []string{"approval", "gate", "session", "auth"} {
		for _, name := range declared(t, pkg) {
			seen++
			if !slices.Contains(inside, name) && !strings.Contains(string(raw), "{"+name+",") {
				t.Errorf("%s has no row: a client would be told to try again, and we would log it as our fault", name)
			}
		}
	}
	if seen < 25 {
		t.Fatalf("only %d errors were found", seen)
	}
}

func TestAnErrorMeansTheSameAtEveryDoor(t *testing.T) {
	for _, c := range []struct {
		err    error
		code   string
		status int
		words  string
	}{
		{fmt.Errorf("gate: ask: %w", approval.ErrUnknown), "unknown_approval", http.StatusNotFound, "ask: approval: unknown approval (there is none, or it is no longer kept)"},
		{&approval.DecidedError{Outcome: approval.Approval{Status: approval.Denied, Response: approval.Response{By: approval.By{Subject: "ada"}}}}, "already_decided", http.StatusConflict, "already decided: denied by ada"},
		{auth.ErrOver, "unauthorized", http.StatusUnauthorized, strings.TrimPrefix(auth.ErrOver.Error(), "auth: ")},
		{fmt.Errorf("%w: %q", gate.ErrNoAgent, "x"), "unknown_agent", http.StatusNotFound, `no gate for that agent: "x"`},
	} {
		f := door.FaultOf(c.err)
		if f.Code != c.code || f.Status != c.status || f.Words != c.words || f.Ours {
			t.Errorf("%v is %+v", c.err, f)
		}
	}
	ours := door.FaultOf(errors.New("store: /var/lib/lineclear: disk I/O error"))
	if !ours.Ours || ours.Status != http.StatusServiceUnavailable || strings.Contains(ours.Words, "disk") {
		t.Errorf("a fault of ours is %+v", ours)
	}
}
