package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/internal/mask"
)

// ErrOver is the cause with which an access ends whose credential was revoked or
// changed, or whose time is over.
var ErrOver = errors.New("auth: your access was revoked or changed, or its time is over: log in again")

// Keyring knows all credentials of a gateway, and who is in by them.
type Keyring struct {
	store CredentialStore
	life  time.Duration

	proofs []byte // the key of the proofs that are given for a page's key

	writing sync.Mutex    // one change at a time, from its check to its effect
	looking chan struct{} // held by the one that looks for what is not known
	looks   atomic.Int64  // begun so far, without those that failed

	mu            sync.Mutex
	seen          Version // of what is known
	torn          bool    // something is not known that is kept
	byID          map[string]*key
	byFingerprint map[string]*key // by fingerprint
	invitations   map[string]Invitation
	ends          map[string]EndedLogin // by the login's id
}

// key is a credential with those who are in by it.
type key struct {
	Credential
	accesses map[*context.CancelCauseFunc]struct{}
	follows  map[*context.CancelCauseFunc]struct{} // work done for its holder while they are away
	unsaved  bool                                  // it was used since its last use was saved
}

// OpenKeyring reads the credentials from store; logins last for life
// (DefaultLoginLife when zero).
func OpenKeyring(ctx context.Context, store CredentialStore, life time.Duration) (*Keyring, error) {
	if life <= 0 {
		life = DefaultLoginLife
	}
	proofs, err := store.ProofKey(ctx, ProofSecret.fresh)
	if err != nil {
		return nil, err
	}
	k := &Keyring{
		store: store, life: life, proofs: []byte(proofs), looking: make(chan struct{}, 1),
		byID: map[string]*key{}, byFingerprint: map[string]*key{}, invitations: map[string]Invitation{}, ends: map[string]EndedLogin{},
	}
	return k, k.reload(ctx)
}

// Authenticate authenticates the bearer of a secret, if its credential is of one of the
// kinds: a cookie is not a bearer token. access is derived from ctx and ends with
// ErrOver when the credential is revoked, changed or expires. done has to be called.
// Any secret that is not valid is ErrUnknown, whatever the reason.
func (k *Keyring) Authenticate(ctx context.Context, secret string, kinds ...Kind) (
	who Identity, access context.Context, done context.CancelFunc, err error,
) {
	of := slices.IndexFunc(kinds, func(kind Kind) bool { return secretOf[kind].Is(secret) })
	if of < 0 {
		return Identity{}, nil, nil, ErrUnknown
	}
	fingerprint := Fingerprint(secret)
	return k.enter(ctx, func() *key {
		if in := k.byFingerprint[fingerprint]; in != nil && in.Kind == kinds[of] {
			return in
		}
		return nil
	})
}

// Resume is Authenticate for a credential that has been authenticated before; its rights
// are those that it has now.
func (k *Keyring) Resume(ctx context.Context, credentialID string) (
	who Identity, access context.Context, done context.CancelFunc, err error,
) {
	return k.enter(ctx, func() *key { return k.byID[credentialID] })
}

// enter admits the holder of a credential, which another node may have made just now.
func (k *Keyring) enter(ctx context.Context, find func() *key) (Identity, context.Context, context.CancelFunc, error) {
	try := func() (Identity, context.Context, context.CancelFunc, error) {
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.admit(ctx, find(), true)
	}
	who, access, done, err := try()
	if errors.Is(err, ErrUnknown) {
		if err := k.caughtUp(ctx); err != nil {
			return Identity{}, nil, nil, err
		}
		return try()
	}
	return who, access, done, err
}

// Follow is Resume for what is done for the holder of a credential, who is not there: it
// does not count as a use.
func (k *Keyring) Follow(ctx context.Context, credentialID string) (
	who Identity, access context.Context, done context.CancelFunc, err error,
) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.admit(ctx, k.byID[credentialID], false)
}

