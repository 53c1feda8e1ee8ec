package chassis

import (
	"encoding/binary"
	"strings"
	"syscall"
	"testing"
)

// answer is a message of the kernel with a number after its header.
func answer(kind uint16, number int32) []byte {
	b := make([]byte, syscall.NLMSG_HDRLEN+4)
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], kind)
	binary.NativeEndian.PutUint32(b[syscall.NLMSG_HDRLEN:], uint32(number))
	return b
}

func TestUnderstand(t *testing.T) {
	for name, test := range map[string]struct {
		answer []byte
		has    bool
		fails  string
	}{
		"a family":  {answer(controller, 0), true, ""},
		"no family": {answer(syscall.NLMSG_ERROR, -int32(syscall.ENOENT)), false, ""},
		"a refusal": {answer(syscall.NLMSG_ERROR, -int32(syscall.EPERM)), false, "operation not permitted"},
		"nothing":   {nil, false, "too short"},
	} {
		t.Run(name, func(t *testing.T) {
			has, err := understand(test.answer)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if has != test.has || (text == "") != (test.fails == "") || !strings.Contains(text, test.fails) {
				t.Errorf("got %t and %q, want %t and %q", has, text, test.has, test.fails)
			}
		})
	}
}

// The controller of generic netlink knows itself; a kernel that is asked in the wrong form says so.
func TestKernelUnderstandsTheQuestion(t *testing.T) {
	if _, err := kernelHas(); err != nil {
		t.Error(err)
	}
}
