package chassis

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
)

// nics are the links of a node and their addresses.
type nics interface {
	// address is the first one of a link that others can reach, with its prefix length; empty when it has none.
	address(link string) (string, error)
	// give brings a link up and gives it an address, unless that is empty.
	give(ctx context.Context, link, address string) error
	// take takes an address from a link, if there is one.
	take(ctx context.Context, link, address string) error
	// down are the taps that are down.
	down() ([]string, error)
}

// links are those of the machine, which ip(8) changes.
type links struct{ run runner }

func (l links) look(name string) (*net.Interface, []string, error) {
	i, err := net.InterfaceByName(name)
	if err != nil {
		return nil, nil, fmt.Errorf("looking at link %s: %w", name, err)
	}
	list, err := i.Addrs()
	if err != nil {
		return nil, nil, fmt.Errorf("looking at link %s: %w", name, err)
	}
	var out []string
	for _, a := range list {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			out = append(out, n.String())
		}
	}
	return i, out, nil
}

func (l links) address(name string) (string, error) {
	_, all, err := l.look(name)
	if err != nil || len(all) == 0 {
		return "", err
	}
	return all[0], nil
}

func (l links) give(ctx context.Context, name, address string) error {
	i, have, err := l.look(name)
	if err != nil {
		return err
	}
	if i.Flags&net.FlagUp == 0 {
		if _, err := l.run(ctx, "ip", "link", "set", name, "up"); err != nil {
			return err
		}
	}
	if address == "" || slices.Contains(have, address) {
		return nil
	}
	_, err = l.run(ctx, "ip", "address", "replace", address, "dev", name)
	return err
}

func (l links) take(ctx context.Context, name, address string) error {
	all, err := net.Interfaces()
	if err != nil {
		return fmt.Errorf("looking for link %s: %w", name, err)
	}
	if !slices.ContainsFunc(all, func(i net.Interface) bool { return i.Name == name }) {
		return nil
	}
	_, have, err := l.look(name)
	if err != nil || !slices.Contains(have, address) {
		return err
	}
	_, err = l.run(ctx, "ip", "address", "delete", address, "dev", name)
	return err
}

func (l links) down() ([]string, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("listing links: %w", err)
	}
	var out []string
	for _, i := range all {
		if strings.HasPrefix(i.Name, "tap") && i.Flags&net.FlagUp == 0 {
			out = append(out, i.Name)
		}
	}
	return out, nil
}
