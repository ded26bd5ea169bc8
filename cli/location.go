package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
)

const defaultConfig = "agents.yaml"

// location says where a gateway's data is, by configuration file or folder.
type location struct{ config, data string }

func (p *location) flags(c *cobra.Command) {
	c.PersistentFlags().StringVarP(&p.config, "config", "c", defaultConfig, "the configuration file, which names the data folder")
	c.PersistentFlags().StringVar(&p.data, "data", "", "the data folder, instead of the configuration's")
}

// paths returns the data folder and the file of the audit log's key.
func (p *location) paths() (data, key string, err error) {
	g, err := p.gateway()
	return g.Data, g.AuditKey, err
}

// gateway returns what the configuration says of the process itself.
func (p *location) gateway() (g config.Gateway, err error) {
	c := &config.Config{Gateway: config.Gateway{Data: p.data, DataSet: true}}
	_, missing := os.Stat(p.config)
	if p.data == "" || p.config != defaultConfig || missing == nil {
		if c, err = config.Load(p.config); err != nil {
			return g, err
		}
		if p.data != "" {
			c.Gateway.Data, c.Gateway.DataSet = p.data, true
		}
	}
	if err = gateway.Resolve(&c.Gateway); err == nil {
		err = gateway.CheckOldData(c)
	}
	return c.Gateway, err
}
