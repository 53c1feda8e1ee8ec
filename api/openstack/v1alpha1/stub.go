package v1alpha1

import "k8s.io/apimachinery/pkg/runtime"

func New(kind string) func() Object { return nil }
func resourceTypes() []runtime.Object { return nil }
func (in *Cloud) DeepCopyObject() runtime.Object { return in }
func (in *CloudList) DeepCopyObject() runtime.Object { return in }
func (in *ClusterCloud) DeepCopyObject() runtime.Object { return in }
func (in *ClusterCloudList) DeepCopyObject() runtime.Object { return in }
