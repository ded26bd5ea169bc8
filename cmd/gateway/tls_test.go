package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// certify writes a certificate for this machine and its key, and returns a pool
// that trusts it.
func certify(t *testing.T, dir, name string) *x509.CertPool {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	// The key first: the certificate's new time is what has both read.
	for _, file := range []struct{ name, kind string }{{"key.pem", "PRIVATE KEY"}, {"cert.pem", "CERTIFICATE"}} {
		block := &pem.Block{Type: file.kind, Bytes: private}
		if file.kind == "CERTIFICATE" {
			block.Bytes = der
		}
		if err := os.WriteFile(filepath.Join(dir, file.name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(parsed)
	return pool
}

const secured = `
gateway: {listen: "127.0.0.1:0", localKey: answers, tls: {cert: cert.pem, key: key.pem}}
models:
  demo: {provider: scripted}
agents:
  demo:
    model: demo
    tools: {shell: }
`

func TestAGatewayWithACertificateServesByTLSAndTakesUpANewOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := filepath.Join(dir, "agents")
	pool := certify(t, files, "first")
	p := launchWith(t, "gateway", dir, secured)
	if !strings.HasPrefix(p.url, "https://") || !strings.HasPrefix(p.cookie, "__Host-lineclear_login_") {
		t.Fatalf("it is opened at %s, with the cookie %.30s", p.url, p.cookie)
	}
	old := &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	client := func(c *tls.Config) *http.Client {
		return &http.Client{Transport: &http.Transport{TLSClientConfig: c, DisableKeepAlives: true}}
	}
	if response, err := client(old).Get(p.url + "/healthz"); err != nil || response.StatusCode != 200 {
		t.Errorf("%v, %v", response, err)
	}
	if _, err := client(&tls.Config{RootCAs: pool, MaxVersion: tls.VersionTLS11}).Get(p.url + "/healthz"); err == nil {
		t.Error("it speaks TLS 1.1")
	}
	plain, err := http.Get("http" + strings.TrimPrefix(p.url, "https") + "/healthz")
	if err == nil && plain.StatusCode == 200 {
		t.Error("it speaks without TLS at the same address")
	}
	var ticket struct {
		Ticket    string    `json:"ticket"`
		ExpiresAt time.Time `json:"expiresAt"`
	}
	p.post("/api/ws-ticket", struct{}{}, &ticket)
	dialer := websocket.Dialer{TLSClientConfig: old, Subprotocols: []string{"lineclear.v1", "ticket." + ticket.Ticket}}
	ws, _, err := dialer.Dial("wss"+strings.TrimPrefix(p.url, "https")+"/ws", http.Header{"Origin": {p.url}})
	if err != nil {
		t.Fatalf("a WebSocket: %v", err)
	}
	until(t, ws, "snapshot", "")
	_ = ws.Close()
	// Programs on this machine need to trust nobody: they have an address of their own.
	p.verb("approvals").want(t, 0, "Nothing waits for an answer.")

	renewed := &tls.Config{RootCAs: certify(t, files, "second"), MinVersion: tls.VersionTLS12}
	for deadline := time.Now().Add(patience); ; {
		if response, err := client(renewed).Get(p.url + "/healthz"); err == nil && response.StatusCode == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the new certificate was not taken up")
		}
	}
	// One that is being written takes nothing away.
	if err := os.WriteFile(filepath.Join(files, "cert.pem"), []byte("half a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if response, err := client(renewed).Get(p.url + "/healthz"); err != nil || response.StatusCode != 200 {
		t.Errorf("while the next is written: %v, %v", response, err)
	}
}

func TestAnAddressForOtherMachinesNeedsTLSOrAProxy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ gateway, says string }{
		"neither":                   {`listen: "0.0.0.0:0"`, "0.0.0.0 is no loopback address"},
		"a name":                    {`listen: "gate.example:0"`, "gate.example is no loopback address"},
		"no address of a person":    {`listen: "0.0.0.0:0", trustedProxies: [10.0.0.2]`, "gateway.publicOrigins"},
		"a key for all to read":     {`listen: "127.0.0.1:0", tls: {cert: cert.pem, key: open.pem}`, "chmod go-rwx"},
		"no certificate":            {`listen: "127.0.0.1:0", tls: {cert: none.pem, key: key.pem}`, "none.pem"},
		"half of it":                {`listen: "127.0.0.1:0", tls: {cert: cert.pem}`, "key is missing"},
		"a proxy that is not valid": {`listen: "127.0.0.1:0", trustedProxies: [proxy]`, "is no address"},
	} {
		root := t.TempDir()
		dir := filepath.Join(root, "agents")
		certify(t, dir, "x")
		raw, err := os.ReadFile(filepath.Join(dir, "key.pem"))
		if err != nil {
			t.Fatal(err)
		}
		open := filepath.Join(dir, "open.pem")
		yaml := strings.Replace(secured, `listen: "127.0.0.1:0", localKey: answers, tls: {cert: cert.pem, key: key.pem}`, c.gateway, 1)
		for file, content := range map[string]string{"agents.yaml": yaml, "open.pem": string(raw)} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(open, 0o644); err != nil {
			t.Fatal(err)
		}
		p := &process{t: t, dir: root}
		v := p.verb("serve", "--config", filepath.Join(dir, "agents.yaml"))
		if v.code == 0 || !strings.Contains(v.err, c.says) {
			t.Errorf("%s: it ended with %d: %s", name, v.code, v.err)
		}
	}
}

// With a trusted proxy and no certificate, others reach the port and get nothing.
func TestBehindAProxyOthersAreNotTaken(t *testing.T) {
	t.Parallel()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	other := ""
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			other = ip.IP.String()
		}
	}
	if other == "" {
		t.Log("this machine has no address but the loopback ones: only those are tried")
		other = "127.0.0.1"
	}
	dir := t.TempDir()
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	gateway := fmt.Sprintf(`listen: "0.0.0.0:%d", trustedProxies: [192.0.2.1], publicOrigins: ["http://127.0.0.1:%[1]d"]`, port)
	launchWith(t, "gateway", dir, strings.Replace(secured, `listen: "127.0.0.1:0", localKey: answers, tls: {cert: cert.pem, key: key.pem}`, gateway, 1))
	status := func(host string) int {
		c, err := net.DialTimeout("tcp", fmt.Sprintf("%s:%d", host, port), patience)
		if err != nil {
			return 0
		}
		defer func() { _ = c.Close() }()
		_ = c.SetDeadline(time.Now().Add(patience))
		_, _ = fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n", port)
		text, _ := io.ReadAll(c)
		if strings.HasPrefix(string(text), "HTTP/1.1 200") {
			return 200
		}
		return len(text)
	}
	if got := status("127.0.0.1"); got != 200 {
		t.Errorf("from this machine: %d", got)
	}
	if got := status(other); other != "127.0.0.1" && got != 0 {
		t.Errorf("from %s, which is no proxy: %d", other, got)
	}
}
