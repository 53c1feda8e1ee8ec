"""What an operator does to Cinder's database, with Cinder's own objects.

Facts of Cinder 26: objects/service.py, db/api.py (volume_get_all_by_host), cmd/manage.py (DbCommands).
"""

import argparse
import sys
import time

from oslo_config import cfg

from cinder import context
from cinder import objects
from cinder import version
from cinder.common import config  # noqa: F401, registers the options

CONF = cfg.CONF
# A program that has just been ended may write its record once more; it counts as up for so long after.
PATIENCE = 180


def say(text):
    print(text, flush=True)


def superfluous(args, service):
    """Tells whether a record is of ours and of a program that there shall not be."""
    if service.binary == "cinder-volume":
        host, _, backend = service.host.partition("@")
        return host == args.name and backend not in args.backends
    counts = dict(text.split("=") for text in args.keep)
    prefix, _, ordinal = service.host.rpartition("-")
    ours = f"{args.name}-{service.binary.removeprefix('cinder-')}"
    return (service.binary in counts and prefix == ours and ordinal.isdigit()
            and int(ordinal) >= int(counts[service.binary]))


def records(args, ctxt):
    """Lists what is superfluous, and the volumes that it has."""
    for service in objects.ServiceList.get_all(ctxt):
        if superfluous(args, service):
            volume = service.binary == "cinder-volume"
            yield service, objects.VolumeList.get_all_by_host(ctxt, service.host) if volume else []


def services(args):
    """Removes records of programs that there are no more, once they have ended."""
    ctxt = context.get_admin_context()
    until = time.monotonic() + PATIENCE
    for service, volumes in records(args, ctxt):
        if volumes:
            raise SystemExit(f"back end {service.host} has {len(volumes)} volumes, such as {volumes[0].id}: put it back "
                             "into spec.backends, and delete them or migrate them first")
        while service.is_up and time.monotonic() < until:
            time.sleep(5)
            service.refresh()
        service.destroy()
        say(f"{service.binary} of {service.host} is gone")


def maintain(args):
    """Rewrites records of earlier releases, and removes those of volumes that were deleted some days ago.

    A program that ended late may have written its record after it was removed: it goes now.
    """
    from cinder.cmd import manage  # the other starts faster without it

    commands = manage.DbCommands()
    ctxt = context.get_admin_context()
    for service, volumes in records(args, ctxt):
        if not volumes and not service.is_up:
            service.destroy()
            say(f"{service.binary} of {service.host} is gone")
    for rewrite in commands.online_migrations:
        while rewrite(ctxt, 1000)[1]:
            pass
    if args.keep_days:
        commands.purge(args.keep_days)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config-file", required=True)
    commands = parser.add_subparsers(required=True)
    for run in (services, maintain):
        command = commands.add_parser(run.__name__, help=run.__doc__)
        command.set_defaults(run=run)
        command.add_argument("--name", required=True)
        command.add_argument("--keep", nargs="*", default=[])
        command.add_argument("--backends", nargs="*", default=[])
        if run is maintain:
            command.add_argument("--keep-days", type=int, default=0)
    args = parser.parse_args()
    CONF(["--config-file", args.config_file], project="cinder", version=version.version_string())
    objects.register_all()
    args.run(args)


if __name__ == "__main__":
    main()
