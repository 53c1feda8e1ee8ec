"""Starts nova-compute as the hosts of a building block need it.

STACKWRIGHT_ACCELERATOR is auto on hosts that find out for themselves what servers run on. STACKWRIGHT_FAKE_HOSTS is the
number of hosts that one process is, called STACKWRIGHT_BLOCK with a number from 0; without it the process is one host,
that of libvirt. STACKWRIGHT_KEPT_HOSTS has numbers of more hosts, by spaces. The file STARTED is there once all of them
have started.
"""

import functools
import http.client
import os
import socket
import sys
import time
import urllib.parse
import uuid

from nova.cmd import compute  # before all else, as it makes what blocks yield
import eventlet
from oslo_concurrency import lockutils
from oslo_concurrency import processutils
from oslo_log import log as logging
import oslo_messaging
from nova import service
from nova import utils
from nova.compute import rpcapi
from nova.conductor import rpcapi as conductor
from nova.objects import compute_node
from nova.virt import fake
from nova.virt import node

STARTED = '/tmp/started'
LIBVIRT = '/run/libvirt/libvirt-sock'
ACCELERATOR = '/run/libvirt/accelerator'
COURIER = '/run/stackwright/courier'
# For so many seconds what needs the database waits for it; all of Galera is back sooner after it was killed.
PATIENCE = 60
# So many seconds after a host of several has not started it is started again.
PAUSE = 5

LOG = logging.getLogger(__name__)


def identity(host):
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, host))


class FakeHost(fake.FakeDriver):
    """One of several hosts of a process, known by its name and not by a file of the process's.

    Nova's own driver of several hosts knows them by numbers that are new after each start.
    """

    def get_available_resource(self, nodename):
        resources = super().get_available_resource(nodename)
        resources['uuid'] = identity(nodename)
        return resources

    def get_nodenames_by_uuid(self, refresh=False):
        return {identity(name): name for name in self.get_available_nodes()}


def count_apart():
    """Hosts count what they have without waiting for each other.

    The lock of what a host has is one for the process (compute/resource_tracker.py), and takes it through several
    conversations with the conductor and with Placement: 200 hosts one after the other.
    """
    synchronized = utils.synchronized

    def by_host(name, *args, **kwargs):
        if name != 'compute_resources':
            return synchronized(name, *args, **kwargs)

        def apart(method):
            @functools.wraps(method)
            def alone(self, *args, **kwargs):
                with lockutils.lock('nova-%s-%s' % (name, self.host), fair=True):
                    return method(self, *args, **kwargs)

            return alone

        return apart

    # It is asked for the lock when Nova's module is read.
    assert 'nova.compute.resource_tracker' not in sys.modules
    utils.synchronized = by_host


def tell_when_started(count):
    """A service has started once its start returns: it is in the database and takes orders."""
    start = service.Service.start
    started = set()

    def counted(self):
        start(self)
        started.add(self.host)
        if len(started) == count:
            open(STARTED, 'w').close()

    service.Service.start = counted


def wait_for_libvirt():
    """Without libvirt Nova ends, and a container that ends often is started ever more seldom."""
    told = False
    while True:
        try:
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(LIBVIRT)
                return
        except OSError as e:
            if not told:
                print('waiting for libvirt at %s: %s' % (LIBVIRT, e), file=sys.stderr, flush=True)
                told = True
            time.sleep(0.5)


def read_consoles_from_logs():
    """What a server writes to its serial line is in a file, too. Nova asks the terminal, which is in libvirt's pod."""
    from nova.virt.libvirt import driver

    def get_console_output(self, context, instance):
        return self._get_console_output_file(instance, self._get_console_log_path(instance))

    driver.LibvirtDriver.get_console_output = get_console_output


class Courier:
    """Carries files of servers to other hosts.

    Nova would log in there with ssh. What it makes of the errors is in virt/libvirt/driver.py: a server that cannot go
    is not switched off.
    """

    def ask(self, order, host, path, **more):
        query = urllib.parse.urlencode({'host': host.strip('[]'), 'path': path, **more})
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(COURIER)
                connection = http.client.HTTPConnection('courier')
                connection.sock = line
                connection.request('POST', '/%s?%s' % (order, query))
                answer = connection.getresponse()
                status, said = answer.status, answer.read().decode(errors='replace').strip()
        except (OSError, http.client.HTTPException) as e:
            status, said = 0, 'the courier of this host does not answer: %s' % e
        if status != 200:
            raise processutils.ProcessExecutionError(
                cmd='courier %s %s %s' % (order, host, path), exit_code=status, stderr=said)

    def create_file(self, host, dst_path, **callbacks):
        self.ask('make-file', host, dst_path)

    def remove_file(self, host, dst_path, **callbacks):
        self.ask('remove-file', host, dst_path)

    def create_dir(self, host, dst_path, **callbacks):
        self.ask('make-folder', host, dst_path)

    def remove_dir(self, host, dst_path, **callbacks):
        self.ask('remove-folder', host, dst_path)

    def copy_file(self, src, dst, **callbacks):
        host, _, path = dst.rpartition(':')
        self.ask('carry', host, path, source=src)


