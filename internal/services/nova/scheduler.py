"""Starts the scheduler, with a search for new hosts that goes on behind a cell that does not answer.

Facts of Nova 31: scheduler/manager.py searches every [scheduler] discover_hosts_in_cells_interval; discover_hosts of
objects/host_mapping.py looks into the cells in the order of their rows, and ends with the first one's error.
"""

import sys

from nova.cmd import scheduler
from nova import objects
from nova.objects import host_mapping
from oslo_log import log as logging

LOG = logging.getLogger("nova.stackwright_scheduler")


def search_on():
    """Has Nova look into each cell by itself."""
    search = host_mapping.discover_hosts

    def discover_hosts(ctxt, *args, **kwargs):
        found = []
        for cell in objects.CellMappingList.get_all(ctxt):
            try:
                found.extend(search(ctxt, cell.uuid))
            except Exception as e:
                LOG.warning("Cell %s was not searched for new hosts: %s", cell.name, e)
        return found

    host_mapping.discover_hosts = discover_hosts


if __name__ == "__main__":
    search_on()
    sys.exit(scheduler.main())
