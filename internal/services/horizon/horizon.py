"""Settings of Horizon: its own, and over them those of horizon.json.

Horizon makes some settings of others, so that what is given has to be there in the middle of its own settings. It
looks for a module local.local_settings then, and would find the one of the package, which wants to write a key. This
one is known by that name before. What is given is set once more at the end, over all that packages of plugins set.
"""
import importlib.util
import json
import os
import socket
import ssl
import sys
import types
import warnings

from django.core.cache.backends import memcached
from pymemcache.client import hash

# Horizon's names of services, by the names of their policies.
_TYPES = {'cinder': 'volume', 'glance': 'image', 'heat': 'orchestration', 'keystone': 'identity',
          'neutron': 'network', 'nova': 'compute'}


def _hosts(names):
    """The names by which browsers come, and the pod's own addresses, by which Kubernetes asks how it is."""
    own = {found[4][0] for found in socket.getaddrinfo(socket.gethostname(), None)}
    return ['[%s]' % name if ':' in name else name for name in [*names, *sorted(own)]]


class _Client(hash.HashClient):
    """Asks the next server when one turns out to be away; else its users were logged out whenever it is tried."""

    def _run_cmd(self, *args, **kwargs):
        for _ in range(len(self.clients) + 1):
            away = dict(self._dead_clients)
            answer = super()._run_cmd(*args, **kwargs)
            if self._dead_clients.items() <= away.items():
                break
        return answer


class Cache(memcached.PyMemcacheCache):
    """Django's cache with such a client."""

    def __init__(self, server, params):
        super().__init__(server, params)
        self._class = _Client


def _caches(servers):
    """Servers that are away or hang lose the sessions that they have, and keep nobody waiting."""
    options = {'ignore_exc': True, 'connect_timeout': 0.5, 'timeout': 0.5, 'retry_attempts': 0, 'dead_timeout': 10}
    if servers['ca']:
        options['tls_context'] = ssl.create_default_context(cafile=servers['ca'])
        options['tls_context'].load_cert_chain(servers['cert'], servers['key'])
    return {'default': {'BACKEND': __name__ + '.Cache',
                        'LOCATION': servers['servers'], 'OPTIONS': options}}


def _policies(services):
    """The files of policies and of their defaults; the plugin of Heat has its own folder."""
    plugin, files, defaults = importlib.util.find_spec('heat_dashboard'), {}, {}
    for name in services:
        folder = ''
        if name == 'heat':
            if plugin is None:
                continue
            folder = os.path.join(os.path.dirname(plugin.origin), 'conf')
        files[_TYPES[name]] = os.path.join(folder, name + '_policy.yaml')
        defaults[_TYPES[name]] = os.path.join(folder, 'default_policies', name + '.yaml')
    return {'POLICY_FILES': files, 'DEFAULT_POLICY_FILES': defaults}


def _settings():
    with open(os.path.join(os.path.dirname(__file__), 'horizon.json'), encoding='utf-8') as f:
        given = json.load(f)
    return {
        'ALLOWED_HOSTS': _hosts(given['hosts']),
        'CACHES': _caches(given['memcached']),
        'SESSION_ENGINE': 'django.contrib.sessions.backends.cache',
        'DEBUG': False,
        'WEBROOT': '/',
        'STATIC_ROOT': '/var/lib/openstack-dashboard/static/',
        'COMPRESS_OFFLINE': True,
        'LOGGING': {
            'version': 1, 'disable_existing_loggers': False,
            'formatters': {'line': {'format': '%(asctime)s %(levelname)s %(name)s %(message)s'}},
            'handlers': {'console': {'class': 'logging.StreamHandler', 'formatter': 'line'}},
            'root': {'handlers': ['console'], 'level': 'INFO'},
        },
        **_policies(given['services']),
        **given['settings'],
    }


_OWN = _settings()
_local = types.ModuleType('local.local_settings')
_local.__dict__.update(_OWN)
sys.modules[_local.__name__] = _local

from openstack_dashboard.settings import *  # noqa: E402,F401,F403

globals().update(_OWN)
# Horizon asks for these, which are for who writes it, and each policy that it reads has some.
warnings.simplefilter('ignore', DeprecationWarning)
