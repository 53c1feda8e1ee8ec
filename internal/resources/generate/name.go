package main

import (
	"strings"
	"unicode"
)

// initialisms are words that Go writes in capitals, or in a way of their own.
var initialisms = map[string]string{
	"api": "API", "arp": "ARP", "cidr": "CIDR", "cpu": "CPU", "dhcp": "DHCP", "dns": "DNS", "dscp": "DSCP", "gb": "GB",
	"ha": "HA", "http": "HTTP", "https": "HTTPS", "id": "ID", "io": "IO", "iops": "IOPS", "ip": "IP", "ips": "IPs",
	"ipv4": "IPv4", "ipv6": "IPv6", "kbps": "KBPS", "l7": "L7", "mac": "MAC", "mb": "MB", "mtu": "MTU", "os": "OS",
	"qos": "QoS", "ram": "RAM", "rbac": "RBAC", "snat": "SNAT", "sni": "SNI", "tls": "TLS", "ttl": "TTL", "uri": "URI",
	"url": "URL", "uuid": "UUID", "vcpus": "VCPUs", "vip": "VIP", "vlan": "VLAN", "vnic": "VNIC",
}

// goName is the Go name of a field that is camel case in spec.resource.
func goName(spec string) string {
	var b strings.Builder
	for _, w := range words(spec) {
		if s, ok := initialisms[strings.ToLower(w)]; ok {
			b.WriteString(s)
			continue
		}
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

// words splits camel case. A run of capitals is one word, but that its last begins the next one when a small letter
// follows: remoteIPPrefix is remote, IP, Prefix.
func words(camel string) []string {
	var list []string
	runes, start := []rune(camel), 0
	for i := 1; i < len(runes); i++ {
		small := !unicode.IsUpper(runes[i-1])
		begins := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if unicode.IsUpper(runes[i]) && (small || begins) {
			list, start = append(list, string(runes[start:i])), i
		}
	}
	return append(list, string(runes[start:]))
}
