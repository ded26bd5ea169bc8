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

// A program prints what is asked, as long as the gateway can be reached again.
func ExampleClient_Events() {
	c, err := client.Local("/srv/lineclear/data")
	if err != nil {
		fmt.Println("start the gateway first")
		return
	}
	for e, err := range c.Events(context.Background(), "", 0) {
		switch {
		case errors.Is(err, client.ErrReconnecting): // to go on is to try again
		case err != nil:
			fmt.Println(err)
		case e.Name == "approvalRequest":
			fmt.Println(string(e.Data))
		}
	}
	// Output: start the gateway first
}
