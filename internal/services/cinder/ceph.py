"""Lets programs of Cinder open volumes in a Ceph.

Cinder tells where the Ceph of a volume is and who to be there, and not the key. os-brick looks for that in /etc/ceph,
by the name of the user alone (initiator/connectors/rbd.py of os-brick 6.11). Here the keys of all back ends are beside
the configuration file.
"""

import configparser
import glob
import os
import re
import sys

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
