// Package capture is what a cloud was made of: the objects of its namespace, as kubectl lists them.
package capture

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Cloud has the objects of one namespace.
type Cloud struct {
	Namespace  string
	Pods       []*corev1.Pod
	Services   []*corev1.Service
	Secrets    map[string]*corev1.Secret
	ConfigMaps map[string]*corev1.ConfigMap
	// Resources are those of OpenStack, and whatever else there is.
	Resources []*unstructured.Unstructured
}

// Read takes the objects of a namespace from all lists in a folder.
func Read(folder, namespace string) (*Cloud, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("reading %s: it has no lists in JSON", folder)
	}
	c := &Cloud{Namespace: namespace, Secrets: map[string]*corev1.Secret{}, ConfigMaps: map[string]*corev1.ConfigMap{}}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("reading objects: %w", err)
		}
		if err := c.add(data); err != nil {
			return nil, fmt.Errorf("reading %s: %w", f, err)
		}
	}
	if len(c.Pods) == 0 {
		return nil, fmt.Errorf("reading %s: no pod is in namespace %s", folder, namespace)
	}
	return c, nil
}

// add takes what a list has of the namespace. An object that comes twice counts once.
func (c *Cloud) add(data []byte) error {
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for _, item := range list.Items {
		var head metav1.PartialObjectMetadata
		if err := json.Unmarshal(item, &head); err != nil {
			return err
		}
		if head.Namespace != c.Namespace {
			continue
		}
		if err := c.take(head.Kind, item); err != nil {
			return fmt.Errorf("%s %s: %w", head.Kind, head.Name, err)
		}
	}
	return nil
}

func (c *Cloud) take(kind string, item []byte) error {
	switch kind {
	case "Pod":
		return read(item, func(p *corev1.Pod) {
			if !slices.ContainsFunc(c.Pods, func(o *corev1.Pod) bool { return o.Name == p.Name }) {
				c.Pods = append(c.Pods, p)
			}
		})
	case "Service":
		// OpenStack has services, too.
		u := &unstructured.Unstructured{}
		if err := json.Unmarshal(item, &u.Object); err != nil {
			return err
		}
		if u.GetAPIVersion() == "v1" {
			return read(item, func(s *corev1.Service) { c.Services = append(c.Services, s) })
		}
		c.Resources = append(c.Resources, u)
		return nil
	case "Secret":
		return read(item, func(s *corev1.Secret) { c.Secrets[s.Name] = s })
	case "ConfigMap":
		return read(item, func(m *corev1.ConfigMap) { c.ConfigMaps[m.Name] = m })
	}
	return read(item, func(m *map[string]any) {
		c.Resources = append(c.Resources, &unstructured.Unstructured{Object: *m})
	})
}

func read[T any](item []byte, then func(*T)) error {
	o := new(T)
	err := json.Unmarshal(item, o)
	if err == nil {
		then(o)
	}
	return err
}

// Of are the resources of a kind of one of our groups, by name.
func (c *Cloud) Of(group, kind string) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, u := range c.Resources {
		if k := u.GroupVersionKind(); k.Group == group && k.Kind == kind {
			out = append(out, u)
		}
	}
	slices.SortFunc(out, func(a, b *unstructured.Unstructured) int { return compare(a.GetName(), b.GetName()) })
	return out
}

// Made are the Secrets that an object of a kind controls, by name.
func (c *Cloud) Made(kind string) []*corev1.Secret {
	var out []*corev1.Secret
	for _, s := range c.Secrets {
		if by := metav1.GetControllerOf(s); by != nil && by.Kind == kind {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *corev1.Secret) int { return compare(a.Name, b.Name) })
	return out
}

func compare(a, b string) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}
