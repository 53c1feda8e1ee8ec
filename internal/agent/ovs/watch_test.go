package ovs_test

import (
	"context"
	"strings"
	"testing"

	"stackwright.dev/stackwright/internal/agent/ovs"
)

// A daemon is asked to end as its configuration says, and is sent a signal when it refuses.
func TestExit(t *testing.T) {
	for name, test := range map[string]struct{ exit, want string }{
		"its own way": {"--restart", `"method":"exit","params":["--restart"]`},
		"by a signal": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			socket, asked := daemon(t, `{"id":0,"result":null,"error":"not now"}`)
			ctx, stop := context.WithCancel(t.Context())
			stop()
			err := ovs.Run(ctx, ovs.Config{Socket: socket, Exit: test.exit, HealthAddr: "127.0.0.1:0",
				Daemon: []string{"sleep", "60"}})
			if err != nil {
				t.Fatal(err)
			}
			var got string
			select {
			case got = <-asked:
			default:
			}
			if !strings.Contains(got, test.want) || got != "" && test.want == "" {
				t.Errorf("the daemon was asked %q, want %q", got, test.want)
			}
		})
	}
}
