"""Insert rows one after the other, and count those that were acknowledged and are missing at the end.

The folder /db is a Database's Secret. Each round trip is one committed row. A file /tmp/check ends the writing; then
every member that an argument names is asked for the rows, and again whenever the file is there again. Progress goes to standard output, one JSON object a line.
"""
import json, os, sys, time
import pymysql

def read(key):
    with open("/db/" + key) as f:
        return f.read().strip()

def connect(host):
    tls = {"ca": "/db/ca.crt", "check_hostname": True} if os.path.exists("/db/ca.crt") else None
    return pymysql.connect(host=host, port=int(read("port")), user=read("username"), password=read("password"),
                           database=read("database"), autocommit=True, connect_timeout=2, read_timeout=5,
                           write_timeout=5, ssl=tls)

def tell(**what):
    print(json.dumps(what), flush=True)

def write(acknowledged):
    """One line a second with the number of rows, one for each pause of more than half a second."""
    row, connection, good, told = 0, None, time.monotonic(), 0
    error = ""
    while not os.path.exists("/tmp/check"):
        try:
            if connection is None:
                connection = connect(read("host"))
                with connection.cursor() as c:
                    c.execute("CREATE TABLE IF NOT EXISTS written (id BIGINT PRIMARY KEY, v VARCHAR(200)) ENGINE=InnoDB")
            row += 1
            with connection.cursor() as c:
                c.execute("INSERT INTO written VALUES (%s, %s)", (row, "x" * 100))
        except Exception as e:
            error = repr(e)
            try:
                connection.close()
            except Exception:
                pass
            connection = None
            time.sleep(0.05)
            continue
        acknowledged.append(row)
        now = time.monotonic()
        if now - good > 0.5:
            tell(pause=round(now - good, 2), error=error)
        good = now
        if now - told > 1:
            tell(rows=len(acknowledged))
            told = now
        time.sleep(0.003)

def check(host, acknowledged):
    with connect(host).cursor() as c:
        c.execute("SELECT id FROM written")
        there = {r[0] for r in c.fetchall()}
    tell(host=host, acknowledged=len(acknowledged), lost=len([r for r in acknowledged if r not in there]))

acknowledged = []
write(acknowledged)
while True:
    if os.path.exists("/tmp/check"):
        os.remove("/tmp/check")
        for host in sys.argv[1:]:
            check(host, acknowledged)
        tell(done=True)
    time.sleep(1)
