package descriptor_test

import (
	"testing"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

func TestSpecNames(t *testing.T) {
	for want, f := range map[string]d.Field{
		"adminStateUp":      {API: "admin_state_up"},
		"macAddress":        {API: "mac_address"},
		"fixedIP":           {API: "fixed_ip"},
		"remoteIPPrefix":    {API: "remote_ip_prefix"},
		"enableDHCP":        {API: "enable_dhcp"},
		"bindingProfile":    {API: "binding:profile"},
		"segmentationID":    {API: "segmentation_id"},
		"networkRef":        {API: "network_id", Ref: "Network"},
		"objectRef":         {API: "object_id", RefBy: "object_type"},
		"securityGroupRefs": {API: "security_group_ids", Type: d.Strings, Ref: "SecurityGroup"},
		"payloadRef":        {API: "payload", Type: d.Secret},
		"subports":          {API: "sub_ports", As: "subports"},
	} {
		if got := f.Spec(); got != want {
			t.Errorf("%s is %s in specs, not %s", f.API, got, want)
		}
	}
}
