"""The CFN API of Heat, which shows Keystone who asks.

Since the fix of CVE-2025-65073, Keystone says who signed a request only to a service, and Heat 24 asks without a token
(api/aws/ec2token.py): servers of stacks could neither fetch their metadata nor tell that they are done.
"""

import requests
from heat.api.aws import ec2token
from heat.api.cfn import wsgi
from keystoneauth1 import loading
from keystoneauth1 import session
from keystonemiddleware import auth_token  # noqa: F401, registers the section
from oslo_config import cfg

SECTION = "keystone_authtoken"


class Requests:
    """What Heat takes for the module of that name."""

    def __init__(self):
        self.auth = None

    def token(self):
        conf = cfg.CONF
        if self.auth is None:
            self.auth = loading.load_auth_from_conf_options(conf, SECTION)
        return self.auth.get_token(session.Session(verify=conf[SECTION].cafile or True))

    def post(self, url, headers, **rest):
        return requests.post(url, headers={**headers, "X-Auth-Token": self.token()}, **rest)


ec2token.requests = Requests()
application = wsgi.init_application()
