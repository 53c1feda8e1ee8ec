# Asks the disk's daemon whether it works, as its own tool would in ten times the time.
import json, socket, sys

daemon = socket.socket(socket.AF_UNIX)
daemon.settimeout(4)
daemon.connect("/run/ceph/ceph-osd.0.asok")
daemon.sendall(b'{"prefix": "status"}\0')
answer = daemon.makefile("rb")
size = int.from_bytes(answer.read(4), "big")
state = json.loads(answer.read(size))["state"]
sys.exit(0 if state == "active" else "the disk is " + state)
