package webpush_test

import (
	"crypto/ecdh"
	"encoding/base64"
	"testing"

	"github.com/lineclear/lineclear/notify/webpush"
	"github.com/lineclear/lineclear/notify/webpush/webpushtest"
)

func decoded(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func private(t *testing.T, raw []byte) *ecdh.PrivateKey {
	t.Helper()
	key, err := ecdh.P256().NewPrivateKey(raw)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// The example of RFC 8291, section 5 and appendix A.
func TestTheExampleOfTheStandardIsEncryptedAsItSays(t *testing.T) {
	browser := private(t, decoded(t, "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))
	own := private(t, decoded(t, "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	secret := decoded(t, "BTBZMqHH6r4Tts7J_aSIgg")
	plain := []byte("When I grow up, I want to be a watermelon")
	body, err := webpush.Encrypt(plain, browser.PublicKey(), secret, own, decoded(t, "DGv6ra1nlYgDCS1FRnbzlw"))
	if err != nil {
		t.Fatal(err)
	}
	want := "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_" +
		"yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
	if got := base64.RawURLEncoding.EncodeToString(body); got != want {
		t.Errorf("it is\n%s\nand should be\n%s", got, want)
	}
	if read, err := webpushtest.Decrypt(body, secret, browser); err != nil || read != string(plain) {
		t.Errorf("a browser reads %q, %v", read, err)
	}
}
