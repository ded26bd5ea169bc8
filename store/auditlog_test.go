package store_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
)

// lookedAt is what a verifier beside the gateway says of a folder.
func lookedAt(t *testing.T, dir string, e audit.Expected) (audit.Report, error) {
	t.Helper()
	l, err := store.OpenAuditLog(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	return e.Verify(l.Records(t.Context(), time.Time{}))
}

func TestTheAuditLogCanBeReadBesideTheGatewayAndAfterIt(t *testing.T) {
	dir := t.TempDir()
	_, s, stop := running(t, dir)
	record(t, s, audit.GatewayStarted)
	record(t, s, audit.LoginBegun)
	if r, err := lookedAt(t, dir, audit.Expected{}); err != nil || r.Records != 3 {
		t.Errorf("beside it: %d records, %v", r.Records, err)
	}
	stop()
	if r, err := lookedAt(t, dir, audit.Expected{}); err != nil || r.Records != 3 {
		t.Errorf("after it: %d records, %v", r.Records, err)
	}
	_, _, stop = running(t, dir) // reading has locked nobody out
	stop()
}

func TestAFolderThatIsNotThereIsNotMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nowhere")
	if _, err := store.OpenAuditLog(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "no gateway's data") {
		t.Errorf("got %v", err)
	}
	if _, err := store.NewKey(dir, keyOf(dir)); err == nil {
		t.Error("a key was made in it")
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is there now: %v", err)
	}
	empty := t.TempDir()
	if _, err := store.OpenAuditLog(t.Context(), empty); err == nil {
		t.Error("an empty folder was opened")
	}
	if files, err := os.ReadDir(empty); err != nil || len(files) > 0 {
		t.Errorf("it has %v, %v", files, err)
	}
}

