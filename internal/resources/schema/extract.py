"""Writes what the APIs of OpenStack take, from the services' own schemas.

    python3 extract.py PACKAGES OUT

PACKAGES is a folder with the Python packages of one release as they are installed (dist-packages), OUT gets one JSON
file for each service. Nothing else has to be installed: what the packages import and do not bring is replaced by
stand-ins, which is enough for schemas, as these are data.
"""

import ast
import importlib
import json
import os
import pkgutil
import re
import sys
import types

from standin import Anything, install, wsme_modules


def literal(value):
    """The value when it is plain data, else None."""
    return value if isinstance(value, (str, int, float, bool)) else None


def tidy(entry):
    """The entry without what says nothing: a limit that is missing, a list without values."""
    return {k: v for k, v in entry.items() if not isinstance(v, Anything) and v is not None and v is not False and v != []}


# Neutron: attribute maps.

NETWORK = ["address_groups", "address_scopes", "bandwidth_limit_rules", "dscp_marking_rules", "floatingips",
           "minimum_bandwidth_rules", "minimum_packet_rate_rules", "networks", "packet_rate_limit_rules", "policies",
           "port_forwardings", "ports", "rbac_policies", "routers", "security_group_rules", "security_groups",
           "segments", "subnetpools", "subnets", "trunks"]


def neutron_entries(rules):
    """The entries of a dictionary that a validator names, as far as it does."""
    entries = {}
    for name, a in rules.items():
        rest = {k: v for k, v in a.items() if k.startswith("type:")}
        entry = neutron_attribute({"validate": rest, "convert_to": a.get("convert_to"), "default": None})
        entries[name] = dict(entry, **({"required": True} if a.get("required") else {}))
    return entries


def neutron_attribute(a):
    entry = {}
    convert = getattr(a.get("convert_to"), "__name__", "")
    if convert.startswith("convert_to_boolean"):
        entry["type"] = "boolean"
    elif convert.startswith("convert_to_int"):
        entry["type"] = "integer"
    for rule, limit in (a.get("validate") or {}).items():
        if rule in ("type:string", "type:string_or_none", "type:not_empty_string") and isinstance(limit, int):
            entry.update(type="string", max=limit)
        elif rule in ("type:values",):
            entry["enum"] = sorted((v for v in limit if literal(v) is not None), key=str)
        elif rule.startswith("type:range"):
            entry.update(type="integer", min=limit[0], max=limit[1])
        elif rule.startswith("type:boolean"):
            entry["type"] = "boolean"
        elif rule.startswith("type:non_negative"):
            entry.update(type="integer", min=0)
        elif "dict" in rule and isinstance(limit, dict):
            entry.update(type="array" if "list" in rule else "object", fields=neutron_entries(limit))
    if a.get("allow_post") and "default" not in a:
        entry["required"] = True
    return tidy(entry)


def neutron_maps():
    import neutron_lib.api.definitions as definitions
    for m in sorted(x.name for x in pkgutil.iter_modules(definitions.__path__)):
        if m.startswith("_"):
            continue
        module = importlib.import_module("neutron_lib.api.definitions." + m)
        yield getattr(module, "RESOURCE_ATTRIBUTE_MAP", None) or {}
        for name, sub in (getattr(module, "SUB_RESOURCE_ATTRIBUTE_MAP", None) or {}).items():
            yield {name: sub.get("parameters", {})}
    for m in ("securitygroup", "rbac"):
        module = importlib.import_module("neutron.extensions." + m)
        yield module.RESOURCE_ATTRIBUTE_MAP
        yield getattr(module, "EXTENDED_ATTRIBUTES_2_0", {})


def standard_collections(root):
    """The collections whose resources have a description, and those that have tags, as the database models say."""
    described, tagged = set(), set()
    for folder, _, names in os.walk(os.path.join(root, "neutron")):
        for name in (n for n in names if n.endswith(".py") and "tests" not in folder):
            with open(os.path.join(folder, name)) as f:
                text = f.read()
            if "api_collections" not in text:
                continue
            tree = ast.parse(text)
            imports = {a.asname or a.name: n.module + "." + a.name
                       for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names}
            for c in (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)):
                values = {t.id: s.value for s in c.body if isinstance(s, ast.Assign)
                          for t in s.targets if isinstance(t, ast.Name)}
                names_ = [e.value if isinstance(e, ast.Constant)
                          else getattr(importlib.import_module(imports[e.value.id]), e.attr)
                          for e in getattr(values.get("api_collections"), "elts", [])]
                names_ = [n for n in names_ if isinstance(n, str)]
                described.update(names_)
                if "tag_support" in values and values["tag_support"].value:
                    tagged.update(names_)
    return described, tagged


