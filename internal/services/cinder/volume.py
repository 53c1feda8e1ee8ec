"""Runs cinder-volume, which takes orders once its back end works.

Cinder tries a back end four times within seconds (volume/manager.py, init_host, of Cinder 26), and takes orders without
it ever after: each volume ends in an error until somebody starts the program again. Here it goes on trying, and as long
as it does there is no queue of its own on the bus, so that its pod is not ready and the scheduler leaves it out.

A back end that goes later is in what the driver reports every minute, or the report fails or does not end. The scheduler
is told; for the operator a file is touched with each good report, which is good for as long as three of them take.
Orders that are under way may yet succeed, so the program goes on.

Nothing is asked of a helper that runs as root, see stackwright_backup. A copy of an encrypted volume is opened, to see
whether it can have another key (volume/flows/manager/create_volume.py, _rekey_volume): one in a Ceph cannot.
"""

import os
import sys
import time

from cinder.cmd import volume  # first: it makes the rest of Python wait without blocking
from cinder import objects

objects.register_all()  # before the manager, which names them
from cinder.volume import manager  # noqa: E402
from os_brick import privileged  # noqa: E402

import stackwright_ceph  # noqa: E402, F401, opens volumes in a Ceph

PAUSE = 10
BEAT = "/tmp/beat"
once = manager.VolumeManager.init_host
publish = manager.VolumeManager.update_service_capabilities


def init_host(self, *args, **kwargs):
    """Prepares the back end until that works."""
    once(self, *args, **kwargs)
    while not self.driver.initialized:
        manager.LOG.error("The back end does not work; it is tried again in %d s.", PAUSE)
        time.sleep(PAUSE)
        once(self, *args, **kwargs)


def update_service_capabilities(self, capabilities):
    """Takes note of a report in which not all is down."""
    publish(self, capabilities)
    parts = capabilities.get("pools") or [capabilities]
    if any(part.get("backend_state") != "down" for part in parts):
        open(BEAT, "w").close()
        os.utime(BEAT, (time.time() + 3 * manager.CONF.backend_stats_polling_interval,) * 2)


manager.VolumeManager.init_host = init_host
manager.VolumeManager.update_service_capabilities = update_service_capabilities
privileged.default.set_client_mode(False)
sys.exit(volume.main())
