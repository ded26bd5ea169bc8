package terminal

import (
	"io"
	"os"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
)

var colours = map[approval.RiskLevel]mask.Colour{approval.RiskMedium: mask.Yellow, approval.RiskHigh: mask.Red, approval.RiskCritical: mask.BoldRed}

// WriteRisk writes a text in the colour of a risk, where w is a terminal that shows colours and
// NO_COLOR is not set.
func WriteRisk(w io.Writer, level approval.RiskLevel, text string) error {
	clean, ok := w.(*mask.Writer)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !Interactive(FileOf(w)) {
		_, err := io.WriteString(w, text)
		return err
	}
	return clean.WriteIn(colours[level], text)
}
