package resources_test

import (
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"
)

// QEMU pauses a guest whose disk cannot be written, and Nova calls the server ACTIVE all the same: nobody who reads its
// object may take it for one that works. While Nova is at work with a guest, a pause is part of the work.
func TestServerThatItsHypervisorPausedIsNotReady(t *testing.T) {
	s := stage(t, nil, good(namespace("default"), one("Flavor", "default", "small",
		"resource: {ram: 128, vcpus: 1, disk: 0}"), one("Server", "default", "web",
		"resource: {flavorRef: {name: small}, imageRef: {id: 11111111-2222-4333-8444-555555555555}}"))...)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		shows := func(power int, task any) {
			cloudOf(p).Put("Server", map[string]any{"id": cloudOf(p).IDs("Server")[0], "status": "ACTIVE",
				"OS-EXT-STS:power_state": power, "OS-EXT-STS:task_state": task})
			p.Pass(5 * time.Minute)
		}
		for _, task := range []any{"image_snapshot", "reboot_started_hard"} {
			shows(3, task)
			p.Ready()
		}
		shows(3, nil)
		if c := p.Condition("Server/web", "Ready"); c.Status != "False" || !strings.Contains(c.Message,
			"in state ACTIVE, but its hypervisor has paused it") || !strings.Contains(c.Message, "reboot the server hard") {
			t.Errorf("while the hypervisor pauses the guest Ready is %s, %s: %s", c.Status, c.Reason, c.Message)
		}
		shows(1, nil)
		p.Ready()
	})
}
