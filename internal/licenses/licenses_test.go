package licenses_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/internal/licenses"
)

func TestWhatIsInTheProgramComesWithItsLicence(t *testing.T) {
	var b strings.Builder
	if err := licenses.Write(&b); err != nil {
		t.Fatal(err)
	}
	// Its own, Go's, a module's and a package's of the dashboard.
	for _, part := range []string{"\nLineclear\n", "Apache License", "\nGo go1.", "github.com/gorilla/websocket v1.5.3\n", "\n@mantine/core@"} {
		if !strings.Contains("\n"+b.String(), part) {
			t.Errorf("it lacks %q", part)
		}
	}
}
