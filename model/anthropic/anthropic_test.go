package anthropic_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/anthropic"
	"github.com/lineclear/lineclear/model/modeltest"
	"github.com/lineclear/lineclear/model/remote"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheContractOfModels(t *testing.T) {
	modeltest.Run(t, modeltest.Provider{Name: "anthropic", Wire: modeltest.Messages, New: func(o remote.Options) (model.Model, error) { return anthropic.New(o) }})
}
