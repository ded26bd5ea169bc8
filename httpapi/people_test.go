package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/httpapi"
)

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"

// browse follows a link as a browser does.
func (d *doors) browse(t *testing.T, link, userAgent string) string {
	t.Helper()
	response, body := d.askWith(t, "POST", "/api/login", `{"token":"`+link+`"}`, "", http.Header{"User-Agent": {userAgent}})
	return begun(t, response, body)
}

// as decodes a body, and fails the test on any other status.
func as[T any](t *testing.T, response *http.Response, body string, status int) (v T) {
	t.Helper()
	if response.StatusCode != status {
		t.Fatalf("%s: %d, want %d: %s", response.Request.URL.Path, response.StatusCode, status, body)
	}
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

type (
	listedLogins struct {
		Logins []auth.Credential `json:"logins"`
		Own    string            `json:"own"`
	}
	listedLinks struct {
		Links []auth.Invitation `json:"links"`
	}
	madeLink struct {
		ID  string `json:"id"`
		URL string `json:"url"`
	}
	refusedLogin struct {
		Code   string         `json:"code"`
		Detail string         `json:"detail"`
		Ended  *auth.LoginEnd `json:"ended"`
	}
)

// invite makes a link and returns it, with the invitation's id.
func (d *doors) invite(t *testing.T, admin, access string) (id, link string) {
	t.Helper()
	response, body := d.ask(t, "POST", "/api/links", access, admin)
	made := as[madeLink](t, response, body, http.StatusCreated)
	_, link, _ = strings.Cut(made.URL, "#login=")
	return made.ID, link
}

func TestLoginsAreListedAsTheyAreRecognisedToWhoManagesAccessAlone(t *testing.T) {
	d := open(t, house{})
	admin := d.browse(t, issue(t, d.links, auth.Identity{Subject: "ana", Roles: []auth.Role{auth.Admin}}), firefox)
	d.browse(t, issue(t, d.links, auth.Identity{Subject: "ben", Roles: []auth.Role{auth.Viewer}}), "<b>\u202ecurl")
	response, body := d.ask(t, "GET", "/api/logins", "", admin)
	list := as[listedLogins](t, response, body, http.StatusOK)
	if len(list.Logins) != 2 || list.Own != list.Logins[0].ID {
		t.Fatal(body)
	}
	for i, want := range []string{"Firefox on Linux", "A browser"} {
		if c := list.Logins[i]; c.Browser != want || c.Address != "127.0.0.1" || time.Since(c.UsedAt) > time.Minute {
			t.Errorf("%+v, want %s", c, want)
		}
	}
	if strings.Contains(body, "curl") {
		t.Errorf("what a browser sent is shown: %s", body)
	}
	response, body = d.ask(t, "GET", "/api/tokens", "", admin)
	_ = as[map[string]any](t, response, body, http.StatusOK)
	for name, who := range map[string]auth.Identity{
		"an approver":              {Subject: "cara", Roles: []auth.Role{auth.Approver, auth.Operator}},
		"an admin for some agents": {Subject: "dora", Roles: []auth.Role{auth.Admin}, Agents: []string{"demo"}},
	} {
		cookie := d.browse(t, issue(t, d.links, who), firefox)
		for _, what := range []string{"GET /api/logins", "GET /api/tokens", "GET /api/links", "DELETE /api/people/ben", "DELETE /api/links/x", "POST /api/links/x/again"} {
			method, path, _ := strings.Cut(what, " ")
			if response, body := d.ask(t, method, path, "", cookie); response.StatusCode != http.StatusForbidden {
				t.Errorf("%s, %s: %d %s", name, what, response.StatusCode, body)
			}
		}
	}
}

func TestAnAddressIsShownWholeAndCountedByItsNetwork(t *testing.T) {
	const client = "2001:db8:1:2:3:4:5:6"
	if got := httpapi.PeerBehind("10.0.0.2", client, "10.0.0.0/24"); got != client {
		t.Errorf("shown as %s", got)
	}
	if got := httpapi.AddressBehind("10.0.0.2", client, "10.0.0.0/24"); got != "2001:db8:1:2::" {
		t.Errorf("counted as %s", got)
	}
	if got := httpapi.PeerBehind("192.0.2.9", client, "10.0.0.0/24"); got != "192.0.2.9" {
		t.Errorf("what a stranger claims is shown: %s", got)
	}
}

func TestALinkSaysToWhoOpensItThatItWasUsedWithdrawnOrReplaced(t *testing.T) {
	d := open(t, house{})
	admin := d.login(t, auth.Admin)
	open := func(link string) (looked, followed refusedLogin) {
		t.Helper()
		for path, into := range map[string]*refusedLogin{"/api/login/look": &looked, "/api/login": &followed} {
			response, body := d.ask(t, "POST", path, `{"token":"`+link+`"}`, "")
			*into = as[refusedLogin](t, response, body, http.StatusGone)
		}
		return looked, followed
	}
	_, used := d.invite(t, admin, `{"subject":"cara","roles":["approver"],"agents":["demo"]}`)
	cara := d.browse(t, used, firefox)
	withdrawn, withdrawnLink := d.invite(t, admin, `{"subject":"dora","roles":["viewer"]}`)
	response, body := d.ask(t, "DELETE", "/api/links/"+withdrawn, "", admin)
	if i := as[auth.Invitation](t, response, body, http.StatusOK); i.State != auth.InvitationWithdrawn || i.EndedBy != "ada" {
		t.Errorf("withdrawn: %+v", i)
	}
	replaced, replacedLink := d.invite(t, admin, `{"subject":"eva","roles":["viewer"]}`)
	response, body = d.ask(t, "POST", "/api/links/"+replaced+"/again", "", admin)
	made := as[madeLink](t, response, body, http.StatusCreated)
	for link, code := range map[string]string{used: "link_used", withdrawnLink: "link_withdrawn", replacedLink: "link_withdrawn"} {
		if looked, followed := open(link); looked.Code != code || followed.Code != code || !strings.Contains(looked.Detail, "ask for another one") {
			t.Errorf("%s: %+v, %+v", code, looked, followed)
		}
	}
	if response, body := d.ask(t, "POST", "/api/login/look", `{"token":"lci_guessed"}`, ""); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("who guesses: %d %s", response.StatusCode, body)
	}
	if response, body := d.ask(t, "DELETE", "/api/links/"+withdrawn, "", admin); response.StatusCode != http.StatusGone {
		t.Errorf("withdrawn twice: %d %s", response.StatusCode, body)
	}
	if response, body := d.ask(t, "DELETE", "/api/links/none", "", admin); response.StatusCode != http.StatusNotFound {
		t.Errorf("none: %d %s", response.StatusCode, body)
	}
	response, body = d.ask(t, "GET", "/api/links", "", admin)
	var got []string
	for _, i := range as[listedLinks](t, response, body, http.StatusOK).Links {
		got = append(got, i.Subject+" "+string(i.State)+" by "+i.By)
	}
	if want := "eva open by ada, dora withdrawn by ada, cara used by ada"; strings.Join(got, ", ") != want {
		t.Errorf("listed are %q, want %s", got, want)
	}
	for _, secret := range []string{used, withdrawnLink, made.URL[len(made.URL)-40:], auth.Fingerprint(used)} {
		if strings.Contains(body, secret) {
			t.Errorf("the list has %s", secret)
		}
	}
	if response, body := d.ask(t, "GET", "/api/me", "", cara); !strings.Contains(body, `"agents":["demo"]`) {
		t.Errorf("she came in as %d %s", response.StatusCode, body)
	}
}

