"""Stands in for what packages import and do not bring."""

import importlib.abc
import importlib.machinery
import re
import sys
import types


class Anything:
    """A stand-in for any value of a package that is missing."""

    __path__ = []

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return args[0] if len(args) == 1 and callable(args[0]) and not kwargs else Anything()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __mro_entries__(self, bases):
        return (Anything,)

    def __iter__(self):
        return iter(())

    def __getitem__(self, key):
        return Anything()

    def __mod__(self, other):
        return ""

    def __add__(self, other):
        return other

    __radd__ = __or__ = __ror__ = __add__

    def __sub__(self, other):
        return 0

    def __index__(self):
        return 0

    __int__ = __len__ = __index__

    def __lt__(self, other):
        return False

    __gt__ = __lt__


class Missing(types.ModuleType):
    """A stand-in for a module that is missing."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name.endswith(("Error", "Exception")):
            value = type(name, (Exception,), {})
        elif name[:1].isupper():
            value = type(name, (Anything,), {})
        else:
            value = Anything()
        setattr(self, name, value)
        return value


# Parts of the packages that schemas import and do not need.
UNUSED = re.compile(r"(neutron\.(api|objects|db|quota|services|pecan_wsgi)|neutron_lib\.(rpc|objects)|nova\.(objects|db)"
                    r"|cinder\.(objects|db)|octavia\.(db|policies)|barbican\.(model|plugin\.util))(\.|$)")


class Unused(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        return Finder().find_spec(name, path) if UNUSED.match(name) else None


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in sys.stdlib_module_names or name.startswith("org."):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Missing(spec.name)

    def exec_module(self, module):
        module.__path__ = []


def install():
    sys.meta_path.insert(0, Unused())
    sys.meta_path.append(Finder())


def wsme_modules():
    """Stands in for WSME: its types remember what they were made with."""

    class Type:
        def __init__(self, *args, **kw):
            self.args, self.kw = args, kw

    module = types.ModuleType("wsme.types")
    kinds = {"StringType": "string", "UuidType": "string", "IntegerType": "integer", "ArrayType": "array", "DictType": "object"}
    for name, kind in kinds.items():
        setattr(module, name, type(name, (Type,), {"kind": kind}))

    class Enum(Type):
        kind = "string"

    class Attribute:
        def __init__(self, datatype, mandatory=False, **kw):
            self.datatype, self.mandatory = datatype, mandatory

    class UserType:
        kind = "string"

    module.Enum, module.wsattr, module.UserType = Enum, Attribute, UserType
    module.BaseMeta, module.Base, module.text, module.Unset = type, type("Base", (), {}), str, None
    module.datetime = __import__("datetime")
    module.wsproperty = Anything()
    parent = Missing("wsme")
    parent.types, parent.wsattr, parent.__path__ = module, Attribute, []
    sys.modules.update({"wsme": parent, "wsme.types": module})
    return module
