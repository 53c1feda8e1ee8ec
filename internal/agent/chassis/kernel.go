package chassis

import (
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"
)

// family is the name by which the kernel's module answers over generic netlink.
const family = "ovs_datapath"

// Numbers of generic netlink, from linux/genetlink.h.
const (
	protocolGeneric = 16 // NETLINK_GENERIC
	controller      = 16 // GENL_ID_CTRL
	getFamily       = 3  // CTRL_CMD_GETFAMILY
	familyName      = 2  // CTRL_ATTR_FAMILY_NAME
)

// kernelHas asks the kernel for its module openvswitch. The question has it loaded on the node, where there is one.
func kernelHas() (bool, error) {
	s, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, protocolGeneric)
	if err != nil {
		return false, fmt.Errorf("asking the kernel for %s: %w", family, err)
	}
	defer func() { _ = syscall.Close(s) }()
	kernel := &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}
	if err := syscall.Sendto(s, question(), 0, kernel); err != nil {
		return false, fmt.Errorf("asking the kernel for %s: %w", family, err)
	}
	answer := make([]byte, 8192)
	n, _, err := syscall.Recvfrom(s, answer, 0)
	if err != nil {
		return false, fmt.Errorf("asking the kernel for %s: %w", family, err)
	}
	return understand(answer[:n])
}

// question is a request for the number of the family.
func question() []byte {
	name := append([]byte(family), 0)
	size := syscall.NLMSG_HDRLEN + 4 + 4 + len(name)
	b := make([]byte, 0, size+3)
	b = binary.NativeEndian.AppendUint32(b, uint32(size))
	b = binary.NativeEndian.AppendUint16(b, controller)
	b = binary.NativeEndian.AppendUint16(b, syscall.NLM_F_REQUEST)
	b = append(b, 1, 0, 0, 0, 0, 0, 0, 0) // sequence and port
	b = append(b, getFamily, 1, 0, 0)     // command and version
	b = binary.NativeEndian.AppendUint16(b, uint16(4+len(name)))
	b = binary.NativeEndian.AppendUint16(b, familyName)
	return append(b, name...)
}

// understand reads the kernel's answer: a family, or an error that says that there is none.
func understand(b []byte) (bool, error) {
	if len(b) < syscall.NLMSG_HDRLEN+4 {
		return false, errors.New("asking the kernel for its datapath: the answer is too short")
	}
	if binary.NativeEndian.Uint16(b[4:]) != syscall.NLMSG_ERROR {
		return true, nil
	}
	code := syscall.Errno(-int32(binary.NativeEndian.Uint32(b[syscall.NLMSG_HDRLEN:])))
	if code == syscall.ENOENT {
		return false, nil
	}
	return false, fmt.Errorf("asking the kernel for %s: %w", family, code)
}
