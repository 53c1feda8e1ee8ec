# Asks the disk's daemon whether it works, as its own tool would in ten times the time. With the word "stuck" it says
# whether a request has waited for more than a minute until the data may be read, and nothing when it is not told.
#
# A daemon may serve what it has for 16 s, and then asks itself again (Ceph's "read lease"). On a machine that is too
# busy while the daemon starts it forgets to, and then every request waits for ever, with one disk as with the only one
# of three that has the data: the state is "laggy". A daemon that starts again has a new lease.
import json, socket, sys


def ask(command):
    daemon = socket.socket(socket.AF_UNIX)
    daemon.settimeout(4)
    daemon.connect("/run/ceph/ceph-osd.0.asok")
    daemon.sendall(json.dumps({"prefix": command}).encode() + b"\0")
    answer = daemon.makefile("rb")
    return json.loads(answer.read(int.from_bytes(answer.read(4), "big")))


def stuck():
    try:
        blocked = ask("dump_blocked_ops")["ops"]
    except OSError:
        return 0
    for op in blocked:
        if op["type_data"].get("flag_point") == "waiting for readable" and op["age"] > 60:
            return "the disk may not be read for %d s" % op["age"]


def works():
    state = ask("status")["state"]
    return 0 if state == "active" else "the disk is " + state


sys.exit(stuck() if sys.argv[1:] == ["stuck"] else works())
