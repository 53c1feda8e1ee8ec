package v1alpha1

// Ceph says by whom and where a Ceph is used. Any Ceph is given the same way: by a Secret in the same namespace with
// ceph.conf, keyring, user, key and fsid, as a DevCeph makes it for each of its clients. Those that Rook makes are
// understood, too, those of a CephClient as well as those for CSI; they do not say where the monitors are.
type Ceph struct {
	// Secret names the Secret with the key of the user.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Secret string `json:"secret"`
	// Pool that is used.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Pool string `json:"pool"`
	// User is the name of the user, without client. at its beginning; empty takes the one that the Secret names.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	User string `json:"user,omitempty"`
	// Monitors are where Ceph is reached, such as 10.0.0.1:3300; empty takes them from ceph.conf of the Secret.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=9
	// +kubebuilder:validation:items:MaxLength=260
	Monitors []string `json:"monitors,omitempty"`
}