func (k *Keyring) admit(ctx context.Context, in *key, there bool) (Identity, context.Context, context.CancelFunc, error) {
	if in == nil || in.expired(time.Now()) {
		return Identity{}, nil, nil, ErrUnknown
	}
	access, end := context.WithCancelCause(ctx)
	stop := func() {}
	if !in.ExpiresAt.IsZero() {
		access, stop = context.WithDeadlineCause(access, in.ExpiresAt, ErrOver)
	}
	list := in.follows
	if there {
		list = in.accesses
	}
	list[&end] = struct{}{}
	done := func() {
		k.mu.Lock()
		delete(list, &end)
		if there {
			in.used(in.Address, time.Now())
		}
		k.mu.Unlock()
		stop()
		end(context.Canceled)
	}
	who := in.Identity()
	for from := in; from != nil; from = k.byID[from.From] {
		who.Root = from.ID
	}
	return who, access, done, nil
}

// Local makes the credential of programs on this machine, which lives as long as
// the process, and returns its secret. Every program of the user can read it,
// including agents and their tools.
func (k *Keyring) Local(who Identity) (secret string) {
	secret = LocalSecret.fresh()
	k.put(Credential{
		ID: string(KindLocal), Kind: KindLocal, Subject: who.Subject, Roles: who.Roles,
		CreatedAt: time.Now().UTC(), Fingerprint: Fingerprint(secret),
	})
	return secret
}

// NewToken makes a token, and returns the secret, which nobody can read again.
func (k *Keyring) NewToken(ctx context.Context, by Identity, a Access) (c Credential, secret string, err error) {
	err = k.change(ctx, func() error {
		c, secret, err = k.newToken(ctx, by, a)
		return err
	})
	return c, secret, err
}

func (k *Keyring) newToken(ctx context.Context, by Identity, a Access) (c Credential, secret string, err error) {
	now, seen := time.Now(), k.version()
	if err := k.requireAdmin(by); err != nil {
		return c, "", err
	}
	if a, err = a.filled(now); err != nil {
		return c, "", err
	}
	if err := k.checkNameFree(a.Name, ""); err != nil {
		return c, "", err
	}
	if err := k.checkSubject(a.Subject); err != nil {
		return c, "", err
	}
	secret = TokenSecret.fresh()
	c = Credential{
		Kind: KindToken, Name: a.Name, Subject: a.Subject, Roles: a.Roles, Agents: a.Agents.Named(), By: by.Subject, ExpiresAt: a.ExpiresAt,
	}
	c, err = k.add(ctx, seen, c, secret, now)
	return c, secret, err
}

// requireAdmin refuses who may not manage access, as what they are now: they may have
// been put out while they waited.
func (k *Keyring) requireAdmin(by Identity) error {
	if by.Credential != "" {
		in := k.get(by.Credential)
		if in == nil || in.expired(time.Now()) {
			return ErrOver
		}
		by = in.Identity()
	}
	if !by.isGlobalAdmin() {
		return ErrForbidden
	}
	return nil
}

// checkNameFree says whether another token than the one with the id has the name.
func (k *Keyring) checkNameFree(name, id string) error {
	now := time.Now()
	same := k.find(func(c Credential) bool { return c.Kind == KindToken && c.Name == name && c.ID != id && !c.expired(now) })
	if len(same) > 0 {
		return fmt.Errorf("%w: name: there is a token of that name (%s): revoke it first, or choose another name", ErrInvalid, same[0].ID)
	}
	return nil
}

// checkSubject refuses a person's name that can be taken for another's.
func (k *Keyring) checkSubject(name string) error {
	alike := k.find(func(c Credential) bool {
		return c.Subject != name && c.Kind != KindLocal && mask.Skeleton(c.Subject) == mask.Skeleton(name)
	})
	if len(alike) > 0 {
		return fmt.Errorf("%w: subject: %q can be taken for %q, who has access: choose another name", ErrInvalid, name, alike[0].Subject)
	}
	return nil
}

