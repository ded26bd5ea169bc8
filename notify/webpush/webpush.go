// Package webpush brings messages to browsers by their push services (RFC 8030).
//
// # What it promises
//
//   - A push service learns that a message was sent, when, to which browser, and how long
//     it is of use. What is in it only the browser can read (RFC 8291), and all messages
//     are of one length. It carries a request's id and a count, nothing else.
//   - It connects to public addresses alone, by https, on port 443, and follows no
//     redirect; or, where hosts are allowed by name, to these alone.
//   - Of an answer it reads the status and little more.
//
// # How to use it
//
// A Sender is made with the gateway's key (RFC 8292), which has to stay the same: browsers
// take messages from the key alone with which they were subscribed.
package webpush

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/notify"
)

const (
	secretSize = 16
	// longest is how long a push service keeps a message without a deadline.
	longest = 24 * time.Hour
	// maxLater bounds how long a push service can have a message wait.
	maxLater = 10 * time.Minute
)

// Options tune a Sender; the zero value works.
type Options struct {
	// Hosts are the only ones to send to: push.example.com, push.example.com:8443 or
	// *.push.example.com. They may have any address, and are reached through the proxy of
	// the environment, if there is one.
	Hosts []string
}

// Sender is a notify.Sender.
type Sender struct {
	key    *ecdsa.PrivateKey
	public []byte
	hosts  []string
	client *http.Client
}

var _ notify.Sender = (*Sender)(nil)

// New makes a Sender that signs with a P-256 key.
func New(key *ecdsa.PrivateKey, o Options) (*Sender, error) {
	public, err := key.PublicKey.ECDH()
	if err != nil {
		return nil, fmt.Errorf("webpush: key: %w", err)
	}
	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: publicOnly}
	transport := &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 5 * time.Second,
		MaxIdleConns: 16, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 16 << 10,
	}
	if len(o.Hosts) > 0 {
		dialer.Control, transport.Proxy = nil, http.ProxyFromEnvironment
	}
	client := &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Sender{key: key, public: public.Bytes(), hosts: o.Hosts, client: client}, nil
}

// Close gives up the connections that are kept.
func (s *Sender) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// PublicKey is what a browser subscribes with, in base64url.
func (s *Sender) PublicKey() string { return encoding.EncodeToString(s.public) }

// Check implements notify.Sender.
func (s *Sender) Check(to notify.Subscription) error {
	if _, err := endpointOf(to.Endpoint, s.hosts); err != nil {
		return err
	}
	if _, err := ecdh.P256().NewPublicKey(to.PublicKey); err != nil {
		return fmt.Errorf("%w: keys.p256dh: want an uncompressed P-256 key", notify.ErrInvalid)
	}
	if len(to.Secret) != secretSize {
		return fmt.Errorf("%w: keys.auth: want %d bytes", notify.ErrInvalid, secretSize)
	}
	return nil
}

// payload is what a browser's worker reads; web/public/sw.js is it.
type payload struct {
	ApprovalID string `json:"approvalId"`
	Settled    bool   `json:"settled,omitzero"`
	Waiting    int    `json:"waiting"`
}

// Send implements notify.Sender.
func (s *Sender) Send(ctx context.Context, to notify.Subscription, m notify.Message) error {
	request, err := s.request(ctx, to, m, time.Now())
	if err != nil {
		return fmt.Errorf("%w: %w", notify.ErrRefused, err)
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return s.failed(request, err)
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.CopyN(io.Discard, answer.Body, 4<<10) // so that the connection can be used again
	return judged(answer, request.URL.Host)
}

func (s *Sender) request(ctx context.Context, to notify.Subscription, m notify.Message, now time.Time) (*http.Request, error) {
	at, err := endpointOf(to.Endpoint, s.hosts)
	if err != nil {
		return nil, err
	}
	browser, err := ecdh.P256().NewPublicKey(to.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("webpush: the browser's key: %w", err)
	}
	plain, err := json.Marshal(payload{m.ApprovalID, m.Settled, m.Waiting})
	if err != nil {
		return nil, fmt.Errorf("webpush: payload: %w", err)
	}
	body, err := sealed(plain, browser, to.Secret)
	if err != nil {
		return nil, err
	}
	from, err := authorization(s.key, s.public, at, now)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("webpush: %w", err)
	}
	keep, urgency := longest, "high"
	if !m.Until.IsZero() {
		keep = min(keep, m.Until.Sub(now))
	}
	if m.Settled {
		urgency = "normal"
	}
	for name, value := range map[string]string{
		"Authorization": from, "Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream",
		"TTL": strconv.Itoa(max(0, int(keep.Seconds()))), "Urgency": urgency, "Topic": topic(m.ApprovalID, to.Secret),
	} {
		r.Header.Set(name, value)
	}
	return r, nil
}

// topic is the same for the messages about one request, of which a push service keeps the
// newest, and doesn't tell which request that is.
func topic(approvalID string, secret []byte) string {
	sum := hmac.New(sha256.New, secret)
	_, _ = io.WriteString(sum, approvalID) // a hash takes everything
	return encoding.EncodeToString(sum.Sum(nil)[:24])
}
