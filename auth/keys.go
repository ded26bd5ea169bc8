package auth

import (
	"context"
	"slices"
	"strings"
)

func (k *Keyring) find(is func(Credential) bool) []Credential {
	k.mu.Lock()
	defer k.mu.Unlock()
	found := []Credential{}
	for _, in := range k.byID {
		if is(in.Credential) {
			found = append(found, in.Credential)
		}
	}
	slices.SortFunc(found, func(a, b Credential) int { return strings.Compare(a.ID, b.ID) })
	return found
}

func (k *Keyring) get(id string) *Credential {
	k.mu.Lock()
	defer k.mu.Unlock()
	if in := k.byID[id]; in != nil {
		c := in.Credential
		return &c
	}
	return nil
}

// put adds a credential, or puts it in the place of the one with its id, whose
// accesses end.
func (k *Keyring) put(c Credential) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.putLocked(c)
}

func (k *Keyring) putLocked(c Credential) {
	k.removeLocked(c.ID)
	in := &key{Credential: c, accesses: map[*context.CancelCauseFunc]struct{}{}, follows: map[*context.CancelCauseFunc]struct{}{}}
	k.byID[c.ID], k.byFingerprint[c.Fingerprint] = in, in
}

func (k *Keyring) removeAll(list []Credential) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range list {
		k.removeLocked(c.ID)
	}
}

func (k *Keyring) removeLocked(id string) {
	in := k.byID[id]
	if in == nil {
		return
	}
	delete(k.byID, id)
	delete(k.byFingerprint, in.Fingerprint)
	for _, list := range []map[*context.CancelCauseFunc]struct{}{in.accesses, in.follows} {
		for end := range list {
			(*end)(ErrOver)
		}
	}
}
