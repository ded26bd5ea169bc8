package webpush_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"math/big"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/notify"
	"github.com/lineclear/lineclear/notify/webpush"
	"github.com/lineclear/lineclear/notify/webpush/webpushtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// to is the subscription of a browser.
func to(s *webpushtest.Service) notify.Subscription {
	key, secret := s.Keys()
	return notify.Subscription{Endpoint: s.Endpoint("of-ada?x=1"), PublicKey: key, Secret: secret}
}

// sender may send to some hosts alone, or to all public addresses, and takes the service's certificate.
func sender(t *testing.T, s *webpushtest.Service, hosts ...string) *webpush.Sender {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made, err := webpush.New(key, webpush.Options{Hosts: hosts})
	if err != nil {
		t.Fatal(err)
	}
	made.Trust(s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs)
	t.Cleanup(func() { _ = made.Close() })
	return made
}

// sent returns the message that a Sender sends.
func sent(t *testing.T, s *webpushtest.Service, from *webpush.Sender, m notify.Message) webpushtest.Message {
	t.Helper()
	if err := from.Send(t.Context(), to(s), m); err != nil {
		t.Fatal(err)
	}
	return <-s.Messages
}

const id = "019a2000-0000-7000-8000-00000000000c"

func TestAMessageCarriesAnIDAndACountThatTheBrowserAloneReads(t *testing.T) {
	s := webpushtest.Open(t)
	from := sender(t, s, s.Host())
	for name, c := range map[string]struct {
		message        notify.Message
		says, ttl, how string
	}{
		"a request":                 {notify.Message{ApprovalID: id, Waiting: 3, Until: time.Now().Add(90*time.Second + 500*time.Millisecond)}, `{"approvalId":"` + id + `","waiting":3}`, "90", "high"},
		"one that is settled":       {notify.Message{ApprovalID: id, Settled: true, Until: time.Now().Add(9*time.Second + 500*time.Millisecond)}, `{"approvalId":"` + id + `","settled":true,"waiting":0}`, "9", "normal"},
		"one without a deadline":    {notify.Message{ApprovalID: id, Waiting: 1000}, `{"approvalId":"` + id + `","waiting":1000}`, "86400", "high"},
		"one with a far off one":    {notify.Message{ApprovalID: id, Waiting: 1, Until: time.Now().Add(1000 * time.Hour)}, `{"approvalId":"` + id + `","waiting":1}`, "86400", "high"},
		"one whose deadline is now": {notify.Message{ApprovalID: id, Waiting: 1, Until: time.Now()}, `{"approvalId":"` + id + `","waiting":1}`, "0", "high"},
	} {
		got := sent(t, s, from, c.message)
		if got.Text != c.says || got.To != "of-ada?x=1" {
			t.Errorf("%s: %s is told %s", name, got.To, got.Text)
		}
		if got.Size != 16+4+1+65+129+16 {
			t.Errorf("%s: its length tells of it: %d", name, got.Size)
		}
		want := map[string]string{"Ttl": c.ttl, "Urgency": c.how, "Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream"}
		for header, value := range want {
			if is := got.Header.Get(header); is != value {
				t.Errorf("%s: %s is %q, and should be %q", name, header, is, value)
			}
		}
		if head := strings.Join(headersOf(got.Header), "\n"); strings.Contains(head, id) || strings.Contains(head, strings.ReplaceAll(id, "-", "")) {
			t.Errorf("%s: the push service reads the request's id:\n%s", name, head)
		}
	}
}

func headersOf(h http.Header) (all []string) {
	for name, values := range h {
		all = append(all, name+": "+strings.Join(values, ", "))
	}
	return all
}

func TestMessagesAboutOneRequestHaveOneTopic(t *testing.T) {
	s := webpushtest.Open(t)
	from := sender(t, s, s.Host())
	var topics []string
	for _, m := range []notify.Message{{ApprovalID: id}, {ApprovalID: id, Settled: true}, {ApprovalID: "other"}} {
		topics = append(topics, sent(t, s, from, m).Header.Get("Topic"))
	}
	// RFC 8030, section 5.4: no more than 32 characters of base64url.
	if topics[0] != topics[1] || topics[0] == topics[2] || len(topics[0]) != 32 || len(decoded(t, topics[0])) != 24 {
		t.Errorf("the topics are %q", topics)
	}
}

