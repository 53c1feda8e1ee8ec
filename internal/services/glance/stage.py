"""Lets any pod of the API import or delete what was staged in another one.

Where pods share no volume, data that is staged waits in the pod that took it. Glance 30 notes the address of that pod
with the image, if the pod knows it (worker_self_reference_url), and the others send requests about the image there, as
the user (api/v2/images.py, _proxy_request_to_stage_host). With this module each pod knows its address, and the others
by the certificate that all of them have, which is for the name of their Service. Glance's own client is not used: it
knows no authority, and its errors are not those that are looked for, so that each would end in a 500.
"""
import os
import socket
import urllib.parse

import requests
from requests import adapters

AUTHORITY = "/etc/stackwright/tls/ca.crt"
SERVICE = urllib.parse.urlsplit(os.environ["STACKWRIGHT_SERVICE"])


class Named(adapters.HTTPAdapter):
    """Wants a certificate for the Service, wherever it goes."""

    def init_poolmanager(self, *args, **kwargs):
        super().init_poolmanager(*args, assert_hostname=SERVICE.hostname, **kwargs)


def client(context):
    session = requests.Session()
    session.trust_env = False  # variables would win over what is said here
    session.headers["X-Auth-Token"] = context.auth_token
    session.mount("https://", Named())
    # One that everybody knows has none here.
    session.verify = AUTHORITY if os.path.exists(AUTHORITY) else True
    return session


def own():
    """The address of this pod, as it is in its file of hosts."""
    address = socket.getaddrinfo(socket.gethostname(), SERVICE.port)[0][4][0]
    host = f"[{address}]" if ":" in address else address
    return f"{SERVICE.scheme}://{host}:{SERVICE.port}"


try:
    from glance import context
    from glance.api.v2 import images
    from glance.common import config
    context.get_ksa_client, images.ImagesController._proxy_request_to_stage_host  # fails here if they are others
    context.get_ksa_client = client
    config.CONF.set_default("worker_self_reference_url", own())
except Exception as e:
    # uwsgi goes on without a module that cannot be imported, but not without its worker.
    raise SystemExit(f"Glance does not import as it is known to: {e!r}")
