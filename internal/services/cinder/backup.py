"""Runs cinder-backup as it can be run in a pod.

Before Cinder copies a volume it asks by what its host is known to storage of all kinds, such as an initiator of iSCSI
(volume/volume_utils.py, brick_get_connector_properties, of Cinder 26). os-brick has a helper read that, which is to be
root; in a pod it cannot be, and the backup would be in state creating for ever. What the program itself may read is
enough: volumes in a Ceph need none of it.
"""

import sys

from cinder.cmd import backup  # first: it makes the rest of Python wait without blocking
from os_brick import privileged

import stackwright_ceph  # noqa: F401, opens volumes in a Ceph

privileged.default.set_client_mode(False)
sys.exit(backup.main())