func TestThePushServiceCanTellWhoSends(t *testing.T) {
	s := webpushtest.Open(t)
	from := sender(t, s, s.Host())
	header := sent(t, s, from, notify.Message{ApprovalID: id}).Header.Get("Authorization")
	token, key, ok := strings.Cut(strings.TrimPrefix(header, "vapid t="), ", k=")
	if !ok || key != from.PublicKey() {
		t.Fatalf("it says %q, and the key is %s", header, from.PublicKey())
	}
	parts := strings.Split(token, ".")
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), decoded(t, key))
	if err != nil {
		t.Fatal(err)
	}
	hash, signature := sha256.Sum256([]byte(parts[0]+"."+parts[1])), decoded(t, parts[2])
	if !ecdsa.Verify(public, hash[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		t.Error("the signature is not valid")
	}
	var said struct {
		Aud string `json:"aud"`
		Sub string `json:"sub"`
		Exp int64  `json:"exp"`
	}
	if err := json.Unmarshal(decoded(t, parts[1]), &said); err != nil {
		t.Fatal(err)
	}
	if left := time.Until(time.Unix(said.Exp, 0)); left <= 0 || left > 24*time.Hour {
		t.Errorf("it holds for %s", left)
	}
	if said.Aud != s.URL || said.Sub != "https://github.com/lineclear/lineclear" {
		t.Errorf("it says %+v, at %s", said, s.URL)
	}
	if got := string(decoded(t, parts[0])); got != `{"typ":"JWT","alg":"ES256"}` {
		t.Errorf("its head is %s", got)
	}
}

func TestWhatAPushServiceAnswers(t *testing.T) {
	s := webpushtest.Open(t)
	from := sender(t, s, s.Host())
	status := func(code int, later string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", later)
			w.WriteHeader(code)
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		is     error // nil: it may pass, or there is none
		later  time.Duration
		fine   bool
	}{
		"201":                         {status(201, ""), nil, 0, true},
		"200":                         {status(200, ""), nil, 0, true},
		"404 ends it":                 {status(404, ""), notify.ErrGone, 0, false},
		"410 ends it":                 {status(410, ""), notify.ErrGone, 0, false},
		"400 is refused":              {status(400, ""), notify.ErrRefused, 0, false},
		"403 is refused":              {status(403, ""), notify.ErrRefused, 0, false},
		"413 is refused":              {status(413, ""), notify.ErrRefused, 0, false},
		"429 may pass":                {status(429, "7"), nil, 7 * time.Second, false},
		"429 for very long":           {status(429, "99999999"), nil, 10 * time.Minute, false},
		"429 with nonsense":           {status(429, "soon"), nil, 0, false},
		"500 may pass":                {status(500, ""), nil, 0, false},
		"503 may pass":                {status(503, "-3"), nil, 0, false},
		"a redirect is not followed":  {redirect(s.URL + "/elsewhere"), notify.ErrRefused, 0, false},
		"a body without end is left":  {endless, nil, 0, true},
		"a connection that is broken": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil, 0, false},
	} {
		s.Answer(c.answer)
		err := from.Send(t.Context(), to(s), notify.Message{ApprovalID: id})
		var later *notify.Later
		if errors.As(err, &later); later != nil && later.After != c.later || later == nil && c.later != 0 {
			t.Errorf("%s: later is %+v, and should be %s", name, later, c.later)
		}
		if (err == nil) != c.fine || c.is != nil && !errors.Is(err, c.is) || c.is == nil && (errors.Is(err, notify.ErrGone) || errors.Is(err, notify.ErrRefused)) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "of-ada") {
			t.Errorf("%s: who reads the log can send to the browser: %v", name, err)
		}
		if len(s.Messages) != 1 {
			t.Errorf("%s: it was sent %d times", name, len(s.Messages))
		}
		<-s.Messages
	}
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusTemporaryRedirect) }
}

func endless(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusCreated)
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 1<<10)); err != nil {
			return
		}
	}
}

