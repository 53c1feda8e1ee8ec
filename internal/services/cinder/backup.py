"""Runs cinder-backup as it can be run in a pod.

Before Cinder copies a volume it asks by what its host is known to storage of all kinds, such as an initiator of iSCSI
(volume/volume_utils.py, brick_get_connector_properties, of Cinder 26). os-brick has a helper read that, which is to be
root; in a pod it cannot be, and the backup would be in state creating for ever. What the program itself may read is
enough: volumes in a Ceph need none of it.

Cinder tells where the Ceph of a volume is and who to be there, and not the key. os-brick looks for that in /etc/ceph,
by the name of the user alone (initiator/connectors/rbd.py of os-brick 6.11). Here the keys of all back ends are beside
the configuration file.
"""

import configparser
import glob
import os
import re
import sys

from cinder.cmd import backup  # first: it makes the rest of Python wait without blocking
from os_brick import privileged
from os_brick.initiator.connectors import rbd

FOLDER = os.path.dirname(sys.argv[sys.argv.index("--config-file") + 1])


def names(text, host):
    """Tells whether a text names a host: by its whole address, of which another one may be the beginning or the end."""
    part = r"[\w.-]" if ":" not in host else r"[\w.:-]"
    return re.search(f"(?<!{part}){re.escape(host)}(?!{part})", text, re.IGNORECASE)


def keyring(user, hosts):
    """Returns what the file with a user's key says, that of the Ceph with one of the hosts if there are several."""
    found = None
    for path in sorted(glob.glob(os.path.join(FOLDER, "ceph-*.conf"))):
        conf = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
        conf.read(path)
        key = conf.get("client." + user, "keyring", fallback=None)
        if not key:
            continue
        with open(path, encoding="utf-8") as f:
            text = f.read()
            near = any(names(text, host) for host in hosts)
        if found is None or near:
            with open(key, encoding="utf-8") as f:
                found = f.read()
        if near:
            break
    return found


def handle(self, properties, once=rbd.RBDConnector._get_rbd_handle):
    """Opens a volume with the key of its back end."""
    key = keyring(properties["auth_username"], properties["hosts"])
    return once(self, dict(properties, keyring=key))


rbd.RBDConnector._get_rbd_handle = handle
privileged.default.set_client_mode(False)
sys.exit(backup.main())
