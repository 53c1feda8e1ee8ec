"""Publish messages into a quorum queue one after the other, and count those that were confirmed and are missing at the end.

The folder /db is a MessageBus's Secret. A file /tmp/check ends the publishing; then the queue is read until it is empty.
Progress goes to standard output, one JSON object a line.
"""
import itertools, json, os, time
import amqp

QUEUE = "written"

def read(key):
    with open("/db/" + key) as f:
        return f.read().strip()

hosts = itertools.cycle(read("hosts").split(","))

def connect():
    host = next(hosts)
    tls = {"ca_certs": "/db/ca.crt", "server_hostname": host} if os.path.exists("/db/ca.crt") else False
    connection = amqp.Connection(host + ":" + read("port"), userid=read("username"), password=read("password"),
                                 virtual_host=read("vhost"), ssl=tls, confirm_publish=True, connect_timeout=2,
                                 read_timeout=5, write_timeout=5)
    connection.connect()
    channel = connection.channel()
    channel.queue_declare(QUEUE, durable=True, auto_delete=False, arguments={"x-queue-type": "quorum"})
    return connection, channel

def tell(**what):
    print(json.dumps(what), flush=True)

def publish(acknowledged):
    """One line a second with the number of messages, one for each pause of more than half a second."""
    number, connection, channel, good, told = 0, None, None, time.monotonic(), 0
    error = ""
    while not os.path.exists("/tmp/check"):
        try:
            if connection is None:
                connection, channel = connect()
            number += 1
            channel.basic_publish(amqp.Message(str(number), delivery_mode=2), routing_key=QUEUE, timeout=5)
        except Exception as e:
            error = repr(e)
            try:
                connection.close()
            except Exception:
                pass
            connection = None
            time.sleep(0.1)
            continue
        acknowledged.append(number)
        now = time.monotonic()
        if now - good > 0.5:
            tell(pause=round(now - good, 2), error=error)
        good = now
        if now - told > 1:
            tell(rows=len(acknowledged))
            told = now
        time.sleep(0.003)

def check(acknowledged):
    _, channel = connect()
    there = set()
    while (message := channel.basic_get(QUEUE, no_ack=True)) is not None:
        there.add(int(message.body))
    tell(host=read("hosts"), acknowledged=len(acknowledged), lost=len([n for n in acknowledged if n not in there]))

acknowledged = []
publish(acknowledged)
check(acknowledged)
tell(done=True)
while True:
    time.sleep(3600)
