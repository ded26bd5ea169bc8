package auth

import (
	"fmt"
	"slices"
	"time"
)

// How long the ends of logins are kept, and how many at most.
const (
	keepEnds = 30 * 24 * time.Hour
	maxEnds  = 1000
)

// EndReason is why a login ended. An end with the zero EndReason is not kept.
type EndReason string

// The reasons.
const (
	EndSignedOut    EndReason = "signed_out"    // somebody who manages access ended this login
	EndRemoved      EndReason = "removed"       // its person's access was removed
	EndTokenRevoked EndReason = "token_revoked" // the token that it began with was revoked
	EndExpired      EndReason = "expired"       // it expired
	EndCrowded      EndReason = "crowded"       // its person has logged in too many times since
)

// LoginEnd says why and when a login ended.
type LoginEnd struct {
	Reason EndReason `json:"reason"`
	By     string    `json:"by,omitempty"` // who ended it; left out if nobody did
	At     time.Time `json:"at"`           // when it ended
	Since  time.Time `json:"since"`        // when it began
}

// EndedLogin is a login that has ended. Its proof is kept, since only the login's own page is told why it ended.
type EndedLogin struct {
	ID    string
	Proof string
	LoginEnd
}

// Words tells the login's holder why it ended.
func (e LoginEnd) Words() string {
	words := map[EndReason]string{
		EndSignedOut: "you were signed out", EndRemoved: "your access was removed", EndTokenRevoked: "the token that you logged in with was revoked",
		EndExpired: "your login's time is over", EndCrowded: "you were signed out, since you have logged in elsewhere many times",
	}[e.Reason]
	if e.By != "" {
		words += " by " + e.By
	}
	return fmt.Sprintf("%s at %s: log in again", words, e.At.UTC().Format(time.RFC3339))
}

// Ended returns the credential as an ended login. ok is false if that is not kept: for credentials other than
// logins, and for a login whose holder logged out.
func (c Credential) Ended(why LoginEnd) (ended EndedLogin, ok bool) {
	if c.expired(why.At) {
		why = LoginEnd{Reason: EndExpired, At: c.ExpiresAt}
	}
	why.Since = c.CreatedAt
	return EndedLogin{c.ID, c.Proof, why}, c.Kind == KindLogin && c.Proof != "" && why.Reason != ""
}

// EndOf says why a login ended, to whoever sends its proof. The cookie is no proof, since other pages of the host
// have it too.
func (k *Keyring) EndOf(credentialID, proof string) (LoginEnd, bool) {
	ended, ok := k.ended(credentialID)
	return ended.LoginEnd, ok && k.proven(ended.Proof, credentialID, proof)
}

// SignedEnd says why a login ended, to the page that holds its key and signed a challenge.
func (k *Keyring) SignedEnd(credentialID, challenge, signed string) (LoginEnd, bool) {
	ended, ok := k.ended(credentialID)
	return ended.LoginEnd, ok && k.verified(ended.Proof, credentialID, challenge, signed)
}

func (k *Keyring) ended(id string) (EndedLogin, bool) {
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if in := k.byID[id]; in != nil {
		ended, ok := in.Ended(LoginEnd{At: now})
		return ended, ok && ended.Reason == EndExpired
	}
	ended, ok := k.ends[id]
	return ended, ok
}

func (k *Keyring) keepEnds(list []Credential, why LoginEnd) {
	for _, c := range list {
		if ended, ok := c.Ended(why); ok {
			k.ends[c.ID] = ended
		}
	}
}

// oldEnds returns the ids of the ended logins to forget: too old, or too many.
func (k *Keyring) oldEnds(now time.Time) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []EndedLogin
	for _, ended := range k.ends {
		all = append(all, ended)
	}
	slices.SortFunc(all, func(a, b EndedLogin) int { return a.At.Compare(b.At) })
	var old []string
	for i, ended := range all {
		if len(all)-i > maxEnds || now.Sub(ended.At) > keepEnds {
			old = append(old, ended.ID)
		}
	}
	return old
}
