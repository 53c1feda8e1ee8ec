"""Prints the options that the given oslo.config namespaces declare, in the format of package catalogue.

Arguments: release, service, namespaces. An entry point lists groups with their options; this is the interface that
oslo.config's own generator of sample files reads.
"""

import json
import math
import sys
from importlib import metadata

from keystoneauth1 import loading
from oslo_config import cfg, types

# The most special types come first, as some are subclasses of others.
KINDS = [
    (types.URI, "uri"), (types.Port, "port"), (types.HostAddress, "hostAddress"), (types.HostDomain, "hostDomain"),
    (types.Hostname, "hostname"), (types.IPAddress, "ipAddress"), (types.Boolean, "boolean"),
    (types.Integer, "integer"), (types.Float, "float"), (types.List, "list"), (types.Range, "range"),
    (types.Dict, "dict"), (types.String, "string"),
]


def kind(value):
    if value is str:
        return "string"
    return next((name for known, name in KINDS if isinstance(value, known)), "other")


def describe(value):
    """Describes a type."""
    out = {"type": kind(value)}
    choices = getattr(value, "choices", None)
    if choices:
        out["choices"] = list(choices)
    if getattr(value, "ignore_case", False):
        out["ignoreCase"] = True
    for limit in ("min", "max"):
        number = getattr(value, limit, None)
        if isinstance(number, (int, float)) and math.isfinite(number):
            out[limit] = number
    if getattr(value, "max_length", 0):
        out["maxLength"] = value.max_length
    regex = getattr(value, "regex", None)
    if regex is not None:
        out["regex"] = getattr(regex, "pattern", regex)
    if getattr(value, "schemes", None):
        out["schemes"] = list(value.schemes)
    if isinstance(value, types.IPAddress):
        for version in (4, 6):
            if value.version_checker == getattr(value, "_check_ipv%d" % version, None):
                out["version"] = version
    items = getattr(value, "item_type", None) or getattr(value, "value_type", None)
    if items is not None and out["type"] in ("list", "dict"):
        out["items"] = describe(items)
        if getattr(value, "bounds", False):
            out["bounds"] = True
    return out


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in sorted(value.items())}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def option(opt, group):
    """Describes an option."""
    out = describe(opt.type)
    # A sample default stands in for one that depends on the machine.
    default = opt.default if opt.sample_default is None else None
    if default is not None:
        out["default"] = plain(default)
    for name, value in (("multi", opt.multi), ("required", opt.required), ("secret", opt.secret),
                        ("mutable", opt.mutable), ("removal", opt.deprecated_for_removal)):
        if value:
            out[name] = True
    former = [{"group": old.group or group, "name": old.name or opt.dest} for old in opt.deprecated_opts]
    if former:
        out["deprecated"] = former
    return out


def plugins():
    """Options of all authentication plugins, one of which the option auth_type of a group selects."""
    loaders = loading.get_available_plugin_loaders()
    return [opt._to_oslo_opt() for name in sorted(loaders) for opt in loaders[name].get_options()]


def main(release, service, namespaces):
    known = {entry.name: entry for entry in metadata.entry_points(group="oslo.config.opts")}
    missing = [name for name in namespaces if name not in known]
    if missing:
        sys.exit("error: no such namespaces: %s; there are %s" % (", ".join(missing), ", ".join(sorted(known))))
    for entry in metadata.entry_points(group="oslo.config.opts.defaults"):
        if entry.name in namespaces:
            entry.load()()
    groups = {}
    for namespace in namespaces:
        for section, opts in known[namespace].load()():
            name = getattr(section, "name", section) or "DEFAULT"
            group = groups.setdefault(name, {"options": {}})
            if isinstance(section, cfg.OptGroup):
                data = section._get_generator_data()
                for field, source in (("driverOption", "driver_option"), ("dynamicOwner", "dynamic_group_owner")):
                    if data.get(source):
                        group[field] = data[source]
            for opt in opts:
                if not isinstance(opt, cfg.SubCommandOpt):
                    group["options"][opt.dest] = option(opt, name)
    for name, group in groups.items():
        if "auth_type" in group["options"]:
            group["driverOption"] = "auth_type"
            for opt in plugins():
                # What is required depends on the plugin.
                opt.required = False
                group["options"].setdefault(opt.dest, option(opt, name))
    json.dump({"release": release, "service": service, "groups": groups}, sys.stdout)


main(sys.argv[1], sys.argv[2], sys.argv[3:])
