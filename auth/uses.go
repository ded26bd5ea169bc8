package auth

import (
	"context"
	"time"
)

// usedEvery is how precise Credential.UsedAt is.
const usedEvery = time.Minute

// Used notes that a credential was used, and from where. Upkeep saves it.
func (k *Keyring) Used(credentialID, address string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if in := k.byID[credentialID]; in != nil {
		in.used(address, time.Now())
	}
}

func (in *key) used(address string, now time.Time) {
	if in.Address != address || now.Sub(in.UsedAt) >= usedEvery {
		in.Address, in.UsedAt, in.unsaved = address, now.UTC().Truncate(time.Second), in.Kind != KindLocal
	}
}

// Upkeep saves when and from where credentials were last used, if that has changed, and forgets old invitations
// and logins that ended long ago. Call it every minute, and once at the end.
func (k *Keyring) Upkeep(ctx context.Context) error {
	return k.change(ctx, func() error { return k.upkeep(ctx) })
}

func (k *Keyring) upkeep(ctx context.Context) error {
	if err := k.saveUses(ctx); err != nil {
		return err
	}
	now, seen := time.Now(), k.version()
	old := append(k.oldEnds(now), k.oldInvitations(now)...)
	if len(old) == 0 {
		return nil
	}
	version, err := k.store.Forget(ctx, seen, old...)
	if err != nil {
		return err
	}
	k.stored(seen, version, func() {
		for _, id := range old {
			delete(k.ends, id)
			delete(k.invitations, id)
		}
	})
	return nil
}

func (k *Keyring) saveUses(ctx context.Context) error {
	var list []Credential
	now := time.Now()
	k.mu.Lock()
	for _, in := range k.byID {
		if len(in.accesses) > 0 {
			in.used(in.Address, now)
		}
		if in.unsaved {
			in.unsaved = false
			list = append(list, in.Credential)
		}
	}
	k.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	err := k.store.SaveUses(ctx, list...)
	if err != nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		for _, c := range list {
			if in := k.byID[c.ID]; in != nil {
				in.unsaved = true
			}
		}
	}
	return err
}
