package approval_test

import (
	"testing"

	"github.com/lineclear/lineclear/approval/approvaltest"
)

func TestMemoryKeepsTheContract(t *testing.T) { approvaltest.Run(t, approvaltest.Memory) }
