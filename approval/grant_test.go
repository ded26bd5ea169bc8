package approval_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/tool"
)

func TestAGrantSaysWhatItCoversAndHidesSecrets(t *testing.T) {
	secrets, err := mask.NewSecrets(mask.SecretOptions{})
	if err != nil {
		t.Fatal(err)
	}
	long := `{"command":"` + strings.Repeat("x", 5000) + `"}`
	for args, want := range map[string]string{
		`{"command":"go vet ./..."}`:                   "exactly go vet ./...",
		`{"command":"curl -u ada:hunter2hunter2 x"}`:   "exactly curl -u ada:" + mask.Mark + " x",
		`{"to":"staging","password":"hunter2hunter2"}`: `exactly {"to":"staging","password":"` + mask.Mark + `"}`,
		`{"n":1}`: `exactly {"n":1}`,
		long:      "exactly this call",
	} {
		g := approval.Grant{Covers: approval.Exactly()}.Naming(tool.JSON(args))
		if got := g.Masked(secrets).Words(); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
	g := approval.Grant{Covers: approval.WholeTool("shell")}.Naming(tool.JSON(`{"command":"ls"}`))
	if len(g.Args) > 0 || g.Words() != "every call of shell" {
		t.Errorf("%+v", g)
	}
}
