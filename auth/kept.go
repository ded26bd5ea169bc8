package auth

import (
	"context"
	"errors"
	"slices"
	"time"
)

// ErrBehind refuses a change that rests on an outdated version of who has access.
var ErrBehind = errors.New("auth: who has access was changed elsewhere at the same time: try again")

// Version counts the changes of who has access.
type Version struct {
	Changes int64
	Admins  int64 // logins of admins: an earlier link for the first one is void
}

// After is the version after a change that has added some credentials.
func (v Version) After(added ...Credential) Version {
	v.Changes++
	for _, c := range added {
		if c.Kind == KindLogin && c.Identity().isGlobalAdmin() {
			v.Admins++
		}
	}
	return v
}

// Kept is what a CredentialStore keeps.
type Kept struct {
	Version     Version
	Credentials []Credential
	Invitations []Invitation
	Ends        []EndedLogin
}

// How often a change is tried if other nodes' changes come first, and how long reading for it may take.
const (
	maxTries  = 10
	readLimit = 10 * time.Second
)

// change makes one change at a time, from its check to its effect. If another node's change came first, it tries
// again, since what was checked may no longer hold.
func (k *Keyring) change(ctx context.Context, do func() error) (err error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	for range maxTries {
		if err := k.CatchUp(ctx); err != nil {
			return err
		}
		if err = do(); !errors.Is(err, ErrBehind) {
			return err
		}
	}
	return err
}

// CatchUp takes in other nodes' changes now. Otherwise they are taken in with the news of their commits, a moment
// later.
func (k *Keyring) CatchUp(ctx context.Context) error {
	// ctx may belong to an access that has just ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readLimit)
	defer cancel()
	k.mu.Lock()
	seen, torn := k.seen, k.torn
	k.mu.Unlock()
	if behind, err := k.store.Behind(ctx, seen); err != nil || !behind && !torn {
		return err
	}
	return k.reload(ctx)
}

// caughtUp is CatchUp for a secret that is not known here. Of many calls at once, one reads the store.
func (k *Keyring) caughtUp(ctx context.Context) error {
	before := k.looks.Load()
	select {
	case k.looking <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-k.looking }()
	if k.looks.Load() > before { // another call has looked since
		return nil
	}
	k.looks.Add(1)
	err := k.CatchUp(ctx)
	if err != nil {
		k.looks.Add(-1)
	}
	return err
}

// Refresh takes in a change by another node to the rows with these ids, which brought the store to Version.Changes.
// It returns once everyone who lost access is out. Zero changes: these credentials were used there.
func (k *Keyring) Refresh(ctx context.Context, changes int64, ids ...string) error {
	if changes == 0 {
		return k.refreshUses(ctx, ids)
	}
	k.mu.Lock()
	seen, torn := k.seen, k.torn
	k.mu.Unlock()
	switch {
	case torn, changes > seen.Changes+1:
		return k.reload(ctx)
	case changes <= seen.Changes:
		return nil
	}
	kept, err := k.store.ReadAccess(ctx, ids...)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.seen == seen && !k.torn { // otherwise what was read may be outdated
		k.take(kept, ids)
		k.seen = Version{Changes: changes, Admins: kept.Version.Admins}
	}
	return nil
}

func (k *Keyring) refreshUses(ctx context.Context, ids []string) error {
	kept, err := k.store.ReadAccess(ctx, ids...)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range kept.Credentials {
		if in := k.byID[c.ID]; in != nil && c.UsedAt.After(in.UsedAt) {
			in.UsedAt, in.Address = c.UsedAt, c.Address
		}
	}
	return nil
}

// reload reads everything again.
func (k *Keyring) reload(ctx context.Context) error {
	kept, err := k.store.ReadAccess(ctx)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if kept.Version.Changes < k.seen.Changes {
		return nil // a change was made since
	}
	var ids []string
	for id, in := range k.byID {
		if in.Kind != KindLocal {
			ids = append(ids, id)
		}
	}
	for id := range k.invitations {
		ids = append(ids, id)
	}
	for id := range k.ends {
		ids = append(ids, id)
	}
	k.take(kept, ids)
	k.seen, k.torn = kept.Version, false
	return nil
}

// take replaces what is known of these ids by what is kept, and adds the rest.
func (k *Keyring) take(kept Kept, ids []string) {
	there := map[string]bool{}
	for _, c := range kept.Credentials {
		there[c.ID] = true
		k.takeCredential(c)
	}
	for _, id := range ids {
		delete(k.invitations, id)
		delete(k.ends, id)
		if !there[id] {
			k.removeLocked(id)
		}
	}
	for _, i := range kept.Invitations {
		k.invitations[i.ID] = i
	}
	for _, ended := range kept.Ends {
		k.ends[ended.ID] = ended
	}
}

func (k *Keyring) takeCredential(c Credential) {
	in := k.byID[c.ID]
	if in == nil {
		k.putLocked(c)
		return
	}
	if in.UsedAt.After(c.UsedAt) {
		c.UsedAt, c.Address = in.UsedAt, in.Address
	}
	if !in.same(c) {
		unsaved := in.unsaved
		k.putLocked(c)
		k.byID[c.ID].unsaved = unsaved
		return
	}
	in.Credential = c
}

// same reports whether two credentials with one id are alike, apart from their use.
func (c Credential) same(other Credential) bool {
	return c.Name == other.Name && c.Subject == other.Subject && slices.Equal(c.Roles, other.Roles) && slices.Equal(c.Agents, other.Agents) &&
		c.From == other.From && c.ExpiresAt.Equal(other.ExpiresAt) && c.Fingerprint == other.Fingerprint && c.Proof == other.Proof
}

// stored applies a change that was stored, unless it was read from the store already.
func (k *Keyring) stored(seen, now Version, effect func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.seen == seen {
		effect()
		k.seen = now
	}
}

// restore puts back credentials that a change removed but did not store. If access has changed meanwhile, everything
// has to be read again.
func (k *Keyring) restore(seen Version, were []Credential) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.seen != seen {
		k.torn = true
		return
	}
	for _, c := range were {
		k.putLocked(c)
	}
}

func (k *Keyring) version() Version {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.seen
}
