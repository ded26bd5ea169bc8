package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/lineclear/lineclear/tool/mcp"
)

// overtaken are logins of which another gateway renews one while this one does.
type overtaken struct {
	mcp.LoginFiles
	renewed []byte // what the other one writes just before this one does so a second time
	writes  *int
}

func (o overtaken) Write(ctx context.Context, name string, was, is []byte) (bool, error) {
	if *o.writes++; *o.writes == 2 {
		if _, err := o.LoginFiles.Write(ctx, name, nil, o.renewed); err != nil {
			return false, err
		}
	}
	if there, err := o.Read(ctx, name); err != nil || was != nil && string(was) != string(there) {
		return false, err
	}
	return o.LoginFiles.Write(ctx, name, was, is)
}

func TestATokenThatAnotherGatewayHasRenewedMeanwhileIsTheOneThatCounts(t *testing.T) {
	t.Parallel()
	l := newLender(t)
	l.seconds = 1
	atTokens(t, l, func(w http.ResponseWriter, r *http.Request) {
		l.token(w, r)
		if r.FormValue("grant_type") == "refresh_token" {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.valid = "TOKEN-OF-THE-OTHER"
		}
	})
	_, logins := loggedIn(t, l)
	file := filepath.Join(logins, "bank.json")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var kept map[string]any
	if err := json.Unmarshal(raw, &kept); err != nil {
		t.Fatal(err)
	}
	kept["token"] = map[string]any{"access_token": "TOKEN-OF-THE-OTHER", "token_type": "Bearer", "refresh_token": "its renewal", "expiry": time.Now().Add(time.Hour)}
	renewed, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, l.config(), mcp.Options{Logins: overtaken{mcp.LoginFiles(logins), renewed, new(int)}})
	wantText(t, run(t, s, "pay", "{}"), false, "done")
	if left, err := os.ReadFile(file); err != nil || string(left) != string(renewed) {
		t.Errorf("what is kept is %s (%v)", left, err)
	}
}
