"""Asks the stores that are elsewhere whether they answer, and says so where the operator reads it.

The API starts and answers without its stores, and whoever sends or fetches an image finds that one is gone. A check by
the API itself would have to take it out of rotation, with the images of other stores. So this program asks each store
in a Ceph, an S3 or a Swift every half a minute; nothing is written. As long as all answer it touches a file that the
pod's probe looks at, see Worker.Beat. It ends with the reason, which is in the pod's status then, and goes on asking
when it is started again; for the same reason it does not end twice.

Facts of glance_store 4.9: driver.py (Store), _drivers/rbd.py (get_connection), _drivers/s3.py (_create_s3_client),
_drivers/swift/store.py (Store, create_location, get_connection), which gives its client no time; without one of its own
that waits for ever, whatever Python's sockets do.
"""

import logging
import os
import re
import signal
import socket
import sys
import time

from oslo_config import cfg
from stevedore import driver

CONF = cfg.CONF
PAUSE = 30
# How long a store may take, in seconds, and for how long an answer is good.
PATIENCE = 20
GOOD = 180
BEAT = "/tmp/beat"
TOLD = "/tmp/told"
TERMINATION = "/dev/termination-log"


def ask_rbd(store):
    """Reads what the pool has about an object that nobody has."""
    import rados
    with store.get_connection(conffile=store.conf_file, rados_id=store.user) as cluster:
        with cluster.open_ioctx(store.pool) as pool:
            try:
                pool.stat("stackwright")
            except rados.ObjectNotFound:
                pass


def ask_s3(store):
    """Asks for the bucket."""
    import stackwright_s3  # noqa: F401, makes the driver use the keys of the configuration
    from botocore import exceptions
    from glance_store._drivers import s3
    place = s3.StoreLocation({"scheme": store.scheme, "bucket": store.bucket, "key": "stackwright",
                              "s3serviceurl": store.full_s3_host}, store.conf, backend_group=store.backend_group)
    try:
        store._create_s3_client(place).head_bucket(Bucket=store.bucket)
    except exceptions.ClientError as e:
        made = store._option_get("s3_store_create_bucket_on_put")
        if not made or e.response["ResponseMetadata"]["HTTPStatusCode"] != 404:
            raise


def ask_swift(store):
    """Asks for the container."""
    import swiftclient
    place = store.create_location("stackwright")
    connection = store.get_connection(place)
    connection.retries, connection.timeout = 0, PATIENCE
    try:
        connection.head_container(place.container)
    except swiftclient.ClientException as e:
        made = CONF[store.backend_group].swift_store_create_container_on_put
        if not made or e.http_status != 404:
            raise


ASK = {"rbd": ask_rbd, "s3": ask_s3, "swift": ask_swift}


def trouble(stores):
    """Tells which stores do not answer, why, and what to do, in one line; nothing when all answer."""
    out = []
    for kind, store, name in stores:
        try:
            ASK[kind](store)
        except Exception as e:
            # glance_store keeps the cause of some errors to itself.
            cause = e.__context__ if e.__context__ is not None and not str(e).strip(". ") else e
            words = " ".join(f"{type(cause).__name__}: {cause}".split())
            words = re.sub(r"<[^<>]* at 0x[0-9a-f]+>(: )?", "", words)  # would be others each time
            out.append(f"store {name} does not answer: {words[:300]}")
    if not out:
        return ""
    return "; ".join(out) + "; see that it runs, and that its address and its Secret are right"


def watch(stores):
    while True:
        words = trouble(stores)
        if words:
            print(words, flush=True)
            tell(words)
        else:
            for path in (BEAT, TOLD):
                open(path, "w").close()
            os.utime(BEAT, (time.time() + GOOD,) * 2)
        time.sleep(PAUSE)


def tell(words):
    """Ends with these words, unless they are what was said last."""
    told = open(TOLD).read() if os.path.exists(TOLD) else ""
    if words == told:
        return
    for path in (TOLD, TERMINATION):
        with open(path, "w") as f:
            f.write(words)
    if os.path.exists(BEAT):
        os.unlink(BEAT)
    sys.exit(1)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # the first process of a container ignores it otherwise
    logging.getLogger("glance_store").setLevel(logging.CRITICAL)  # it tells with its stack what is told here
    socket.setdefaulttimeout(PATIENCE)
    os.environ["AWS_MAX_ATTEMPTS"] = "1"
    CONF.register_opt(cfg.DictOpt("enabled_backends"))
    CONF.register_opt(cfg.StrOpt("default_backend"), group="glance_store")
    CONF(sys.argv[1:], project="glance")
    asked = {name: kind for name, kind in CONF.enabled_backends.items() if kind in ASK}
    stores = []
    for name, kind in asked.items():
        # glance_store's own way would load all drivers that there are.
        make = driver.DriverManager("glance_store.drivers", kind).driver
        CONF.register_opts(make.OPTIONS, group=name)
        store = make(CONF, name)
        if kind == "rbd":
            import stackwright_rbd  # noqa: F401, keeps the driver from connecting before it is asked
            CONF.set_override("rados_connect_timeout", PATIENCE, group=name)
        store.configure(re_raise_bsc=True)
        stores.append((kind, store, name))
    watch(stores)


if __name__ == "__main__":
    main()
