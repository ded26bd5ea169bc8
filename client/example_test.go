package client_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/lineclear/lineclear/client"
)

// A program on the gateway's machine takes back everything that is remembered.
func Example() {
	c, err := client.Local("/srv/lineclear/data")
	if errors.Is(err, client.ErrNotRunning) {
		fmt.Println("start the gateway first")
		return
	}
	ctx := context.Background()
	grants, err := c.Grants(ctx, "", false)
	for _, g := range grants {
		_, err = c.Revoke(ctx, g.ID)
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output: start the gateway first
}