def network(root):
    resources = {}
    for maps in neutron_maps():
        for collection, attributes in maps.items():
            r = resources.setdefault(collection, {"create": {}, "update": {}, "read": {}})
            for name, a in attributes.items():
                entry = neutron_attribute(a)
                # Later extensions may loosen what an earlier one requires.
                if name in r["create"] and "required" not in r["create"][name]:
                    entry.pop("required", None)
                if a.get("allow_post"):
                    r["create"][name] = entry
                if a.get("allow_put"):
                    r["update"][name] = {k: v for k, v in entry.items() if k != "required"}
                if a.get("is_visible"):
                    r["read"][name] = {k: v for k, v in entry.items() if k == "type"}
    described, tagged = standard_collections(root)
    for name in described & resources.keys():
        for part in ("create", "update", "read"):
            resources[name][part]["description"] = {"type": "string", "max": 1024}
    for name in tagged & resources.keys():
        resources[name]["read"]["tags"] = {"type": "array"}
    # Ports alone take tags when they are made: neutron.extensions.tagging, TAG_ATTRIBUTE_MAP_PORTS.
    from neutron.extensions import tagging
    if tagging.TAG_ATTRIBUTE_MAP_PORTS["tags"]["allow_post"]:
        resources["ports"]["create"]["tags"] = {"type": "array"}
    for r in resources.values():
        # The projects that may make a resource for others have to name it by project_id; the others have but one.
        for part in ("create", "read"):
            if r[part].pop("tenant_id", None):
                r[part]["project_id"] = {"type": "string", "max": 255}
        r["create"].get("project_id", {}).pop("required", None)
    return {name: resources[name] for name in NETWORK}


# Nova, Cinder, Placement, Glance, Barbican: JSON schemas.

def json_property(p):
    entry = {}
    options = p.get("oneOf") or p.get("anyOf") or p.get("allOf") or []
    kinds = p.get("type") or [t for o in options for t in ([o["type"]] if isinstance(o.get("type"), str) else o.get("type") or [])]
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    for k in ("boolean", "integer", "array", "object", "string", "number"):
        if k in kinds:
            entry["type"] = k
            break
    for o in [p] + options:
        for key, name in (("maxLength", "max"), ("maximum", "max"), ("minimum", "min")):
            if isinstance(o.get(key), int):
                entry[name] = max(o[key], entry.get(name, o[key]))
        # What is in an object, or in each of a list of objects.
        for inside in (o, o.get("items")):
            if isinstance(inside, dict) and inside.get("properties"):
                entry["fields"] = json_properties(inside, None)
    if entry.get("type") != "boolean":
        entry["enum"] = sorted((v for v in p.get("enum", []) if v is not None), key=str)
    return tidy(entry)


def json_properties(schema, envelope):
    node = schema["properties"][envelope] if envelope else schema
    required = node.get("required", [])
    return {name: dict(json_property(p), **({"required": True} if name in required else {}))
            for name, p in node.get("properties", {}).items() if isinstance(p, dict)}


def versions(module, prefix, envelope):
    """The schemas of a module by their microversion, from names such as create_v219 and create_volume_v347."""
    found = []
    for name, value in vars(module).items():
        m = re.fullmatch(prefix + r"(?:_[a-z_]+?)?(?:_v(\d)_?(\d+))?", name, re.I)
        if (m and isinstance(value, dict) and not name.endswith("_v20") and ("response" in name) == ("response" in prefix)
                and (not envelope or envelope in value.get("properties", {}))):
            found.append(((int(m[1] or 0), int(m[2] or 0)), value))
    return sorted(found, key=lambda f: f[0])


def by_version(module, prefix, envelope):
    """The properties of the newest schema, each with the microversion of the oldest that has it."""
    properties, seen = {}, {}
    for version, schema in versions(module, prefix, envelope):
        properties = json_properties(schema, envelope)
        for name in properties:
            seen.setdefault(name, version)
    return {name: dict(p, **({"since": "%d.%d" % seen[name]} if seen[name][1] else {}))
            for name, p in properties.items()}


