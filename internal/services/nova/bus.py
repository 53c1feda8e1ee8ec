"""Has the API refuse what it cannot tell a cell, whose message bus does not answer.

An API tells the hosts of a cell what to do by the bus of that cell, and waits until the bus takes it, during which its
process answers nobody: a few requests for servers of a broken cell would stop those of all others.

Facts of Nova 31 and oslo.messaging 16: context.py (set_target_cell) makes a transport for each cell, and rpc.py
(ClientRouter) a client of it for each message; _drivers/impl_rabbit.py (ensure) tries for ever. A conflict is what
api/openstack/wsgi.py (expected_errors) shows users of nearly all requests as it was raised, and 503 of none.
"""

import contextlib
import socket
import time

import nova.monkey_patch  # before all else, as it makes what blocks yield
import nova.conf
from nova import rpc
import oslo_messaging
from webob import exc

CONF = nova.conf.CONF
# A bus that restarts is waited for, and no longer than a probe of the API is. All in seconds.
PATIENCE = 5
CONNECT = 2
PAUSE = 0.5
# So long what was found is taken to be so still.
TRUST = 5

SILENT = ("The message bus of the server's cell does not answer, so that its host cannot be told; try again when "
          "the cell is back.")


class Bus:
    """The members of a message bus, when they were last asked whether they answer, and since when none does."""

    def __init__(self, members):
        self.members = members
        self.asked = -TRUST
        self.missed = 0

    def answers(self):
        for member in self.members:
            with contextlib.suppress(OSError), socket.create_connection(member, CONNECT):
                return True
        return False

    def wait(self):
        """Tells whether it answers. Whoever misses it first waits for it, the others do not."""
        now = time.monotonic()
        if now - self.asked < TRUST:
            return not self.missed
        until = (self.missed or now) + PATIENCE
        while not self.answers():
            self.missed = self.missed or now
            if time.monotonic() > until:
                self.asked = time.monotonic()
                return False
            time.sleep(PAUSE)
        self.asked, self.missed = time.monotonic(), 0
        return True


def members(url):
    """Addresses and ports of a bus, None of a transport that has none."""
    parsed = oslo_messaging.TransportURL.parse(CONF, url)
    return [(h.hostname, h.port or 5672) for h in parsed.hosts] if parsed.transport == "rabbit" else None


def refuse():
    """Has messages to a bus that does not answer refused, unless it is the API's own."""
    create, client = rpc.create_transport, rpc.ClientRouter.client

    def create_transport(url):
        transport = create(url)
        # Those of cells are text, as in their rows. Its own ones Nova has read before.
        if isinstance(url, str) and members(url) and members(url) != members(CONF.transport_url):
            transport.stackwright_bus = Bus(members(url))
        return transport

    def route(self, context):
        bus = getattr(context.mq_connection, "stackwright_bus", None)
        if bus and not bus.wait():
            raise exc.HTTPConflict(explanation=SILENT)
        return client(self, context)

    rpc.create_transport, rpc.ClientRouter.client = create_transport, route


refuse()
