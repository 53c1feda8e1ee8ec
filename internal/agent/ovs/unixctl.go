// Package ovs has what agents need of the daemons of Open vSwitch and OVN: the socket by which they are controlled, and
// an agent that supervises one.
package ovs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// askWithin is how long a daemon may take to answer.
const askWithin = 5 * time.Second

// Ask gives a daemon a command over its control socket, as ovs-appctl does (JSON-RPC 1.0, ovs-appctl(8) and RFC 7047),
// and returns its answer without spaces around it.
func Ask(ctx context.Context, socket, command string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return "", fmt.Errorf("asking for %s: %w", command, err)
	}
	defer c.Close()
	deadline, _ := ctx.Deadline()
	_ = c.SetDeadline(deadline)
	if args == nil {
		args = []string{}
	}
	q := map[string]any{"id": 0, "method": command, "params": args}
	if err := json.NewEncoder(c).Encode(q); err != nil {
		return "", fmt.Errorf("asking for %s: %w", command, err)
	}
	var a struct {
		Result any `json:"result"`
		Error  any `json:"error"`
	}
	if err := json.NewDecoder(c).Decode(&a); err != nil {
		return "", fmt.Errorf("reading the answer to %s: %w", command, err)
	}
	if why, ok := a.Error.(string); ok {
		return "", errors.New(strings.TrimSpace(why))
	}
	answer, _ := a.Result.(string)
	return strings.TrimSpace(answer), nil
}
