package auth_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lineclear/lineclear/auth"
)

// slow is a store whose answers come late: after what happens meanwhile.
type slow struct {
	*auth.Memory
	read, saved func() // what happens meanwhile, once
}

func once(meanwhile *func()) {
	if do := *meanwhile; do != nil {
		*meanwhile = nil
		do()
	}
}

func (s *slow) ReadAccess(ctx context.Context, ids ...string) (auth.Kept, error) {
	kept, err := s.Memory.ReadAccess(ctx, ids...)
	once(&s.read)
	return kept, err
}

func (s *slow) SaveCredentials(ctx context.Context, seen auth.Version, by string, saved ...auth.Credential) (auth.Version, error) {
	after, err := s.Memory.SaveCredentials(ctx, seen, by, saved...)
	once(&s.saved)
	return after, err
}

// revokedMeanwhile revokes a credential on one node, and another one hears of it.
func revokedMeanwhile(t *testing.T, one, two *auth.Keyring, id string, changes int64) func() {
	return func() {
		if _, err := one.Revoke(t.Context(), root, id); err != nil {
			t.Error(err)
		}
		for at := range changes {
			if err := two.Refresh(t.Context(), at+1, id); err != nil {
				t.Error(err)
			}
		}
	}
}

func mustBeUnknown(t *testing.T, k *auth.Keyring, secret string) {
	t.Helper()
	if _, _, _, err := k.Authenticate(t.Context(), secret, auth.KindToken); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("it opens: %v", err)
	}
}

func TestWhatWasReadBeforeALaterChangeIsNotTaken(t *testing.T) {
	for name, refresh := range map[string]func(k *auth.Keyring, id string) error{
		"by its id": func(k *auth.Keyring, id string) error { return k.Refresh(t.Context(), 2, id) },
		"with all":  func(k *auth.Keyring, _ string) error { return k.CatchUp(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			late := &slow{Memory: &auth.Memory{}}
			one := newKeyring(t, late.Memory)
			c, secret := token(t, one, auth.Access{Name: "a", Roles: viewers})
			two := newKeyring(t, late)
			if _, err := one.Update(t.Context(), root, c.ID, auth.Change{Agents: auth.Scope{"demo"}}); err != nil {
				t.Fatal(err)
			}
			late.read = revokedMeanwhile(t, one, two, c.ID, 3)
			if err := refresh(two, c.ID); err != nil {
				t.Fatal(err)
			}
			mustBeUnknown(t, two, secret)
		})
	}
}

func TestAChangeWhoseAnswerComesAfterALaterOneIsNotPutBack(t *testing.T) {
	late := &slow{Memory: &auth.Memory{}}
	one := newKeyring(t, late.Memory)
	c, secret := token(t, one, auth.Access{Name: "a", Roles: viewers})
	two := newKeyring(t, late)
	late.saved = revokedMeanwhile(t, one, two, c.ID, 3)
	if _, err := two.Update(t.Context(), root, c.ID, auth.Change{Agents: auth.Scope{"demo"}}); err != nil {
		t.Fatal(err)
	}
	mustBeUnknown(t, two, secret)
}

// noted is a store that notes what each change was about, as a cluster's news does.
type noted struct {
	*auth.Memory
	mu   *sync.Mutex
	news *[][]string // by version
}

func (n *noted) note(after auth.Version, err error, changed ...auth.Credential) (auth.Version, error) {
	if err != nil {
		return after, err
	}
	var ids []string
	for _, c := range changed {
		ids = append(ids, c.ID)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for int64(len(*n.news)) < after.Changes {
		*n.news = append(*n.news, nil)
	}
	(*n.news)[after.Changes-1] = ids
	return after, nil
}

func (n *noted) SaveCredentials(ctx context.Context, seen auth.Version, by string, saved ...auth.Credential) (auth.Version, error) {
	after, err := n.Memory.SaveCredentials(ctx, seen, by, saved...)
	return n.note(after, err, saved...)
}

func (n *noted) DropCredentials(ctx context.Context, seen auth.Version, by string, why auth.LoginEnd, dropped ...auth.Credential) (auth.Version, error) {
	after, err := n.Memory.DropCredentials(ctx, seen, by, why, dropped...)
	return n.note(after, err, dropped...)
}

// hear has a keyring take in all that was noted after what it has heard of.
func (n *noted) hear(ctx context.Context, k *auth.Keyring, heard *int64) error {
	for {
		n.mu.Lock()
		if int64(len(*n.news)) <= *heard || (*n.news)[*heard] == nil {
			n.mu.Unlock()
			return nil
		}
		ids := (*n.news)[*heard]
		n.mu.Unlock()
		if err := k.Refresh(ctx, *heard+1, ids...); err != nil {
			return err
		}
		*heard++
	}
}

func TestKeyringsThatChangeThingsAtOnceEndUpAlike(t *testing.T) {
	store := &noted{Memory: &auth.Memory{}, mu: &sync.Mutex{}, news: &[][]string{}}
	var keys []*auth.Keyring
	for range 3 {
		keys = append(keys, newKeyring(t, store))
	}
	var writers, listeners sync.WaitGroup
	over := make(chan struct{})
	for at, k := range keys {
		var heard int64
		listeners.Go(func() {
			for ended := false; !ended; {
				select {
				case <-over:
					ended = true
				default:
				}
				if err := store.hear(t.Context(), k, &heard); err != nil {
					t.Error(err)
				}
			}
		})
		writers.Go(func() {
			for i := range 40 {
				c, secret, err := k.NewToken(t.Context(), root, auth.Access{Name: fmt.Sprint("n", at, "-", i), Subject: "ada", Roles: viewers})
				if err != nil {
					t.Error(err)
					return
				}
				other := keys[(at+1)%len(keys)]
				if _, err := other.Update(t.Context(), root, c.ID, auth.Change{Agents: auth.Scope{"demo"}}); err != nil {
					t.Error(err)
				}
				if i%2 == 0 {
					continue
				}
				if _, err := other.Revoke(t.Context(), root, c.ID); err != nil {
					t.Error(err)
				}
				if _, _, _, err := other.Authenticate(t.Context(), secret, auth.KindToken); !errors.Is(err, auth.ErrUnknown) {
					t.Errorf("after it was revoked: %v", err)
				}
			}
		})
	}
	writers.Wait()
	close(over)
	listeners.Wait()
	kept, err := store.ReadAccess(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(kept.Credentials, func(a, b auth.Credential) int { return strings.Compare(a.ID, b.ID) })
	for i, k := range keys {
		list, err := k.List(root, auth.KindToken)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(kept.Credentials, list, cmpopts.IgnoreFields(auth.Credential{}, "UsedAt", "Address")); diff != "" {
			t.Errorf("keyring %d (-want +got):\n%s", i, diff)
		}
	}
}