COMPUTE = {  # resource: (module, create schema, its envelope, update schema, its envelope)
    "flavors": ("flavors", "create", "flavor", "update", "flavor"),
    "keypairs": ("keypairs", "create", "keypair", None, None),
    "server_groups": ("server_groups", "create", "server_group", None, None),
    "servers": ("servers", "create", "server", "update", "server"),
    "volume_attachments": ("volumes", "create_volume_attachment", "volumeAttachment", "update_volume_attachment_v285", "volumeAttachment"),
    "interfaces": ("attach_interfaces", "create", "interfaceAttachment", None, None),
    "aggregates": ("aggregates", "create", "aggregate", "update", "aggregate"),
    "quota_sets": ("quota_sets", None, None, "update", "quota_set"),
}

BLOCK_STORAGE = {
    "volumes": ("volumes", "create", "volume", "update", "volume"),
    "types": ("volume_types", "create", "volume_type", "update", "volume_type"),
    "qos_specs": ("qos_specs", "create", "qos_specs", None, None),
    "snapshots": ("snapshots", "create", "snapshot", "update", "snapshot"),
    "backups": ("backups", "create", "backup", "update", "backup"),
}


def from_json_schemas(package, table):
    resources = {}
    for name, (module, create, item, update, item2) in table.items():
        m = importlib.import_module(package + "." + module)
        r = resources[name] = {"create": {}, "update": {}, "read": {}}
        r["read"] = {k: {a: b for a, b in v.items() if a == "type"}
                     for k, v in by_version(m, "show_response", item or item2).items()}
        if create:
            r["create"] = by_version(m, create, item)
        if update:
            r["update"] = {k: {a: b for a, b in v.items() if a != "required"}
                           for k, v in by_version(m, update, item2).items()}
    return resources


def compute(root):
    resources = from_json_schemas("nova.api.openstack.compute.schemas", COMPUTE)
    schemas = importlib.import_module("nova.api.openstack.compute.schemas.servers")
    newest = versions(schemas, "create", "server")[-1][1]
    resources["servers"]["create"]["os:scheduler_hints"] = json_property(newest["properties"]["os:scheduler_hints"])
    return resources


def block_storage(root):
    return from_json_schemas("cinder.api.schemas", BLOCK_STORAGE)


def placement(root):
    rc = importlib.import_module("placement.schemas.resource_class")
    rp = importlib.import_module("placement.schemas.resource_provider")
    return {
        "resource_classes": {"create": by_version(rc, "POST_RC_SCHEMA", None)},
        "resource_providers": {"create": dict(by_version(rp, "POST_RP_SCHEMA", None),
                                              **by_version(rp, "POST_RESOURCE_PROVIDER_SCHEMA", None)),
                               "update": by_version(rp, "PUT_RP_SCHEMA", None)},
    }


def image(root):
    with open(os.path.join(root, "glance/common/config.py")) as f:
        options = {n.args[0].value: ast.literal_eval(k.value) for n in ast.walk(ast.parse(f.read()))
                   if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "ListOpt"
                   for k in n.keywords if k.arg == "default" and isinstance(k.value, ast.List)}
    formats = types.SimpleNamespace(container_formats=options["container_formats"], disk_formats=options["disk_formats"])
    scope = {"_": str, "CONF": types.SimpleNamespace(image_format=formats)}
    run(root, "glance/api/v2/images.py", "get_base_properties", scope)
    properties = scope["get_base_properties"]()
    read_only = class_value(root, "glance/api/v2/images.py", "_readonly_properties")
    r = {"create": {}, "update": {}, "read": {}}
    for name, p in properties.items():
        r["read"][name] = json_property(p)
        if name == "id" or not p.get("readOnly"):
            r["create"][name] = json_property(p)
        if name not in read_only and not p.get("readOnly"):
            r["update"][name] = json_property(p)
    return {"images": r}


def run(root, path, function, scope):
    """Defines one function of a file, without the rest of the file."""
    with open(os.path.join(root, path)) as f:
        tree = ast.parse(f.read())
    tree.body = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function]
    exec(compile(tree, path, "exec"), scope)


