package neutron

// policyFile lies beside the configuration file.
const policyFile = "policy.yaml"

// policy lets services, such as Nova, say whose a port is: by the role that they have for each other they may change a
// port and its host. neutron-lib 3.18.2 checks the attribute device_id, too (api/definitions/port.py), for which
// Neutron 26.0.3 has no rule (conf/policies/port.py), so that the default one would hold, which knows owners only.
const policy = `"create_port:device_id": "rule:admin_or_owner or rule:service_api"
"update_port:device_id": "rule:admin_or_owner or rule:service_api"
`

func files(*neutron) map[string][]byte { return map[string][]byte{policyFile: []byte(policy)} }
