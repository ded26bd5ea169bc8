package cli

import (
	"cmp"
	"os"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
)

const defaultConfig = "agents.yaml"

// The variables that name the configuration file and the data folder where no flag does.
const (
	configVariable = "LINECLEAR_CONFIG"
	dataVariable   = "LINECLEAR_DATA"
)

// location says where a gateway's data is, by configuration file or folder. Flags count before
// the environment: with either of them, no variable does.
type location struct {
	config, data string

	changed func(flag string) bool // whether it is on the command line
}

func (p *location) flags(c *cobra.Command) {
	configFlag(c, &p.config)
	p.changed = c.PersistentFlags().Changed
	c.PersistentFlags().StringVar(&p.data, "data", "", "the data folder, instead of the configuration's; or set "+dataVariable)
}

// configFlag adds --config.
func configFlag(c *cobra.Command, path *string) {
	c.PersistentFlags().StringVarP(path, "config", "c", cmp.Or(os.Getenv(configVariable), defaultConfig), "the configuration file, which names the data folder; or set "+configVariable)
}

// folder is the data folder that a flag or a variable names, if one does.
func (p *location) folder() string {
	if p.data == "" && !p.changed("config") {
		return os.Getenv(dataVariable)
	}
	return p.data
}

// named reports whether anything says which gateway is meant.
func (p *location) named() bool {
	_, missing := os.Stat(p.config)
	return p.folder() != "" || p.config != defaultConfig || missing == nil
}

// load reads the configuration, with the data folder that was named instead.
func (p *location) load() (*config.Config, error) {
	c, err := config.Load(p.config)
	if data := p.folder(); err == nil && data != "" {
		c.Gateway.Data, c.Gateway.DataSet = data, true
	}
	return c, err
}

// paths returns the data folder and the file of the audit log's key.
func (p *location) paths() (data, key string, err error) {
	g, err := p.gateway()
	return g.Data, g.AuditKey, err
}

// gateway returns what the configuration says of the process itself.
func (p *location) gateway() (g config.Gateway, err error) {
	c := &config.Config{Gateway: config.Gateway{Data: p.folder(), DataSet: true}}
	if _, missing := os.Stat(p.config); missing == nil || p.config != defaultConfig || c.Gateway.Data == "" {
		if c, err = p.load(); err != nil {
			return g, err
		}
	}
	if err = gateway.Resolve(&c.Gateway); err == nil {
		err = gateway.CheckOldData(c)
	}
	return c.Gateway, err
}