func TestRecordsAreReadFromATimeOn(t *testing.T) {
	dir := t.TempDir()
	_, s, stop := running(t, dir)
	defer stop()
	for range 3 {
		record(t, s, audit.LoginBegun)
	}
	all := collect(t, s.Audit(t.Context()))
	l, err := store.OpenAuditLog(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	part := collect(t, l.Records(t.Context(), all[1].At))
	if len(part) == 0 || part[0].At.Before(all[1].At) || part[len(part)-1].Seq != 3 {
		t.Errorf("got %v", part)
	}
	if none := collect(t, l.Records(t.Context(), all[2].At.Add(time.Hour))); len(none) != 0 {
		t.Errorf("of the future it has %v", none)
	}
	if h, err := l.Head(t.Context()); err != nil || h != all[2].Head() {
		t.Errorf("the head is %v, %v", h, err)
	}
}

func TestAGatewayWithoutItsKeyDoesNotGoOnUntilItHasANewOne(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	_, s, stop := running(t, dir)
	record(t, s, audit.GatewayStarted)
	old, err := store.PublicKey(keyOf(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.NewKey(dir, keyOf(dir)); !errors.Is(err, store.ErrLocked) {
		t.Errorf("a new key beside a running gateway: %v", err)
	}
	stop()
	if _, err := store.NewKey(dir, keyOf(dir)); !errors.Is(err, store.ErrKeyThere) {
		t.Errorf("a second key: %v", err)
	}
	if err := os.Remove(keyOf(dir)); err != nil {
		t.Fatal(err)
	}
	if h := examined(t, dir); len(h.Faults) != 1 || !strings.Contains(h.Faults[0], keyOf(dir)+" is not there, but the audit log is signed") {
		t.Errorf("the doctor says %q", h.Faults)
	}
	_, s, stop = running(t, dir)
	err = s.Record(t.Context(), audit.GatewayStarted, "root", "system", audit.Started{})
	if !errors.Is(err, store.ErrNoKey) || !strings.Contains(err.Error(), "gateway audit key --new") {
		t.Errorf("got %v", err)
	}
	stop()
	fresh, err := store.NewKey(dir, keyOf(dir))
	if err != nil || fresh.Equal(old) {
		t.Fatalf("the new key is %v, %v", fresh, err)
	}
	_, s, stop = running(t, dir)
	record(t, s, audit.GatewayStarted)
	stop()
	if _, err := lookedAt(t, dir, audit.Expected{Keys: audit.Keys{old, fresh}}); err != nil {
		t.Errorf("with both keys: %v", err)
	}
	if _, err := lookedAt(t, dir, audit.Expected{}); !errors.Is(err, audit.ErrBroken) {
		t.Errorf("with none known: %v", err)
	}
}

// keyOf is where the tests keep the key of a data folder.
func keyOf(dir string) string { return dir + ".key" }

func TestTheKeyOfAnEarlierVersionIsTakenOutOfTheDataFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	inside := filepath.Join(dir, "audit.key")
	_, s, stop := running(t, dir)
	record(t, s, audit.GatewayStarted)
	stop()
	text, err := os.ReadFile(keyOf(dir))
	if err != nil {
		t.Fatal(err)
	}
	put := func(path string, text []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(keyOf(dir), inside); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time as if the process had died between the copy and the removal
		_, s, stop = running(t, dir)
		if !s.KeyMoved {
			t.Error("it is not told")
		}
		stop()
		moved, err := os.ReadFile(keyOf(dir))
		if _, left := os.Lstat(inside); !os.IsNotExist(left) || !bytes.Equal(moved, text) || err != nil {
			t.Errorf("left: %v, moved: %q, %v", left, moved, err)
		}
		put(inside, text)
	}
	if h := examined(t, dir); len(h.Faults) > 0 {
		t.Errorf("the doctor says %q", h.Faults)
	}
	put(inside, []byte("another"))
	if _, err := store.Open(dir, keyOf(dir), bus.New(nil)); !errors.Is(err, store.ErrTwoKeys) {
		t.Errorf("two keys: %v", err)
	}
	for _, path := range []string{inside, keyOf(dir)} {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("a key is lost: %v", err)
		}
	}
}

func TestAKeyThatIsNoneIsNotTakenForOne(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"", "nonsense", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"} {
		if err := os.WriteFile(keyOf(dir), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if key, err := store.PublicKey(keyOf(dir)); err == nil || errors.Is(err, store.ErrNoKey) {
			t.Errorf("%q is %v, %v", text, key, err)
		}
	}
}

// examined is what the doctor finds in a folder.
func examined(t *testing.T, dir string) store.Health {
	t.Helper()
	s, err := opened(dir, keyOf(dir), bus.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	h, err := s.Examine(t.Context())
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return h
}

// lock takes a copied folder away from others.
func lock(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Chmod(filepath.Join(dir, e.Name()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// ended is a folder in which everything has happened.
func ended(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lived(t, dir)
	return dir
}

func TestNoChangeOfTheTableIsMissed(t *testing.T) {
	whole := ended(t)
	if h := examined(t, whole); len(h.Faults) > 0 {
		t.Fatalf("as it is: %v", h.Faults)
	}
	for statement, says := range map[string]string{
		"UPDATE audit SET subject = 'eve' WHERE seq = 5":                                                   "record 5 was changed",
		"UPDATE audit SET via = '' WHERE seq = 5":                                                          "record 5 was changed",
		"UPDATE audit SET at = at + 1 WHERE seq = 5":                                                       "record 5 was changed",
		"UPDATE audit SET at = 9223372036854775807 WHERE seq = 5":                                          "record 5 ",
		"UPDATE audit SET kind = 'login' WHERE seq = 5":                                                    "record 5 was changed",
		"UPDATE audit SET data = '{}' WHERE seq = 5":                                                       "record 5 was changed",
		"UPDATE audit SET data = '{' WHERE seq = 5":                                                        "record 5 can't be read",
		"UPDATE audit SET data = '{\"a\":1,\"a\":2}' WHERE seq = 5":                                        "record 5 can't be read",
		"UPDATE audit SET data = replace(data, ',', ', ') WHERE seq = 5":                                   "record 5 was changed",
		"UPDATE audit SET subject = CAST(x'ff' AS TEXT) WHERE seq = 5":                                     "record 5 can't be read",
		"UPDATE audit SET prev = hash WHERE seq = 5":                                                       "record 5 was changed",
		"UPDATE audit SET hash = prev WHERE seq = 5":                                                       "record 5 was changed",
		"UPDATE audit SET seq = 500 WHERE seq = 5":                                                         "record 5 is missing",
		"UPDATE audit SET seq = -seq":                                                                      "record 1 ",
		"DELETE FROM audit WHERE seq = 5":                                                                  "record 5 is missing",
		"DELETE FROM audit WHERE seq < 5":                                                                  "record 1 is missing",
		"DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)":                                       "a checkpoint should follow",
		"DELETE FROM audit":                                                                                "nothing is signed",
		"INSERT INTO audit SELECT 500, at, kind, subject, data, prev, hash, via FROM audit LIMIT 1":        "is missing",
		"UPDATE audit SET data = (SELECT data FROM audit WHERE seq = 2) WHERE kind = 'checkpoint'":         "was changed",
		"UPDATE audit SET subject = subject || 'x'":                                                        "record 1 ",
		"UPDATE audit SET data = CAST(zeroblob(100) AS TEXT) WHERE seq = 5":                                "record 5 can't be read",
		"UPDATE audit SET data = data || ' ' WHERE seq = 5":                                                "record 5 was changed",
		"UPDATE audit SET data = replace(data, 'demo', '\\u0064emo') WHERE seq = 5 AND data LIKE '%demo%'": "record 5 was changed",
	} {
		hurt := t.TempDir()
		if err := os.CopyFS(hurt, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		lock(t, hurt)
		key, err := os.ReadFile(keyOf(whole))
		if err := errors.Join(err, os.WriteFile(keyOf(hurt), key, 0o600)); err != nil {
			t.Fatal(err)
		}
		change(t, hurt, statement)
		forgetHead(t, hurt)
		if h := examined(t, hurt); !strings.Contains(strings.Join(h.Faults, "\n"), says) {
			t.Errorf("%s: the doctor says %q", statement, h.Faults)
		}
	}
}

func TestTheDoctorFindsCountsOfCallsThatDifferFromTheJournal(t *testing.T) {
	dir := ended(t)
	change(t, dir, "UPDATE sessions SET denied = denied + 1")
	if h := examined(t, dir); !strings.Contains(strings.Join(h.Faults, "\n"), "counts its calls as") {
		t.Errorf("the doctor says %q", h.Faults)
	}
}

func TestAChainThatWasWrittenAnewIsFoundByItsKey(t *testing.T) {
	dir := ended(t)
	// Somebody who may write the folder makes everything again, with a key of his own.
	forged := ended(t)
	raw, err := os.ReadFile(filepath.Join(forged, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, store.FileName), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	forgetHead(t, dir)
	if h := examined(t, dir); len(h.Faults) != 1 || !strings.Contains(h.Faults[0], "signed by another key") {
		t.Errorf("the doctor says %q", h.Faults)
	}
}

func TestAFolderWithAKeyThatOthersCanReadIsNotOpened(t *testing.T) {
	dir := ended(t)
	if err := os.Chmod(keyOf(dir), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := store.Open(dir, keyOf(dir), bus.New(nil))
	if !errors.Is(err, store.ErrExposed) || !strings.Contains(err.Error(), "chmod go-rwx "+keyOf(dir)) {
		t.Errorf("it is opened: %v", err)
	}
}

// BenchmarkRecord is one change with its audit record and without one, of many
// that share their syncs.
func BenchmarkRecord(b *testing.B) {
	dir := b.TempDir()
	s, err := store.Open(dir, keyOf(dir), bus.New(append(approval.Topics(), session.Events)))
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	defer func() {
		cancel()
		<-ended
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}()
	made, err := s.Sessions().Create(ctx, session.Session{AgentID: "demo"})
	if err != nil {
		b.Fatal(err)
	}
	for name, result := range map[string]session.ToolResult{
		"with":    {CallID: "c", ToolName: "shell"},                  // a refused call, which has one
		"without": {CallID: "c", ToolName: "shell", ApprovalID: "a"}, // the same event, which has none
	} {
		b.Run(name, func(b *testing.B) {
			b.SetParallelism(100)
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					if _, err := s.Sessions().Append(ctx, made.ID, result); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
