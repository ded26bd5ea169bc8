package httpapi_test

import (
	"context"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/notify"
	"github.com/lineclear/lineclear/notify/webpush"
)

// nowhere keeps no subscriptions.
type nowhere struct{}

func (nowhere) ListSubscriptions(context.Context) ([]notify.Subscription, error)    { return nil, nil }
func (nowhere) SaveSubscription(context.Context, string, notify.Subscription) error { return nil }
func (nowhere) NoteSubscription(context.Context, notify.Subscription) error         { return nil }
func (nowhere) DropSubscription(context.Context, string, notify.Subscription) error { return nil }

// openPush is the same gateway, which calls browsers.
func openPush(t *testing.T, g *opened) *doors {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sender, err := webpush.New(key, webpush.Options{})
	if err != nil {
		t.Fatal(err)
	}
	notifier, err := notify.Open(t.Context(), notify.Backend{Bus: bus.New(approval.Topics()), Store: nowhere{}, Keyring: g.keyring, Sender: sender})
	if err != nil {
		t.Fatal(err)
	}
	d := &doors{Server: httptest.NewUnstartedServer(nil), keyring: g.keyring, links: g.links}
	fence, err := auth.NewOriginCheck("http://" + d.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b := g.api.Backend
	b.Origins, b.Push, b.PushKey = fence, notifier, "the key"
	d.api = httpapi.New(b)
	d.Config.Handler = d.api.Handler()
	d.start(t)
	return d
}

// subscription is what a browser sends.
func subscription(t *testing.T, endpoint string) string {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return `{"endpoint":"` + endpoint + `","keys":{"p256dh":"` + base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()) + `","auth":"AAAAAAAAAAAAAAAAAAAAAA"}}`
}

func TestAPersonsBrowserIsCalledUntilTheyTurnItOff(t *testing.T) {
	g := openGate(t)
	d := openPush(t, g)
	said := func(cookie string) string { _, body := d.ask(t, "GET", "/api/push", "", cookie); return body }
	none := `{"on":true,"publicKey":"the key"}`
	ada, ben := d.loginAs(t, "ada", auth.Approver), d.loginAs(t, "ben", auth.Admin)
	if got := said(ada); got != none {
		t.Errorf("before: %s", got)
	}
	const at = "/api/push/subscriptions"
	if response, body := d.ask(t, "POST", at, subscription(t, "https://push.example.com/ada"), ada); response.StatusCode != http.StatusNoContent {
		t.Fatalf("%d %s", response.StatusCode, body)
	}
	if got := said(ada); got != `{"on":true,"publicKey":"the key","endpoint":"https://push.example.com/ada"}` {
		t.Errorf("after: %s", got)
	}
	if got := said(ben); got != none {
		t.Errorf("another login reads %s", got)
	}
	if response, body := d.ask(t, "DELETE", at, "", ada); response.StatusCode != http.StatusNoContent || said(ada) != none {
		t.Errorf("turned off: %d %s, %s", response.StatusCode, body, said(ada))
	}
}

func TestOnlyAPersonWhoMayAnswerIsCalledAndOnlyAtAPushService(t *testing.T) {
	g := openGate(t)
	d := openPush(t, g)
	fine := subscription(t, "https://push.example.com/x")
	for name, role := range map[string]auth.Role{"a viewer": auth.Viewer, "an operator": auth.Operator, "an agent": auth.Agent} {
		if response, body := d.ask(t, "POST", "/api/push/subscriptions", fine, d.loginAs(t, name, role)); response.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d %s", name, response.StatusCode, body)
		}
	}
	token := g.token(t, `{"name":"carol","roles":["admin"]}`)
	for name, secret := range map[string]string{"a token": token.Secret, "the local key": g.doors.token} {
		if status, body := d.bearer(t, "POST", "/api/push/subscriptions", fine, secret); status != http.StatusForbidden || !strings.Contains(body, "only a person") {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	ada := d.loginAs(t, "ada", auth.Approver)
	for body, want := range map[string]string{
		subscription(t, "https://127.0.0.1/x"):                          "422 endpoint: 127.0.0.1 is not a public address",
		subscription(t, "http://push.example.com/x"):                    "422 endpoint: want an address that begins with https://",
		subscription(t, "https://push.example.com:22/x"):                "422 endpoint: want port 443",
		strings.Replace(fine, `"p256dh":"`, `"p256dh":"AAAA`, 1):        "422 keys.p256dh: want an uncompressed P-256 key",
		strings.Replace(fine, `"p256dh":"`, `"p256dh":"!`, 1):           "422 keys: want base64url",
		strings.Replace(fine, `"auth":"AAAA`, `"auth":"`, 1):            "422 keys.auth: want 16 bytes",
		strings.Replace(fine, `"keys"`, `"expirationTime":1,"keys"`, 1): "400 expirationTime: unknown name",
	} {
		response, text := d.ask(t, "POST", "/api/push/subscriptions", body, ada)
		status, detail, _ := strings.Cut(want, " ")
		if response.Status[:3] != status || !strings.Contains(text, strings.ReplaceAll(detail, `"`, `\"`)) {
			t.Errorf("%s: %s %s, and should be %s", body, response.Status, text, want)
		}
	}
}

func TestAGatewayThatCallsNobodySaysSo(t *testing.T) {
	g := openGate(t)
	var got []string
	for _, c := range [][2]string{{"GET", "/api/push"}, {"POST", "/api/push/subscriptions"}, {"DELETE", "/api/push/subscriptions"}} {
		sent := ""
		if c[0] == "POST" {
			sent = subscription(t, "https://push.example.com/x")
		}
		response, body := g.ask(t, c[0], c[1], sent, g.person)
		got = append(got, c[0]+" "+response.Status[:3]+" "+body)
	}
	want := []string{
		`GET 200 {"on":false}`, `DELETE 204 `,
	}
	if diff := cmp.Diff(want, []string{got[0], got[2]}); diff != "" || !strings.Contains(got[1], "POST 409") || !strings.Contains(got[1], "gateway.push is off") {
		t.Errorf("it says %q (-want +got):\n%s", got, diff)
	}
}
