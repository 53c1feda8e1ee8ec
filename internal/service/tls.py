"""Lets Python's TLS start from an empty queue of OpenSSL's errors.

OpenSSL keeps errors in a queue per thread, and asks for an empty one before each call (SSL_get_error(3ssl)). uwsgi
leaves its own there when a client breaks a request off, until that request has ended. Python 3.13 does not empty it
(Modules/_ssl.c) and takes the error for one of its own connection: the next answer of the database counts as lost, and
Glance, which wants to note that an upload failed, cannot.
"""
import ctypes
import functools
import ssl

import _ssl

# The libcrypto that Python's TLS is linked with. PyDLL keeps the interpreter's lock, as the call takes no time.
clear = ctypes.PyDLL(_ssl.__file__).ERR_clear_error
clear.argtypes, clear.restype = (), None


def clean(method):
    @functools.wraps(method)
    def cleaned(*args, **kwargs):
        clear()
        return method(*args, **kwargs)
    return cleaned


for name in ("do_handshake", "read", "send", "unwrap", "write"):
    setattr(ssl.SSLSocket, name, clean(getattr(ssl.SSLSocket, name)))
