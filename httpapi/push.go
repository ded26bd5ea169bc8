package httpapi

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/notify"
)

// Push has browsers called when something needs approval; *notify.Notifier is it.
type Push interface {
	Of(who auth.Identity) (notify.Subscription, bool)
	Subscribe(ctx context.Context, who auth.Identity, s notify.Subscription) error
	Unsubscribe(ctx context.Context, who auth.Identity) error
}

// pushBody says whether browsers are called, and the caller's among them.
type pushBody struct {
	On        bool   `json:"on"`                  // the gateway calls browsers
	PublicKey string `json:"publicKey,omitempty"` // what a browser subscribes with (applicationServerKey), base64url
	Endpoint  string `json:"endpoint,omitempty"`  // of this login's subscription; absent: it has none
}

// push says whether browsers are called, and how this one is.
func (s *Server) push(c *call, _ none) (pushBody, error) {
	if s.Push == nil {
		return pushBody{}, nil
	}
	subscribed, _ := s.Push.Of(c.who)
	return pushBody{On: true, PublicKey: s.PushKey, Endpoint: subscribed.Endpoint}, nil
}

// subscriptionBody is what a browser's PushSubscription says.
type subscriptionBody struct {
	Endpoint string   `json:"endpoint"` // where the browser's push service takes messages for it
	Keys     pushKeys `json:"keys"`     // for which messages are encrypted
}

// pushKeys are those of a browser (RFC 8291).
type pushKeys struct {
	Key    string `json:"p256dh"` // the browser's public key, base64url
	Secret string `json:"auth"`   // its secret, base64url
}

// subscribe has the browser of the login called. Browsers only: a person has to want it.
func (s *Server) subscribe(c *call, in subscriptionBody) (none, error) {
	switch {
	case c.r.Header.Get("Authorization") != "":
		return none{}, &fault{http.StatusForbidden, "only a person can have their browser called, in the dashboard"}
	case s.Push == nil:
		return none{}, &fault{http.StatusConflict, "this gateway calls no browsers: gateway.push is off"}
	}
	key, badKey := fromBase64(in.Keys.Key)
	secret, badSecret := fromBase64(in.Keys.Secret)
	if badKey != nil || badSecret != nil {
		return none{}, invalid("keys: want base64url")
	}
	err := s.Push.Subscribe(c.r.Context(), c.who, notify.Subscription{Endpoint: in.Endpoint, PublicKey: key, Secret: secret})
	if errors.Is(err, notify.ErrInvalid) {
		err = invalid("%s", strings.TrimPrefix(err.Error(), notify.ErrInvalid.Error()+": "))
	}
	return none{}, err
}

// fromBase64 reads base64url, with or without padding.
func fromBase64(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}

func (s *Server) unsubscribe(c *call, _ none) (none, error) {
	if s.Push == nil {
		return none{}, nil
	}
	return none{}, s.Push.Unsubscribe(c.r.Context(), c.who)
}
