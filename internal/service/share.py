"""Imported once, after the modules that all processes of an API have in common, and before uwsgi forks these.

Python's collector writes into each object that it looks at, and a page that is written to is no longer shared. It leaves
alone what is frozen.
"""
import gc
import sys

import uwsgi


def forked():
    """Gives the process a loop of events of its own.

    Eventlet makes one when it takes the place of Python's own modules, which Nova asks for as it is imported. As copies
    of it have one queue of the kernel, each process would take events of the others.
    """
    if "eventlet" in sys.modules:
        from eventlet import hubs
        hubs.use_hub()


uwsgi.post_fork_hook = forked
gc.collect()
gc.freeze()
