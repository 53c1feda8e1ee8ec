package neutron

// policyFile lies beside the configuration file.
const policyFile = "policy.yaml"

// policy lets services, such as Nova, say whose a port is: by the role that they have for each other they may change a
// port and its host. neutron-lib 3.18.2 checks the attribute device_id, too (api/definitions/port.py), for which
// Neutron 26.0.3 has no rule (conf/policies/port.py), so that the default one would hold, which knows owners only.
//
// Nova also reads what a port is part of (network/neutron.py): without its subnets and floating IPs a server shows no
// addresses, without resource_request it is placed where its guaranteed bandwidth is not, and without provider
// attributes a physical network is not found. Neutron shows these to administrators and owners; Nova is neither.
const policy = `"create_port:device_id": "rule:admin_or_owner or rule:service_api"
"update_port:device_id": "rule:admin_or_owner or rule:service_api"
"get_subnet": >-
  rule:admin_only or rule:service_api or rule:shared or rule:external_network or
  (role:reader and project_id:%(project_id)s) or (role:reader and rule:network_owner)
"get_floatingip": "rule:admin_only or rule:service_api or (role:reader and project_id:%(project_id)s)"
"get_network:segments": "rule:admin_only or rule:service_api"
"get_network:provider:network_type": "rule:admin_only or rule:service_api"
"get_network:provider:physical_network": "rule:admin_only or rule:service_api"
"get_network:provider:segmentation_id": "rule:admin_only or rule:service_api"
"get_port:resource_request": "rule:admin_only or rule:service_api"
`

func files(*neutron) map[string][]byte {
	return map[string][]byte{policyFile: []byte(policy), programFile: program, ringModule + ".py": ring}
}