func TestWhoWasSignedOutIsToldByWhomAndNobodyElseIs(t *testing.T) {
	d := open(t, house{})
	admin := d.login(t, auth.Admin)
	_, link := d.invite(t, admin, `{"subject":"ben","roles":["viewer"]}`)
	ben := d.browse(t, link, firefox)
	csrf, _ := proofs.Load(ben)
	proof := csrf.(string)
	login := auth.LoginOf(proof)
	response, body := d.ask(t, "DELETE", "/api/logins/"+login, "", admin)
	_ = as[auth.Credential](t, response, body, http.StatusOK)
	for name, c := range map[string]struct {
		cookie, proof string
		told          bool
	}{
		"its page":                      {ben, proof, true},
		"its page without the cookie":   {"x=y", proof, true},
		"another port, with the cookie": {ben, "", false},
		"who guesses a proof":           {ben, "lcp_" + login + ".guess", false},
		"who has another's proof":       {"x=y", "lcp_" + login + proof[strings.LastIndex(proof, ".")-1:], false},
	} {
		proofs.Store(c.cookie, c.proof)
		response, body := d.ask(t, "POST", "/api/ws-ticket", "", c.cookie)
		got := as[refusedLogin](t, response, body, http.StatusUnauthorized)
		switch {
		case c.told && (got.Ended == nil || got.Ended.Reason != auth.EndSignedOut || got.Ended.By != "ada" || !strings.Contains(got.Detail, "you were signed out by ada at ")):
			t.Errorf("%s is told %s", name, body)
		case !c.told && (got.Ended != nil || strings.Contains(body, "ada")):
			t.Errorf("%s is told %s", name, body)
		}
	}
}

func TestAPersonIsRemovedByName(t *testing.T) {
	d := open(t, house{})
	admin := d.login(t, auth.Admin)
	_, link := d.invite(t, admin, `{"subject":"ben/ops team","roles":["viewer"]}`)
	ben := d.browse(t, link, firefox)
	_, second := d.invite(t, admin, `{"subject":"ben/ops team","roles":["viewer"]}`)
	response, body := d.ask(t, "DELETE", "/api/people/ben%2Fops%20team", "", admin)
	if removed := as[struct {
		Removed []auth.Credential `json:"removed"`
	}](t, response, body, http.StatusOK).Removed; len(removed) != 1 {
		t.Errorf("removed are %+v", removed)
	}
	response, body = d.ask(t, "GET", "/api/me", "", ben)
	if got := as[refusedLogin](t, response, body, http.StatusUnauthorized); got.Ended == nil || got.Ended.Reason != auth.EndRemoved {
		t.Errorf("told %s", body)
	}
	if response, body := d.ask(t, "POST", "/api/login", `{"token":"`+second+`"}`, ""); response.StatusCode != http.StatusGone {
		t.Errorf("the other link: %d %s", response.StatusCode, body)
	}
	if response, body := d.ask(t, "DELETE", "/api/people/ada", "", admin); response.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, "can't remove yourself") {
		t.Errorf("oneself: %d %s", response.StatusCode, body)
	}
}

// issue makes a link or a ticket.
func issue(t testing.TB, o *auth.OneTime, who auth.Identity) string {
	t.Helper()
	secret, err := o.Issue(t.Context(), who)
	if err != nil {
		t.Error(err)
	}
	return secret
}