func TestEndpointsAreAddressesOfPushServices(t *testing.T) {
	s := webpushtest.Open(t)
	anywhere, closed := sender(t, s), sender(t, s, "push.example.com", "*.notify.example.com", "10.0.0.9:8443")
	for _, c := range []struct {
		endpoint      string
		fine, allowed bool // by public address; by name
	}{
		{"https://push.example.com/x", true, true},
		{"https://push.example.com:443/x", true, true},
		{"https://PUSH.example.com/x", true, true},
		{"https://par02p.notify.example.com/w/?token=a%2b", true, true},
		{"https://notify.example.com/", true, false},
		{"https://push.example.com.evil.test/x", true, false},
		{"https://evil.test/push.example.com", true, false},
		{"https://other.example.com/x", true, false},
		{"https://1.1.1.1/x", true, false},
		{"https://[2606:4700::1111]/x", true, false},
		{"https://push.example.com:8443/x", false, false},
		{"https://10.0.0.9:8443/x", false, true},
		{"https://10.0.0.9/x", false, false},
		{"http://push.example.com/x", false, false},
		{"https://ada:secret@push.example.com/x", false, false},
		{"https://push.example.com/x#y", false, false},
		{"https:push.example.com", false, false},
		{"https:///x", false, false},
		{"file:///etc/passwd", false, false},
		{"//push.example.com/x", false, false},
		{"", false, false},
		{"https://push.example.com/" + strings.Repeat("x", 2048), false, false},
		{"https://127.0.0.1/x", false, false},
		{"https://[::1]/x", false, false},
		{"https://[::ffff:127.0.0.1]/x", false, false},
		{"https://[fe80::1%25eth0]/x", false, false},
		{"https://169.254.169.254/latest/meta-data", false, false},
	} {
		to := to(s)
		to.Endpoint = c.endpoint
		for name, one := range map[string]struct {
			sender *webpush.Sender
			fine   bool
		}{"anywhere": {anywhere, c.fine}, "by name": {closed, c.allowed}} {
			err := one.sender.Check(to)
			if (err == nil) != one.fine || err != nil && !errors.Is(err, notify.ErrInvalid) {
				t.Errorf("%s %q: %v", name, c.endpoint, err)
			}
		}
	}
}

func TestKeysOfASubscriptionAreKeys(t *testing.T) {
	s := webpushtest.Open(t)
	for name, spoil := range map[string]func(*notify.Subscription){
		"no key":                         func(to *notify.Subscription) { to.PublicKey = nil },
		"a key that is not on the curve": func(to *notify.Subscription) { to.PublicKey = append([]byte{4}, make([]byte, 64)...) },
		"a compressed key":               func(to *notify.Subscription) { to.PublicKey = append([]byte{2}, to.PublicKey[1:33]...) },
		"no secret":                      func(to *notify.Subscription) { to.Secret = nil },
		"a long secret":                  func(to *notify.Subscription) { to.Secret = make([]byte, 17) },
	} {
		to := to(s)
		spoil(&to)
		if err := sender(t, s, s.Host()).Check(to); !errors.Is(err, notify.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOnlyPublicAddressesAreConnectedTo(t *testing.T) {
	got, want := map[string]bool{}, map[string]bool{
		"1.1.1.1": true, "8.8.8.8": true, "142.250.74.10": true, "2a00:1450:4001::200a": true, "2606:4700::1111": true, "::ffff:1.1.1.1": true,
		"0.0.0.0": false, "0.1.2.3": false, "10.1.2.3": false, "100.64.0.1": false, "127.0.0.1": false, "127.9.9.9": false, "169.254.169.254": false,
		"172.16.0.1": false, "172.31.255.255": false, "192.0.0.8": false, "192.0.2.1": false, "192.88.99.1": false, "192.168.1.1": false, "198.18.0.1": false,
		"198.51.100.7": false, "203.0.113.9": false, "224.0.0.1": false, "239.255.255.250": false, "240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::7f00:1": false, "64:ff9b::a00:1": false, "64:ff9b:1::1": false,
		"100::1": false, "2001::1": false, "2001:db8::1": false, "2002:a00:1::": false, "3fff::1": false, "5f00::1": false, "fc00::1": false, "fd12::1": false,
		"fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "ff02::1": false,
	}
	for text := range want {
		got[text] = webpush.Public(netip.MustParseAddr(text))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("which addresses are public (-want +got):\n%s", diff)
	}
}

// A name can lead anywhere by the time it is looked up, whatever the endpoint was checked for.
func TestANameThatLeadsInsideIsNotConnectedTo(t *testing.T) {
	s := webpushtest.Open(t)
	from, to := sender(t, s), to(s)
	to.Endpoint = "https://localhost/push"
	if err := from.Check(to); err != nil {
		t.Fatalf("names are looked up when they are used: %v", err)
	}
	if err := from.Send(t.Context(), to, notify.Message{ApprovalID: id}); !errors.Is(err, notify.ErrRefused) {
		t.Errorf("it was not refused: %v", err)
	}
	// Also one that was stored while hosts were allowed by name.
	to.Endpoint = s.URL
	if err := from.Send(t.Context(), to, notify.Message{ApprovalID: id}); !errors.Is(err, notify.ErrRefused) {
		t.Errorf("it was not refused: %v", err)
	}
	if len(s.Messages) > 0 {
		t.Error("something was sent")
	}
}
