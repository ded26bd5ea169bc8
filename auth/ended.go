package auth

import (
	"fmt"
	"slices"
	"time"
)

// How long, and of how many logins, it is kept why they ended.
const (
	keepEnds = 30 * 24 * time.Hour
	maxEnds  = 1000
)

// EndReason says why a login ended. The zero EndReason is not kept.
type EndReason string

// The reasons.
const (
	EndSignedOut    EndReason = "signed_out"    // somebody who manages access ended this login
	EndRemoved      EndReason = "removed"       // its person's access was removed
	EndTokenRevoked EndReason = "token_revoked" // the token that it began with was revoked
	EndExpired      EndReason = "expired"       // its time was over
	EndCrowded      EndReason = "crowded"       // its person has logged in too often since
)

// LoginEnd is why a login ended.
type LoginEnd struct {
	Reason EndReason `json:"reason"`
	By     string    `json:"by,omitempty"` // who ended it; left out: nobody
	At     time.Time `json:"at"`           // when it ended
	Since  time.Time `json:"since"`        // when it had begun
}

// EndedLogin is a login that has ended. What it was proven by is kept, since only its own page is told why.
type EndedLogin struct {
	ID    string
	Proof string
	LoginEnd
}

// Words say why, to its holder.
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

// Ended is the credential as one that has ended; ok is false where that is not kept: of others than logins, and of
// a login whose holder has logged out.
func (c Credential) Ended(why LoginEnd) (ended EndedLogin, ok bool) {
	if c.expired(why.At) {
		why = LoginEnd{Reason: EndExpired, At: c.ExpiresAt}
	}
	why.Since = c.CreatedAt
	return EndedLogin{c.ID, c.Proof, why}, c.Kind == KindLogin && c.Proof != "" && why.Reason != ""
}

// EndOf says why a login has ended, to who sends its proof. The cookie is none: other pages of the host have it, too.
func (k *Keyring) EndOf(credentialID, proof string) (LoginEnd, bool) {
	ended, ok := k.ended(credentialID)
	return ended.LoginEnd, ok && k.proven(ended.Proof, credentialID, proof)
}

// SignedEnd says why a login has ended, to the page that holds its key and has signed a challenge.
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
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range list {
		if ended, ok := c.Ended(why); ok {
			k.ends[c.ID] = ended
		}
	}
}

// oldEnds are the ids of those that are kept no longer.
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
