package ovs_test

import (
	"bufio"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"stackwright.dev/stackwright/internal/agent/ovs"
)

// daemon answers one request after the other with what is given, and tells what it was asked.
func daemon(t *testing.T, answer string) (socket string, asked <-chan string) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "daemon.ctl")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	lines := make(chan string, 8)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			line, _ := bufio.NewReader(c).ReadString('\n')
			lines <- line
			_, _ = c.Write([]byte(answer))
			_ = c.Close()
		}
	}()
	return socket, lines
}

func TestAsk(t *testing.T) {
	for name, c := range map[string]struct{ answer, want, err string }{
		"an answer": {`{"id":0,"result":"Status: active\n","error":null}`, "Status: active", ""},
		"nothing":   {`{"id":0,"result":null,"error":null}`, "", ""},
		"a refusal": {`{"id":0,"result":null,"error":"unknown cluster\n"}`, "", "unknown cluster"},
		"garbage":   {`<html>`, "", "reading the answer to status"},
		"hangs up":  {``, "", "reading the answer to status"},
	} {
		t.Run(name, func(t *testing.T) {
			socket, asked := daemon(t, c.answer)
			got, err := ovs.Ask(t.Context(), socket, "status", "OVN_Northbound")
			if got != c.want || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %q and %v, want %q and %q", got, err, c.want, c.err)
			}
			if q := <-asked; !strings.Contains(q, `"method":"status"`) || !strings.Contains(q, `"params":["OVN_Northbound"]`) {
				t.Errorf("the daemon was asked %s", q)
			}
		})
	}
}
