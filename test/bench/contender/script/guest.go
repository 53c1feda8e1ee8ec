package script

// Guest is the first server and all that it needs to be one, as the demo of stackwright up has them, in one batch.
func Guest(disk, script string) string {
	return lines([][]string{
		{"image", "create", "--disk-format", "raw", "--container-format", "bare", "--file", disk, "guest"},
		{"project", "create", "demo"},
		{"flavor", "create", "--ram", "128", "--vcpus", "1", "--disk", "0", "tiny"},
		{"network", "create", "--external", "--provider-network-type", "flat", "--provider-physical-network", "public",
			"public"},
		{"subnet", "create", "--network", "public", "--subnet-range", "203.0.113.0/24", "--gateway", "203.0.113.1",
			"--no-dhcp", "--allocation-pool", "start=203.0.113.50,end=203.0.113.250", "public"},
		{"network", "create", "web"},
		{"subnet", "create", "--network", "web", "--subnet-range", "192.168.7.0/24", "web"},
		{"router", "create", "web"},
		{"router", "set", "--external-gateway", "public", "web"},
		{"router", "add", "subnet", "web", "web"},
		{"security", "group", "create", "web"},
		{"security", "group", "rule", "create", "--protocol", "icmp", "--ingress", "web"},
		{"security", "group", "rule", "create", "--protocol", "tcp", "--dst-port", "80", "--ingress", "web"},
		{"port", "create", "--network", "web", "--security-group", "web", "web"},
		{"server", "create", "--flavor", "tiny", "--image", "guest", "--port", "web", "--user-data", script, "--wait",
			"web"},
	}...)
}