def class_value(root, path, name):
    with open(os.path.join(root, path)) as f:
        for n in ast.walk(ast.parse(f.read())):
            if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == name:
                return ast.literal_eval(n.value)
    raise KeyError(name)


def key_manager(root):
    v = importlib.import_module("barbican.common.validators")
    store = importlib.import_module("barbican.plugin.interface.secret_store")
    assert store.SecretType.OPAQUE == "opaque"
    return {"secrets": {"create": json_properties(v.NewSecretValidator().schema, None)},
            "containers": {"create": json_properties(v.ContainerValidator().schema, None)}}


# Octavia: types of WSME.

def wsme_entry(value, module):
    entry = {}
    if isinstance(value, module.wsattr):
        if value.mandatory:
            entry["required"] = True
        value = value.datatype
    if isinstance(value, list):
        entry["type"] = "array"
    elif value is bool:
        entry["type"] = "boolean"
    elif isinstance(value, module.Enum):
        entry["type"] = {float: "number", int: "integer"}.get(value.args[0], "string")
        entry["enum"] = sorted(value.args[1:], key=str)
    else:
        entry["type"] = getattr(value, "kind", "object")
    kw = getattr(value, "kw", {})
    entry["max"] = literal(kw.get("max_length", kw.get("maximum")))
    entry["min"] = literal(kw.get("minimum"))
    return tidy(entry)


OCTAVIA = {
    "loadbalancers": ("load_balancer", "LoadBalancer"), "listeners": ("listener", "Listener"), "pools": ("pool", "Pool"),
    "members": ("member", "Member"), "healthmonitors": ("health_monitor", "HealthMonitor"),
    "l7policies": ("l7policy", "L7Policy"), "rules": ("l7rule", "L7Rule"), "flavors": ("flavors", "Flavor"),
    "flavorprofiles": ("flavor_profile", "FlavorProfile"),
}


def load_balancer(root):
    module = wsme_modules()
    resources = {}

    def attributes(name, cls):
        m = importlib.import_module("octavia.api.v2.types." + name)
        return {a: wsme_entry(v, module) for a, v in vars(getattr(m, cls)).items()
                if a != "tenant_id" and (isinstance(v, (module.wsattr, list)) or hasattr(v, "kind"))}

    for resource, (name, cls) in OCTAVIA.items():
        resources[resource] = {"create": attributes(name, cls + "POST"), "update": attributes(name, cls + "PUT"),
                               "read": attributes(name, cls + "Response")}
    resources["quotas"] = {"create": {}, "update": attributes("quotas", "QuotaBase"), "read": {}}
    return resources


# Designate: objects and what their adapters let through.

DESIGNATE = {"zones": "zone", "recordsets": "recordset", "tsigkeys": "tsigkey",
             "transfer_requests": "zone_transfer_request", "transfer_accepts": "zone_transfer_accept"}
DESIGNATE_TYPES = {"IntegerFields": "integer", "BooleanField": "boolean", "ObjectField": "array",
                   "PolymorphicObjectField": "array"}


def designate_fields(root, name):
    """The fields of an object with their limits, as far as they are plain data."""
    constants = importlib.import_module("designate.common.constants")
    with open(os.path.join(root, "designate/objects", name + ".py")) as f:
        tree = ast.parse(f.read())
    for n in ast.walk(tree):
        if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == "fields":
            found = {}
            for key, call in zip(n.value.keys, n.value.values):
                kw = {}
                for k in call.keywords:
                    try:
                        kw[k.arg] = ast.literal_eval(k.value)
                    except ValueError:
                        kw[k.arg] = getattr(constants, getattr(k.value, "attr", ""), None)
                found[key.value] = tidy({"type": DESIGNATE_TYPES.get(call.func.attr, "string"),
                                         "required": not kw.get("nullable"),
                                         "max": kw.get("maxLength", kw.get("maximum")), "min": kw.get("minimum"),
                                         "enum": sorted(kw.get("valid_values") or [])})
            return found


