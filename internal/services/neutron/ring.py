"""Lets the workers of the API soon do what fell to one that has gone.

They share out what OVN tells by a ring in Neutron's database. No option says how long a worker that has died stays in
it: two minutes, and one that goes by a ring it has read for a minute. What falls to a worker that has gone nobody does:
Nova, for one, waits for five minutes to hear that a port is up, and gives the server up. A worker that comes is missed
by nobody, as each sees itself in the ring, and gets all of OVN's ports when it connects.

The numbers are in effect for what is imported later: the time between two words is kept by a decorator.
"""
import datetime
import functools

NUMBERS = {
    "HASH_RING_TOUCH_INTERVAL": 5,  # a worker gives its word so often,
    "HASH_RING_NODES_TIMEOUT": 20,  # is in the ring for so long after its last word,
    "HASH_RING_CACHE_TIMEOUT": 2,  # and reads the ring so often.
}


def change(constants, ring):
    for name, seconds in NUMBERS.items():
        getattr(constants, name)  # fails here rather than to change nothing when it has another name
        setattr(constants, name, seconds)
    asked, rows = ring.get_active_nodes, ring.get_nodes
    kept = datetime.timedelta(seconds=constants.HASH_RING_NODES_TIMEOUT)

    @functools.wraps(asked)
    def active(context, interval, group_name, from_host=False):
        if from_host:
            # Asked until all workers of the pod are there, within the time for which a ring is kept. That is shorter
            # now than between two words, and the answer would be no for ever.
            return asked(context, kept.seconds, group_name, from_host=True)
        nodes = asked(context, interval, group_name)
        if not nodes:
            # Nobody could give word while the database was away, and what OVN told meanwhile would fall to nobody.
            nodes = rows(context, group_name)
            last = max((n.updated_at for n in nodes), default=None)
            nodes = [n for n in nodes if n.updated_at >= last - kept]
        return nodes

    ring.get_active_nodes = active


try:
    from neutron.common.ovn import constants
    from neutron.db import ovn_hash_ring_db
    change(constants, ovn_hash_ring_db)
except Exception as e:
    # uwsgi goes on without a module that cannot be imported, but not without its worker.
    raise SystemExit(f"the ring of OVN's workers is not the one that is known: {e!r}")
