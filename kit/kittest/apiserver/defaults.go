package apiserver

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// defaults sets the defaults of built-in kinds that controllers, gates and people look at.
func (k *kind) defaults(u *unstructured.Unstructured) {}
