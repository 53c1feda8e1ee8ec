"""Starts the console proxy, with a way to speak TLS to hosts.

Facts of Nova 31: console/rfb/authvencrypt.py calls ssl.wrap_socket, which Python 3.12 has taken away, so that no
screen of a host with TLS is shown.
"""

import ssl
import sys

from nova.cmd import novncproxy


def wrap_socket(sock, keyfile=None, certfile=None, server_side=False, cert_reqs=ssl.CERT_REQUIRED, ca_certs=None):
    """Does what Nova asks for: whoever has a certificate of the authority is a host, as it knows nobody else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server_side else ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = cert_reqs
    if ca_certs:
        context.load_verify_locations(ca_certs)
    if certfile:
        context.load_cert_chain(certfile, keyfile)
    return context.wrap_socket(sock, server_side=server_side)


if __name__ == "__main__":
    if not hasattr(ssl, "wrap_socket"):
        ssl.wrap_socket = wrap_socket
    sys.exit(novncproxy.main())