def carry_files_by_courier():
    from nova.virt.libvirt.volume import remotefs
    remotefs.SshDriver = Courier


def join_again():
    """A host that left and comes back is mapped into its cell again.

    Nova finds the row of before by the host's uuid and takes it back (compute/resource_tracker.py, _init_compute_node)
    with the note that the host is mapped. The mapping itself went when the host left, and the search for new hosts
    looks at rows without that note only (objects/host_mapping.py).
    """
    save = compute_node.ComputeNode.save

    def save_unmapped(self, *args, **kwargs):
        if 'deleted' in self.obj_what_changed() and not self.deleted:
            self.mapped = 0
        return save(self, *args, **kwargs)

    compute_node.ComputeNode.save = save_unmapped


def wait_for_the_database():
    """What the conductor could not do because its database was away, it is asked for again.

    Nova gives up what it is at, and cannot note even that: a server whose build it was stays in the state BUILD for
    ever (compute/manager.py, _do_build_and_run_instance). The transaction was not committed when the connection broke.
    """
    def patient(ask):
        @functools.wraps(ask)
        def asked(self, *args, **kwargs):
            end = time.monotonic() + PATIENCE
            while True:
                try:
                    return ask(self, *args, **kwargs)
                except oslo_messaging.RemoteError as e:
                    if e.exc_type != 'DBConnectionError' or time.monotonic() > end:
                        raise
                time.sleep(1)

        return asked

    for name in ('object_action', 'object_class_action_versions'):
        setattr(conductor.ConductorAPI, name, patient(getattr(conductor.ConductorAPI, name)))


def libvirt_host():
    wait_for_libvirt()
    import libvirt
    # Nova asks a host that is new for its servers before it registers its loop of events, and a connection that was
    # opened before there is one never has events. The second registration is ignored.
    libvirt.virEventRegisterDefaultImpl()
    if os.environ.get('STACKWRIGHT_ACCELERATOR') == 'auto':
        with open(ACCELERATOR) as f:
            os.environ['OS_LIBVIRT__VIRT_TYPE'] = f.read().strip()
    read_consoles_from_logs()
    carry_files_by_courier()
    tell_when_started(1)


def start(made, make):
    """Starts one host of several, again and again until it has started.

    What it asks for may not be answered, such as by a conductor that hundreds of hosts ask at once. Nova ends the process
    then; here others are in it, which would never be ready without this one. A service that has begun to start cannot
    start once more, so that each time it is a new one.
    """
    while True:
        try:
            made = made or make()
            return made.start()
        except Exception:
            LOG.exception('a host has not started, and is started again: %r', made)
        if made:
            made.stop()
        made = None
        time.sleep(PAUSE)


def fake_hosts(block, numbers):
    # Nova looks for drivers in its own packages.
    fake.FakeHost = FakeHost
    # Nova refuses to go on without the file by which a host is known after its first start.
    node.read_local_node_uuid = lambda: identity(block)
    count_apart()
    tell_when_started(len(numbers))
    serve = service.serve

    def serve_all(server, workers=None):
        serve(server, workers)
        # Its launcher would start ten at most, and has nothing to do for those that keep nothing when they end.
        for n in numbers[1:]:
            make = functools.partial(service.Service.create, host='%s-%d' % (block, n), binary='nova-compute',
                                     topic=rpcapi.RPC_TOPIC)
            eventlet.spawn_n(start, make(), make)

    service.serve = serve_all


def main():
    if os.path.exists(STARTED):
        os.unlink(STARTED)
    join_again()
    wait_for_the_database()
    numbers = list(range(int(os.environ.get('STACKWRIGHT_FAKE_HOSTS', 0))))
    if numbers:
        kept = os.environ.get('STACKWRIGHT_KEPT_HOSTS', '')
        fake_hosts(os.environ['STACKWRIGHT_BLOCK'], numbers + [int(n) for n in kept.split()])
    else:
        libvirt_host()
    return compute.main()


if __name__ == '__main__':
    sys.exit(main())
