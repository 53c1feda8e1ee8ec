package cache

import (
	"container/list"
	"context"
	"fmt"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
)

// contentBytes is how much content of Secrets and ConfigMaps the store holds at most.
const contentBytes = 16 << 20

// contents holds the data of Secrets and ConfigMaps that controllers refer to, read by name when the version that the
// metadata cache shows has moved. Nothing else of their content is ever in memory.
type contents struct {
	mu    sync.Mutex
	order *list.List
	byUID map[types.UID]*list.Element
	bytes int
}

type content struct {
	uid     types.UID
	version string
	data    map[string][]byte
	size    int
}

// Getter reads objects past the cache.
type Getter interface {
	Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error
}

// Content returns the data of a Secret or ConfigMap whose record is given. It asks the API server only when the
// record's version is one it has not read. A vanished object gives nil.
func (s *Store) Content(ctx context.Context, reader Getter, kind string, record client.Object) (map[string][]byte,
	error) {
	if c := s.contents.get(record.GetUID(), record.GetResourceVersion()); c != nil {
		return c.data, nil
	}
	key := client.ObjectKeyFromObject(record)
	c := &content{data: map[string][]byte{}}
	var err error
	switch kind {
	case "Secret":
		sec := &corev1.Secret{}
		err = reader.Get(ctx, key, sec)
		c.uid, c.version, c.data = sec.UID, sec.ResourceVersion, sec.Data
	case "ConfigMap":
		cm := &corev1.ConfigMap{}
		err = reader.Get(ctx, key, cm)
		c.uid, c.version = cm.UID, cm.ResourceVersion
		for k, v := range cm.Data {
			c.data[k] = []byte(v)
		}
		maps.Copy(c.data, cm.BinaryData)
	default:
		return nil, fmt.Errorf("kind %s has no content; only Secrets and ConfigMaps do", kind)
	}
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", kind, key.Name, err)
	}
	if c.data == nil {
		c.data = map[string][]byte{}
	}
	s.contents.put(c)
	return c.data, nil
}

func (c *contents) get(uid types.UID, version string) *content {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byUID[uid]
	if e == nil || e.Value.(*content).version != version {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*content)
}

func (c *contents) put(n *content) {
	for k, v := range n.data {
		n.size += len(k) + len(v)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.order == nil {
		c.order, c.byUID = list.New(), map[types.UID]*list.Element{}
	}
	if old := c.byUID[n.uid]; old != nil {
		c.drop(old)
	}
	c.byUID[n.uid] = c.order.PushFront(n)
	c.bytes += n.size
	for c.bytes > contentBytes && c.order.Len() > 1 {
		c.drop(c.order.Back())
	}
}

func (c *contents) drop(e *list.Element) {
	n := c.order.Remove(e).(*content)
	delete(c.byUID, n.uid)
	c.bytes -= n.size
}

// ours selects the objects that any kit controller made.
func ours() labels.Selector {
	r, err := labels.NewRequirement(apply.LabelPartOf, selection.Exists, nil)
	if err != nil {
		return labels.Everything() // cannot happen: the label is a constant
	}
	return labels.NewSelector().Add(*r)
}
