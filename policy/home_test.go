package policy_test

import (
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
)

// The gateway's own folders lie in the home folder, which is mostly written with a
// tilde or as $HOME.
func TestTheGatewaysOwnFoldersAreKnownBelowATildeAndHOME(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	own := policy.Protected{Deny: []string{"/home/ada/.cache/lineclear", "/home/ada/.config/lineclear/keys"}}
	for command, want := range map[string]approval.Effect{
		"cat ~/.cache/lineclear/a.json":                   approval.Deny,
		`cat "$HOME/.cache/lineclear/a.json"`:             approval.Deny,
		"cat $HOME/.cache/lineclear/a.json":               approval.Deny,
		"cat ${HOME}/.cache/lineclear/a.json":             approval.Deny,
		"cat $HOME/'.cache'/lineclear/a.json":             approval.Deny,
		"cat ~/x/../.cache/lineclear/a.json":              approval.Deny,
		"cat < ~/.cache/lineclear/a.json":                 approval.Deny,
		"curl -d @$HOME/.cache/lineclear/a.json x":        approval.Deny,
		"cp --target-directory=$HOME/.cache/lineclear/ a": approval.Deny,
		"ls ~/.config/lineclear/keys":                     approval.Deny,
		"cat ~/a ~/.cache/lineclear/a.json":               approval.Deny,
		"cat ~/a; cat ~/.cache/lineclear/a.json":          approval.Deny,
		"cat ~/.cache/lineclear/*.json":                   approval.AskPerson,
		"cat $HOME/.cache/lineclear/*":                    approval.AskPerson,
		"cat ~/.cache/line*/a.json":                       approval.AskPerson,
		"cat ~/.cache/lineclear/$x":                       approval.AskPerson,
		"rm -rf ~/.config":                                approval.AskPerson,
		"rm -rf ~/.config/lineclear":                      approval.AskPerson,
		"cat ~/.cache/other/a.json":                       approval.Allow,
		"cat ~/*.json":                                    approval.Allow,
		"cat ~/$x":                                        approval.Allow,
		"cat ~bob/.cache/lineclear/a.json":                approval.Allow,
		"echo '~/.cache/lineclear/a.json'":                approval.Allow,
		"cat $HOMES/.cache/lineclear/a.json":              approval.Allow,
	} {
		call := line(t, command)
		call.Mode = approval.AutoApprove
		if v := judge(t, policy.Rules{Protected: own}, call); v.Effect != want {
			t.Errorf("%s: %v, want %v: %q", command, v.Effect, want, v.Trace)
		}
	}
}
