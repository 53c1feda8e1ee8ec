package v1alpha1

import servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"

// OVNChassisConfig is what Open vSwitch and ovn-controller find in the table Open_vSwitch of a node's own database:
// column, key, value. See ovs-vswitchd.conf.db(5) for other_config, and ovn-controller(8) for external_ids. A value is
// a string, a number or a boolean.
// +kubebuilder:validation:MaxProperties=4
type OVNChassisConfig map[string]servicev1.Options
