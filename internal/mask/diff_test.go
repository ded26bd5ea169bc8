package mask_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/internal/mask"
)

func TestADiffIsMaskedOnBothSidesAndKeepsItsLines(t *testing.T) {
	s := newSecrets(t, mask.SecretOptions{})
	begin, end := "-----BEGIN "+"PRIVATE KEY-----", "-----END PRIVATE KEY-----"
	key := func(sign string) string {
		return sign + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" + sign + "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n"
	}
	marks := func(sign string) string { return sign + "⟦masked⟧\n" + sign + "⟦masked⟧\n" }
	head := "--- k\n+++ k\n@@ -1,4 +1,4 @@\n"
	for name, c := range map[string]struct{ in, want string }{
		"a key that is removed":       {head + "-" + begin + "\n" + key("-") + "-" + end + "\n", head + "-" + begin + "⟦masked⟧\n" + marks("-") + "-" + end + "\n"},
		"a key that is added":         {head + "+" + begin + "\n" + key("+") + "+" + end + "\n", head + "+" + begin + "⟦masked⟧\n" + marks("+") + "+" + end + "\n"},
		"a key that stays":            {head + " " + begin + "\n" + key(" ") + " " + end + "\n", head + " " + begin + "⟦masked⟧\n" + marks(" ") + " " + end + "\n"},
		"a key that is replaced":      {head + " " + begin + "\n" + key("-") + key("+") + " " + end + "\n", head + " " + begin + "⟦masked⟧\n" + marks("-") + marks("+") + " " + end + "\n"},
		"a password on each side":     {head + "-password: hunter2\n+password: hunter3\n", head + "-password: ⟦masked⟧\n+password: ⟦masked⟧\n"},
		"a value that is replaced":    {head + " password: \\\n-  hunter2\n+  hunter3\n", head + " password: \\\n-  hunter2\n+  hunter3\n"},
		"an option's value":           {head + " login --password \\\n-  hunter2\n+  hunter3\n", head + " login --password \\\n-  ⟦masked⟧\n+  ⟦masked⟧\n"},
		"nothing":                     {head + "-a\n+b\n\\ No newline at end of file\n", head + "-a\n+b\n\\ No newline at end of file\n"},
		"a secret on one side alone":  {head + "-login --password \\\n+x\n   hunter2\n", head + "-login --password \\\n+x\n   ⟦masked⟧\n"},
		"a line masked on both sides": {head + "-curl -u \\\n+login --password \\\n a:hunter2\n", head + "-curl -u \\\n+login --password \\\n ⟦masked⟧\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, found := s.Diff(c.in)
			if got != c.want || found != (got != c.in) {
				t.Errorf("%t, it is shown as\n%s\nwant\n%s", found, got, c.want)
			}
		})
	}
}

func FuzzADiffKeepsItsLinesAndSigns(f *testing.F) {
	s := newSecrets(f, mask.SecretOptions{Patterns: []string{`(?s)open.*shut`}})
	f.Add("--- a\n+++ a\n@@ -1 +1 @@\n-PASSWORD=x\n+open\n \n+shut\n")
	for _, texts := range planted() {
		for _, text := range texts {
			f.Add("-" + strings.ReplaceAll(text, "\n", "\n-"))
		}
	}
	f.Fuzz(func(t *testing.T, in string) {
		out, found := s.Diff(in)
		if !found && out != in {
			t.Errorf("%q became %q, and nothing was found", in, out)
		}
		before, after := strings.Split(in, "\n"), strings.Split(out, "\n")
		if len(before) != len(after) {
			t.Fatalf("%d lines became %d: %q", len(before), len(after), out)
		}
		for i, line := range before {
			if line != "" && strings.Contains(" +-", line[:1]) && !strings.HasPrefix(after[i], line[:1]) {
				t.Errorf("%q became %q", line, after[i])
			}
		}
		var removed strings.Builder
		for _, line := range before {
			removed.WriteString("-" + line + "\n")
		}
		want, _ := s.Text(in)
		alone, _ := s.Diff(strings.TrimSuffix(removed.String(), "\n"))
		got := strings.ReplaceAll(alone, "\n-", "\n")[1:]
		if flat := strings.NewReplacer("\n", "", mask.Mark, ""); flat.Replace(got) != flat.Replace(want) {
			t.Errorf("removed, %q is shown as %q, and by itself as %q", in, got, want)
		}
	})
}
