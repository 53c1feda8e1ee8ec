"""Makes a cache that does not answer count as empty.

oslo.cache speaks TLS to memcached through dogpile's pymemcache backend only, and that backend raises an error for each
request while a server is away, and waits without an end for one that hangs. Loading this module, as an entry of
[cache] proxies, changes the backend before its first connection: errors are misses, an answer takes half a second at
most, and a server that failed is left out for ten seconds.
"""
from dogpile.cache import proxy
from dogpile.cache.backends import memcached


def tolerant(create):
    def create_client(backend):
        client = create(backend)
        client.ignore_exc = True
        client.retry_attempts, client.dead_timeout = 0, 10
        client.default_kwargs.update(connect_timeout=0.5, timeout=0.5)
        for server in client.clients.values():
            server.connect_timeout = server.timeout = 0.5
        return client
    return create_client


# The class and not an instance: services make some of their cache regions without the configured proxies.
memcached.PyMemcacheBackend._create_client = tolerant(memcached.PyMemcacheBackend._create_client)


class Tolerant(proxy.ProxyBackend):
    """Passes everything on; the work is done when the module is loaded."""