def dns(root):
    resources = {}
    for resource, name in DESIGNATE.items():
        fields = designate_fields(root, name)
        rules = class_value(root, "designate/objects/adapters/api_v2/%s.py" % name, "MODIFICATIONS")["fields"]
        r = resources[resource] = {"create": {}, "update": {}, "read": {}}
        for api, rule in rules.items():
            entry = dict(fields.get(rule.get("rename", api), {"type": "string"}))
            r["read"][api] = {"type": entry["type"]}
            if rule.get("immutable") or rule.get("read_only") is False:
                r["create"][api] = entry
            if rule.get("read_only") is False:
                r["update"][api] = {k: v for k, v in entry.items() if k != "required"}
    constants = importlib.import_module("designate.common.constants")
    limits = {"type": "integer", "min": constants.MIN_QUOTA, "max": constants.MAX_QUOTA}
    resources["quotas"] = {"create": {}, "update": {q: limits for q in constants.VALID_QUOTAS}, "read": {}}
    return resources


def orchestration(root):
    with open(os.path.join(root, "heat/api/openstack/v1/stacks.py")) as f:
        tree = ast.parse(f.read())
    data = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "InstantiationData")
    names = next(ast.literal_eval(s.value) for s in data.body
                 if isinstance(s, ast.Assign) and getattr(s.targets[0], "elts", None) or
                 isinstance(s, ast.Assign) and len(s.targets) == 2)
    with open(os.path.join(root, "heat/engine/api.py")) as f:
        function = next(n for n in ast.parse(f.read()).body if getattr(n, "name", "") == "extract_args")
    rpc = importlib.import_module("heat.rpc.api")
    extra = {getattr(rpc, n.attr) for n in ast.walk(function)
             if isinstance(n, ast.Attribute) and n.attr.startswith("PARAM_")}
    names = set(names) | extra
    return {"stacks": {"create": {n: {} for n in names}, "update": {n: {} for n in names if n != "stack_name"}}}


# Keystone: JSON schemas without envelopes.

IDENTITY = {  # resource: (module, prefix of the schemas' names)
    "projects": ("resource", "project"), "domains": ("resource", "domain"), "users": ("identity", "user"),
    "groups": ("identity", "group"), "roles": ("assignment", "role"), "regions": ("catalog", "region"),
    "services": ("catalog", "service"), "endpoints": ("catalog", "endpoint"), "credentials": ("credential", "credential"),
    "application_credentials": ("application_credential", "application_credential"),
    "registered_limits": ("limit", "registered_limit"), "limits": ("limit", "limit"),
}


def identity_properties(module, prefix, part):
    """The properties of a schema, which modules name in several ways and some wrap in an envelope or a list."""
    names = [f % part for f in (prefix + "_%s", prefix + "_%s_request", prefix + "_%s_request_body",
                                prefix + "s_%s_request_body", "%s_request_body", "application_credential_%s")]
    schema = next((getattr(module, n) for n in names if hasattr(module, n)), {})
    for envelope in (prefix, prefix + "s"):
        schema = schema.get("properties", {}).get(envelope, schema)
    properties = {}
    for items in [schema.get("items", schema)]:
        for variant in [items] + items.get("oneOf", []):
            properties.update(json_properties(variant, None))
    return properties


def identity(root):
    resources = {}
    for name, (module, prefix) in IDENTITY.items():
        m = importlib.import_module("keystone.%s.schema" % module)
        r = resources[name] = {part: identity_properties(m, prefix, part) for part in ("create", "update")}
        for entry in r["update"].values():
            entry.pop("required", None)
    return resources


SERVICES = {"identity": identity, "network": network, "compute": compute, "block-storage": block_storage, "placement": placement,
            "image": image, "key-manager": key_manager, "load-balancer": load_balancer, "dns": dns,
            "orchestration": orchestration}


def write(path, resources):
    """Writes one field to a line, so that changes between releases can be read."""
    lines = []
    for name in sorted(resources):
        parts = []
        for part in ("create", "update", "read"):
            fields = resources[name].get(part, {})
            rows = ",\n".join("  %s: %s" % (json.dumps(f), json.dumps(fields[f], sort_keys=True)) for f in sorted(fields))
            parts.append(' "%s": {\n%s\n }' % (part, rows) if rows else ' "%s": {}' % part)
        lines.append("%s: {\n%s\n}" % (json.dumps(name), ",\n".join(parts)))
    with open(path, "w") as f:
        f.write("{\n%s\n}\n" % ",\n".join(lines))


def main(root, out):
    sys.dont_write_bytecode = True
    sys.path.insert(0, root)
    install()
    for service, extract in SERVICES.items():
        write(os.path.join(out, service + ".json"), extract(root))


if __name__ == "__main__":
    main(*sys.argv[1:])
