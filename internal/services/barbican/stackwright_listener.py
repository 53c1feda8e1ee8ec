"""Runs Barbican's Keystone listener with an account that hears Keystone and may do nothing else.

Barbican takes what Keystone tells from the bus of its own service (queue/__init__.py, of Barbican 20). Here each service
has a bus that no other can enter, and one account in it that may listen: its address and authority are in the folder
of a Secret. That account may read the exchange and not make it, as oslo.messaging would (impl_rabbit.py, Consumer, of
oslo.messaging 16), so the exchange is only looked for. Keystone makes it when it tells something for the first time.

What fails, as when the database is away, is tried again after a pause, and would be at once without it. The broker
ceases after twenty times.
"""

import os
import sys
import time

from barbican.cmd import keystone_listener  # first: it makes the rest of Python wait without blocking
from barbican import queue
from barbican.queue.keystone_listener import NotificationTask
import oslo_messaging
from oslo_messaging._drivers import impl_rabbit

FOLDER = "/etc/stackwright/keystone-listener"
PAUSE = 10
declare = impl_rabbit.Consumer.declare
process = NotificationTask.process_event


def init(conf, is_server_side=True):
    """Opens the bus of Keystone."""
    with open(os.path.join(FOLDER, "transport_url"), encoding="utf-8") as f:
        url = f.read().strip()
    authority = os.path.join(FOLDER, "ca.crt")
    if os.path.exists(authority):
        url += f"?ssl=true&ssl_ca_file={authority}"
    queue.TRANSPORT = oslo_messaging.get_notification_transport(conf, url=url,
                                                                allowed_remote_exmods=queue.get_allowed_exmods())


def look(self, conn):
    """Makes the queue, and nothing of the exchange."""
    self.exchange.passive = True
    declare(self, conn)


def heard(self, *args):
    """Does what an event asks for."""
    result = process(self, *args)
    if result == oslo_messaging.NotificationResult.REQUEUE:
        time.sleep(PAUSE)
    return result


queue.init = init
impl_rabbit.Consumer.declare = look
NotificationTask.process_event = heard
sys.exit(keystone_listener.main())
