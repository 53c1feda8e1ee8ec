"""What an operator does to Nova's databases, with Nova's own objects.

nova-manage takes addresses of databases and of brokers as arguments, where everybody sees the passwords in them, and
each of its commands takes seconds to start.

Facts of Nova 31: objects/cell_mapping.py, objects/host_mapping.py, cmd/manage.py (delete_cell), db/migration.py.
"""

import argparse
import datetime
import json
import os
import sys

import nova.conf
from nova import config
from nova import context
from nova import exception
from nova import objects
from nova.db import migration
from nova.db.main import api as db
from oslo_utils import timeutils
from oslo_utils import uuidutils

CONF = nova.conf.CONF
# So many rows are changed at a time.
BATCH = 1000


def say(text):
    print(text, flush=True)


def first_line(error):
    return str(error).partition("\n")[0]


def put_cell(ctxt, cells, uuid, name, database, transport):
    """Makes the row of a cell, or gives it its addresses."""
    cell = next((c for c in cells if c.uuid == uuid), None) if uuid else None
    cell = cell or next((c for c in cells if c.name == name), None)
    if cell is None:
        cell = objects.CellMapping(ctxt, uuid=uuid or uuidutils.generate_uuid(), name=name,
                                   transport_url=transport, database_connection=database)
        cell.create()
        say(f"cell {name} is registered")
    elif (cell.transport_url, cell.database_connection) != (transport, database):
        cell.transport_url, cell.database_connection = transport, database
        cell.save()
        say(f"cell {name} has new addresses")


def remove_services(ctxt, programs):
    """Removes rows that pods had for themselves: of BINARY=NAME all are NAME now, and were NAME-0 and so on."""
    for text in programs:
        binary, _, name = text.partition("=")
        for service in objects.ServiceList.get_by_binary(ctxt, binary, include_disabled=True):
            prefix, _, ordinal = service.host.rpartition("-")
            if prefix == name and ordinal.isdigit():
                db.service_destroy(ctxt, service.id)
                say(f"{binary} of {service.host} is gone")


def end(refused):
    if refused:
        raise SystemExit("; ".join(refused))


def remove_cells(ctxt, goes):
    """Removes the rows of cells that go if they are empty, and returns why others stay."""
    refused = []
    for cell in objects.CellMappingList.get_all(ctxt):
        if cell.is_cell0() or not goes(cell):
            continue
        mappings = objects.InstanceMappingList.get_by_cell_id(ctxt, cell.id)
        why = content(ctxt, cell, mappings)
        if why:
            refused.append(f"cell {cell.name} has {why}, or put the cell back into spec.cells")
            continue
        try:
            for mapping in mappings:
                mapping.destroy()
            cell.destroy()
            say(f"cell {cell.name} is gone")
        except exception.NotFound:
            pass  # Another Job does the same, and was quicker.
    return refused


def remove_earlier(ctxt, names, born):
    """Removes cells that are older than this Nova, but those that it has."""
    since = timeutils.parse_isotime(born)
    return remove_cells(ctxt, lambda cell: cell.name not in names and cell.created_at < since)


def content(ctxt, cell, mappings):
    """What keeps a cell, and what to do about it; empty when nothing does."""
    hosts = sorted(h.host for h in objects.HostMappingList.get_by_cell_id(ctxt, cell.id))
    if hosts:
        return f"{count(hosts, 'host')}, such as {hosts[0]}: delete their BuildingBlock or compute services first"
    if not mappings:
        return ""
    try:
        with context.target_cell(ctxt, cell) as cctxt:
            servers = objects.InstanceList.get_all(cctxt)
    except Exception as e:
        return f"records of {count(mappings, 'server')}, and its database does not answer, {first_line(e)}: repair it"
    return f"{count(servers, 'server')}, such as {servers[0].uuid}: delete them first" if servers else ""


def count(things, what):
    return f"{len(things)} {what}" + "s" * (len(things) != 1)


