//go:build e2e

package story

import (
	"os/exec"
	"testing"
)

// What tests leave that were broken off is taken away, and what others are in is not.
func TestFence(t *testing.T) {
	const name, address = "sw-fence", "10.213.77.1/24"
	t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", name).Run() })
	for range 2 {
		if err := fence(name, address); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "ip", "netns", "exec", name, "cat")
	end, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := end.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // it is inside
		t.Fatal(err)
	}
	if err := fence(name, address); err == nil {
		t.Error("a namespace in which a program runs was taken")
	}
	if err := end.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("the program inside: %v", err)
	}
}
