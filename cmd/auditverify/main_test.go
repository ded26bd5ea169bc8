package main

import (
	"bytes"
	"crypto/ed25519"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/tool"
)

// exported is a small signed chain.
func exported(t *testing.T) (file []byte, head audit.Head, key string) {
	t.Helper()
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte("k"), ed25519.SeedSize))
	at := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	first, err := audit.Record{At: at, Kind: audit.GatewayStarted, Subject: "root", Via: "system", Data: tool.JSON(`{}`)}.Sealed(audit.Head{})
	if err != nil {
		t.Fatal(err)
	}
	second, err := audit.Signed(first.Head(), at, private)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []audit.Record{first, second} {
		line, err := r.Line()
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, line...)
	}
	return file, second.Head(), audit.KeyText(private.Public().(ed25519.PublicKey))
}

func TestAnExportIsVerifiedWithoutAGateway(t *testing.T) {
	file, head, key := exported(t)
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(file), "root", "eve", 1)
	for _, c := range []struct {
		args []string
		in   string
		code int
		says string
	}{
		{nil, string(file), audit.Fine, "not pinned"},
		{[]string{"-"}, string(file), audit.Fine, "Head: " + head.String()},
		{[]string{path}, "", audit.Fine, "Fine: 2 records"},
		{[]string{"--key", key, "--expect", head.String(), path}, "", audit.Fine, "signed by " + key},
		{nil, changed, audit.Broken, "BROKEN at record 1 (changed)"},
		{[]string{"--key", strings.Repeat("0", 64)}, string(file), audit.Broken, "another key"},
		{[]string{"--expect", "3:" + head.Hash}, string(file), audit.Broken, "record 3 is missing"},
		{[]string{"--after", "7:" + head.Hash}, string(file), audit.Broken, "record 8 was changed"},
		{nil, "", audit.CouldNot, "no records"},
		{[]string{path + "x"}, "", audit.CouldNot, "no such file"},
		{[]string{"--key", "x"}, "", audit.CouldNot, "Ed25519"},
		{[]string{path, path}, "", audit.Fine, "Fine: 2 records"}, // nothing new in the second
		{[]string{path, "-"}, changed, audit.Broken, "record 1 is there twice"},
		{[]string{path, "-"}, string(file[:bytes.IndexByte(file, '\n')+1]), audit.Broken, "record 1 is there twice"},
		{[]string{"--help"}, "", audit.CouldNot, "auditverify [--key"},
	} {
		var out, failure strings.Builder
		code := run(c.args, strings.NewReader(c.in), &out, &failure)
		if said := out.String() + failure.String(); code != c.code || !strings.Contains(said, c.says) {
			t.Errorf("%q ended with %d, want %d and %q:\n%s", c.args, code, c.code, c.says, said)
		}
	}
}