def prepare(args):
    """Brings the schemas of Nova's own databases to that of the image, and registers cell0."""
    migration.db_sync(database="api")
    migration.db_sync(database="main")
    ctxt = context.get_admin_context()
    put_cell(ctxt, objects.CellMappingList.get_all(ctxt), objects.CellMapping.CELL0_UUID, "cell0",
             CONF.database.connection, "none:///")


def register(args):
    """Registers the cells of a file. Empty ones of an earlier Nova go: programs that start now would remember them."""
    with open(args.cells, encoding="utf-8") as f:
        wanted = json.load(f)
    ctxt = context.get_admin_context()
    cells = objects.CellMappingList.get_all(ctxt)
    for cell in wanted:
        put_cell(ctxt, cells, None, cell["name"], cell["database"], cell["transport"])
    with open(os.path.join(os.path.dirname(args.cells), "born"), encoding="utf-8") as f:
        remove_earlier(ctxt, [cell["name"] for cell in wanted], f.read())


def services(args):
    """Removes rows of pods that are gone, in the database of the configuration."""
    remove_services(context.get_admin_context(), args.services)


def forget(args):
    """Removes cells in which no host is left, and no server."""
    end(remove_cells(context.get_admin_context(), lambda cell: cell.name in args.names))


def prune(args):
    """Removes cells of an earlier Nova in which no host is left, and no server."""
    end(remove_earlier(context.get_admin_context(), args.names, args.before))


def cell(args):
    """Brings the schema of a cell to that of the image."""
    migration.db_sync(database="main")


def maintain(args):
    """Rewrites rows of earlier releases, and removes those of servers and programs that are gone."""
    from nova.cmd import manage  # the others start faster without it

    ctxt = context.get_admin_context()
    failed = []
    for cell in objects.CellMappingList.get_all(ctxt):
        try:
            with context.target_cell(ctxt, cell) as cctxt:
                remove_services(cctxt, args.services)
                if args.keep_days:
                    purge(manage.DbCommands(), cell, cctxt, args.keep_days)
                rewrite(manage.DbCommands.online_migrations, cctxt, failed)
        except Exception as e:  # A cell that does not answer must not keep the others from it.
            failed.append(f"cell {cell.name}: {first_line(e)}")
    if failed:
        raise SystemExit("not all is done: " + "; ".join(dict.fromkeys(failed)))


def rewrite(migrations, cctxt, failed):
    """Rewrites rows of earlier releases. Some migrations look into all cells, and end when one does not answer."""
    for migration in migrations:
        try:
            while migration(cctxt, BATCH)[1]:
                pass
        except Exception as e:
            failed.append(f"{migration.__name__}: {first_line(e)}")


def purge(commands, cell, cctxt, days):
    """Removes rows of servers that were deleted so many days ago. archive_deleted_rows ends with the first cell that
    does not answer, and then removes nothing for good."""
    before = timeutils.utcnow() - datetime.timedelta(days=days)
    commands._do_archive({}, cctxt, BATCH, until_complete=True, verbose=False, before_date=before, cell_name=cell.name,
                         task_log=False, sleep=0)
    db.purge_shadow_tables(cctxt, None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config-file", required=True)
    commands = parser.add_subparsers(required=True)
    for run in (prepare, register, services, forget, prune, cell, maintain):
        command = commands.add_parser(run.__name__, help=run.__doc__)
        command.set_defaults(run=run)
        if run is register:
            command.add_argument("--cells", required=True)
        if run is services:
            command.add_argument("services", nargs="+")
        if run is forget:
            command.add_argument("names", nargs="+")
        if run is prune:
            command.add_argument("--before", required=True)
            command.add_argument("names", nargs="*")
        if run is maintain:
            command.add_argument("--keep-days", type=int, default=0)
            command.add_argument("--services", nargs="*", default=[])
    args = parser.parse_args()
    config.parse_args([sys.argv[0], "--config-file", args.config_file])
    objects.register_all()
    args.run(args)


if __name__ == "__main__":
    main()
