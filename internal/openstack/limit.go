package openstack

import "cmp"

// Limit is what one service of one cloud is asked to do at most. Zero fields take the default.
type Limit struct {
	// Rate is how many requests a second are sent in the long run, 20 by default.
	Rate float64
	// Burst is how many may go at once after a rest, 40 by default.
	Burst int
	// Parallel is how many may be under way, 10 by default; it is the upper bound of a window that shrinks under
	// pressure.
	Parallel int
}

// Limits are limits by type of service; that of "" is for services that are not named.
type Limits map[string]Limit

// of returns the limit of a service, with defaults.
func (l Limits) of(service string) Limit {
	own, all := l[service], l[""]
	return Limit{
		Rate:     cmp.Or(own.Rate, all.Rate, 20),
		Burst:    cmp.Or(own.Burst, all.Burst, 40),
		Parallel: cmp.Or(own.Parallel, all.Parallel, 10),
	}
}

// canonical checks the limits and names them by the official types of services.
func (l Limits) canonical() (Limits, error) {
	out := Limits{}
	for name, v := range l {
		if !(v.Rate >= 0 && v.Rate <= maxRate) || v.Burst < 0 || v.Parallel < 0 {
			return nil, refuse("the limits of service %q make no sense; leave out what takes the default", name)
		}
		out[official(name)] = v
	}
	return out, nil
}

const maxRate = 1e6
