"""Lets the API start without a Ceph, and take images once it is there.

Facts of glance_store 4.9 (_drivers/rbd.py, configure_add and _set_url_prefix; driver.py, configure): the driver connects
when it is configured, to learn the cluster's id, which nothing but a list of stores for administrators shows. While it
waits, the API does not start; when the Ceph is not there, the driver refuses all images until the API is started again.
With this module the id is asked for when somebody wants to know it.
"""


def change(rbd):
    store = rbd.Store
    ask = store._set_url_prefix

    def prefix(self):
        if self._url_prefix is None:
            try:
                ask(self)
            except Exception as e:
                rbd.LOG.warning("The id of the Ceph of store %s is not known: %r", self.backend_group, e)
                return "rbd://"
        return self._url_prefix

    store._set_url_prefix = lambda self: None
    store.url_prefix = property(prefix)


try:
    from glance_store._drivers import rbd
    change(rbd)
except Exception as e:
    # uwsgi goes on without a module that cannot be imported, but not without its worker.
    raise SystemExit(f"the driver of Ceph is not the one that is known: {e!r}")
