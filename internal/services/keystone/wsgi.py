"""What uwsgi runs: Keystone, with its policies at hand before the first request comes.

Keystone reads them when a request asks for them, which takes ten times what the request itself does. While a whole cloud
starts on few processors that is seconds, in which all who come after that request wait.
"""
from keystone.common.rbac_enforcer import enforcer
from keystone.server import wsgi
from oslo_log import log

application = wsgi.initialize_public_application()
try:
    # As Keystone itself does in a request: one line says that there are deprecated rules, not one for each.
    enforcer.RBACEnforcer.suppress_deprecation_warnings = True
    enforcer.RBACEnforcer()._enforcer.load_rules()
except Exception:  # a request says it again to who can do something about it
    log.getLogger(__name__).exception("reading the policies before the first request")
