package hookclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/hookclient"
)

// A deploy script asks a person before it goes on. Nothing is allowed unless the
// error is nil and Allowed is true.
func ExampleAsk() {
	d, err := hookclient.Ask(context.Background(), hookclient.Request{
		SessionID: "deploy-2026-11-20",
		Agent:     "deploy-bot",
		ToolName:  "deploy",
		ToolInput: json.RawMessage(`{"service": "api", "version": "1.4.2", "to": "production"}`),
		CWD:       "/srv/api",
		Timeout:   2 * time.Minute,
		Socket:    "/nowhere/broker.sock", // leave it out to ask the usual console
	})
	switch {
	case errors.Is(err, hookclient.ErrNoConsole):
		fmt.Println("not deploying: nobody is watching")
	case err != nil:
		fmt.Println("not deploying:", err)
	case !d.Allowed:
		fmt.Println("not deploying:", d.Reason)
	default:
		fmt.Println("deploying")
	}
	// Output: not deploying: nobody is watching
}
