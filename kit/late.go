package kit

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// unserved is how often a kind is asked for that the API server did not serve when the manager was made.
const unserved = 10 * time.Second

// late is the source of a kind that is not served yet. Nobody waits for it: a definition that somebody has removed does
// not keep the objects of others, nor those that go with it, from being looked after.
func late(src source.Source, l logr.Logger, connect func(context.Context) error) source.Source {
	return source.Func(func(ctx context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		l.Info("a kind is not served; its definition is waited for")
		go func() {
			for connect(ctx) != nil {
				select {
				case <-ctx.Done():
					return
				case <-time.After(unserved):
				}
			}
			if err := src.Start(ctx, q); err != nil {
				l.Error(err, "watching a kind that is served late")
			}
		}()
		return nil
	})
}

// lenient has a cache made with settings for kinds that are not served, which it refuses otherwise, although none of
// ours depend on whether a kind has namespaces. What it returns is called once it is made.
func lenient(o *manager.Options) (made func()) {
	provide := o.MapperProvider
	if provide == nil {
		provide = apiutil.NewDynamicRESTMapper
	}
	strict := &atomic.Bool{}
	o.MapperProvider = func(cfg *rest.Config, c *http.Client) (meta.RESTMapper, error) {
		m, err := provide(cfg, c)
		return guess{m, strict}, err
	}
	return func() { strict.Store(true) }
}

// guess is a mapper that until it is strict takes kinds that it does not know for ones with namespaces.
type guess struct {
	meta.RESTMapper
	strict *atomic.Bool
}

// RESTMapping returns the resource of a kind.
func (g guess) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	m, err := g.RESTMapper.RESTMapping(gk, versions...)
	if meta.IsNoMatchError(err) && !g.strict.Load() {
		return &meta.RESTMapping{Scope: meta.RESTScopeNamespace}, nil
	}
	return m, err
}