// add stores a credential, which rests on what was known at seen.
func (k *Keyring) add(ctx context.Context, seen Version, c Credential, secret string, now time.Time) (Credential, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return c, fmt.Errorf("auth: id: %w", err)
	}
	c.ID, c.CreatedAt, c.Fingerprint = id.String(), now.UTC().Truncate(time.Microsecond), Fingerprint(secret)
	if !c.ExpiresAt.IsZero() {
		c.ExpiresAt = c.ExpiresAt.UTC().Truncate(time.Microsecond)
	}
	by := c.By
	if by == "" {
		by = c.Subject
	}
	version, err := k.store.SaveCredentials(ctx, seen, by, c)
	if err != nil {
		return c, err
	}
	k.stored(seen, version, func() { k.takeCredential(c) })
	return c, nil
}

// Update changes a token or a login, and in the same way those created by it. Their
// open accesses end first; new ones have the new rights, or the old ones if it fails.
func (k *Keyring) Update(ctx context.Context, by Identity, id string, change Change) (after Credential, err error) {
	err = k.change(ctx, func() error {
		after, err = k.update(ctx, by, id, change)
		return err
	})
	return after, err
}

func (k *Keyring) update(ctx context.Context, by Identity, id string, change Change) (Credential, error) {
	seen := k.version()
	if err := k.requireAdmin(by); err != nil {
		return Credential{}, err
	}
	before := k.get(id)
	if before == nil || before.Kind == KindLocal {
		return Credential{}, ErrNoCredential
	}
	after, err := before.changed(change, time.Now())
	if err == nil && after.Kind == KindToken {
		err = k.checkNameFree(after.Name, id)
	}
	if token := k.get(after.From); token != nil {
		after = after.within(*token)
	}
	if err != nil {
		return Credential{}, err
	}
	were, are := []Credential{*before}, []Credential{after}
	for _, c := range k.descendants(id) {
		were = append(were, c)
		if change.Roles != nil {
			c.Roles = after.Roles
		}
		if change.Agents != nil {
			c.Agents = after.Agents
		}
		are = append(are, c.within(after))
	}
	k.removeAll(were)
	// ctx may itself be an access that has ended just now.
	version, err := k.store.SaveCredentials(context.WithoutCancel(ctx), seen, by.Subject, are...)
	if err != nil {
		k.restore(seen, were)
		return Credential{}, err
	}
	k.stored(seen, version, func() {
		for _, c := range are {
			k.takeCredential(c)
		}
	})
	return after, nil
}

func (c Credential) changed(change Change, now time.Time) (Credential, error) {
	if change.Name != nil {
		if err := CheckSubject(*change.Name); err != nil {
			return c, fmt.Errorf("%w: name: %w", ErrInvalid, err)
		}
		c.Name = *change.Name
	}
	if change.Roles != nil {
		c.Roles = *change.Roles
	}
	if change.Agents != nil {
		c.Agents = change.Agents.Named()
	}
	if change.ExpiresAt != nil && change.ExpiresAt.IsZero() { // an empty value is a mistake, not a request to never expire
		return c, fmt.Errorf("%w: expiresAt: say when it ends", ErrInvalid)
	}
	if change.ExpiresAt != nil {
		c.ExpiresAt = change.ExpiresAt.UTC().Truncate(time.Microsecond)
	}
	return c, Access{Roles: c.Roles, Agents: c.Agents, ExpiresAt: c.ExpiresAt}.sound(now)
}

// List returns the valid credentials of some kinds, oldest first. UsedAt is now for those that are in use.
func (k *Keyring) List(by Identity, kinds ...Kind) ([]Credential, error) {
	if err := k.requireAdmin(by); err != nil {
		return nil, err
	}
	now := time.Now()
	list := k.find(func(c Credential) bool { return slices.Contains(kinds, c.Kind) && !c.expired(now) })
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, c := range list {
		if in := k.byID[c.ID]; in != nil && len(in.accesses) > 0 {
			list[i].UsedAt = now.UTC().Truncate(time.Second)
		}
	}
	return list, nil
}
