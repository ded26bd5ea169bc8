package approval_test

import (
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// What an edit makes is JSON with one meaning, and the same edit again changes
// nothing more: what was shown as the outcome is the outcome.
func FuzzMergePatch(f *testing.F) {
	f.Add(`{"a":1,"b":{"c":[1]}}`, `{"a":null,"b":{"c":{"d":2}}}`)
	f.Add(`{}`, `{"a":{"b":null}}`)
	f.Add(`{"a":1}`, `[]`)
	f.Add(`{"a":1,"a":2}`, `{}`)
	f.Fuzz(func(t *testing.T, args, patch string) {
		for _, part := range []string{args, patch} { // the doors take nothing else
			if _, err := strictjson.Canonicalize(tool.JSON(part)); err != nil {
				return
			}
		}
		once, err := approval.MergePatch(tool.JSON(args), tool.JSON(patch))
		if err != nil {
			return
		}
		canonical, err := strictjson.Canonicalize(once)
		if err != nil {
			t.Fatalf("%q with %q makes %q, which has no one meaning: %v", args, patch, once, err)
		}
		twice, err := approval.MergePatch(once, tool.JSON(patch))
		if err != nil {
			t.Fatalf("%q with %q again: %v", once, patch, err)
		}
		if again, err := strictjson.Canonicalize(twice); err != nil || again != canonical {
			t.Errorf("%q with %q: first %s, then %s (%v)", args, patch, canonical, again, err)
		}
	})
}
