package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/auth"
)

// pageKey is the key of a page, with its public half as it is sent.
func pageKey(t *testing.T) (*ecdsa.PrivateKey, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return key, base64.RawURLEncoding.EncodeToString(der)
}

// signed signs as WebCrypto does: r and s, 32 bytes each.
func signed(t *testing.T, key *ecdsa.PrivateKey, login, challenge string) string {
	t.Helper()
	digest := sha256.Sum256([]byte(auth.SignedText(login, challenge)))
	r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 64)
	r.FillBytes(raw[:32])
	s.FillBytes(raw[32:])
	return base64.RawURLEncoding.EncodeToString(raw)
}

func TestAProofIsGivenToThePageThatHoldsTheLoginsKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &auth.Memory{}
		k := newKeyring(t, kept)
		key, public := pageKey(t)
		login, _, first, err := k.NewLogin(t.Context(), ada, auth.Page{Key: public})
		if err != nil || auth.LoginOf(first.Text) != login.ID || !k.Proven(login.ID, first.Text) {
			t.Fatalf("%+v, %v", first, err)
		}
		time.Sleep(time.Until(first.ExpiresAt))
		if k.Proven(login.ID, first.Text) {
			t.Error("a proof outlives its time")
		}
		challenge := k.Challenge()
		proof, err := k.Prove(login.ID, challenge, signed(t, key, login.ID, challenge))
		if err != nil || !k.Proven(login.ID, proof.Text) {
			t.Fatalf("with the key: %v", err)
		}
		other, _ := pageKey(t)
		stranger, _, _, err := k.NewLogin(t.Context(), ada, auth.Page{})
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct{ login, challenge, signature string }{
			"another key":             {login.ID, challenge, signed(t, other, login.ID, challenge)},
			"another login's":         {login.ID, challenge, signed(t, key, stranger.ID, challenge)},
			"a login without a key":   {stranger.ID, challenge, signed(t, key, stranger.ID, challenge)},
			"no login":                {"", challenge, signed(t, key, "", challenge)},
			"a challenge of its own":  {login.ID, "9999999999.x", signed(t, key, login.ID, "9999999999.x")},
			"a proof for a challenge": {login.ID, proof.Text, signed(t, key, login.ID, proof.Text)},
			"no signature":            {login.ID, challenge, ""},
		} {
			if _, err := k.Prove(c.login, c.challenge, c.signature); !errors.Is(err, auth.ErrUnknown) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if k.Proven(stranger.ID, proof.Text) || k.Proven(login.ID, challenge) {
			t.Error("a proof counts for another login, or a challenge for a proof")
		}
		again := newKeyring(t, kept) // after a restart
		if again.Proven(login.ID, proof.Text) {
			t.Error("a proof outlives the process")
		}
		challenge = again.Challenge()
		if proof, err = again.Prove(login.ID, challenge, signed(t, key, login.ID, challenge)); err != nil || !again.Proven(login.ID, proof.Text) {
			t.Errorf("after a restart: %v", err)
		}
		time.Sleep(time.Minute)
		if _, err := again.Prove(login.ID, challenge, signed(t, key, login.ID, challenge)); !errors.Is(err, auth.ErrUnknown) {
			t.Errorf("an old challenge: %v", err)
		}
	})
}

func TestALoginWithoutAKeyIsShort(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	for name, c := range map[string]struct {
		key     string
		longest time.Duration
		err     error
	}{
		"none":          {"", 12 * time.Hour, nil},
		"not a key":     {"eA", 0, auth.ErrInvalid},
		"not base64url": {"+/==", 0, auth.ErrInvalid},
	} {
		login, _, _, err := k.NewLogin(t.Context(), ada, auth.Page{Key: c.key})
		if !errors.Is(err, c.err) || err == nil && time.Until(login.ExpiresAt) > c.longest {
			t.Errorf("%s: until %v, %v", name, login.ExpiresAt, err)
		}
	}
}

func TestEachSecretIsTakenInItsOwnPlaceAlone(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	login, cookie, proof, err := k.NewLogin(t.Context(), ada, auth.Page{})
	if err != nil {
		t.Fatal(err)
	}
	_, terminal, err := k.NewTerminal(t.Context(), login.Identity(), "laptop", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	_, token := token(t, k, auth.Access{Name: "ci", Roles: []auth.Role{auth.Viewer}})
	local := k.Local(ada)
	links, tickets := auth.NewOneTime(auth.LinkSecret, time.Hour), auth.NewOneTime(auth.TicketSecret, time.Hour)
	places := map[auth.Kind]string{auth.KindLogin: cookie, auth.KindTerminal: terminal, auth.KindToken: token, auth.KindLocal: local, "link": issue(t, links, ada), "ticket": issue(t, tickets, ada), "proof": proof.Text}
	for of, secret := range places {
		for at := range places {
			var err error
			switch at {
			case "link":
				_, err = links.Look(t.Context(), secret)
			case "ticket":
				_, err = tickets.Look(t.Context(), secret)
			case "proof":
				err = map[bool]error{false: auth.ErrUnknown}[k.Proven(login.ID, secret)]
			default:
				_, _, leave, failed := k.Authenticate(t.Context(), secret, at)
				if err = failed; err == nil {
					leave()
				}
			}
			if (err == nil) != (of == at) {
				t.Errorf("a secret of %s as %s: %v", of, at, err)
			}
		}
	}
}
