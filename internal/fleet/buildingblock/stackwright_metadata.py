"""Starts the metadata agent of a host.

Links and namespaces of the agent before ended with its pod, and Open vSwitch still has ports for these links. In its
datapath in userspace such a port stays dead when a link of its name comes back, so they are taken out first.

Containers cannot write /proc/sys. The agent writes the part that belongs to namespaces of networks, and to no other.

What needs rights the agent has done by helpers. It would start each as a new program when its first network comes: time
of that network's first server, and the memory of the agent again. As it is root itself they can be copies of it
(Method.FORK of oslo.privsep), made before it has threads; each keeps its own rights only, as before.
"""

import gc
import os
import subprocess
import sys

from neutron import privileged
from neutron.agent.ovn.metadata import server_socket
from neutron.cmd.agents import ovn_metadata
from neutron.conf.agent.ovn.metadata import config
from oslo_config import cfg
from oslo_privsep import priv_context

BRIDGE = 'br-int'
SETTINGS = '/proc/sys/net'
HELPERS = privileged.default, privileged.namespace_cmd, privileged.link_cmd


def open_settings():
    subprocess.run(('mount', '--bind', SETTINGS, SETTINGS), check=True)
    subprocess.run(('mount', '-o', 'remount,bind,rw', SETTINGS), check=True)


def let_proxies_in():
    """The proxies of networks are not root, and the agent forgets to give them its socket, which is in its own pod."""
    run = server_socket.UnixDomainMetadataProxy.run

    def opened(self):
        run(self)
        os.chmod(cfg.CONF.metadata_proxy_socket, 0o666)

    server_socket.UnixDomainMetadataProxy.run = opened


def fork_helpers():
    setup = config.setup_privsep

    def forked():
        setup()
        # What was made so far is never collected, so the pages that it is in stay one for all.
        gc.collect()
        gc.freeze()
        for context in HELPERS:
            context.start(priv_context.Method.FORK)

    config.setup_privsep = forked


def vsctl(*args):
    return subprocess.run(('ovs-vsctl', '--timeout=20') + args, check=True, capture_output=True, text=True).stdout


def remove_dead_ports():
    for name in vsctl('list-ports', BRIDGE).split():
        if not name.startswith('tap') or os.path.exists('/sys/class/net/' + name):
            continue
        # Ports of servers have it; they are others' business.
        if vsctl('--if-exists', 'get', 'Interface', name, 'external_ids:attached-mac').strip():
            continue
        print('removing the port of link %s, which is gone' % name, file=sys.stderr, flush=True)
        vsctl('--if-exists', 'del-port', BRIDGE, name)


if __name__ == '__main__':
    open_settings()
    remove_dead_ports()
    let_proxies_in()
    fork_helpers()
    sys.exit(ovn_metadata.main())
