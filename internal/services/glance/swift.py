"""Reads what is sent in chunks by as much as is asked for, and gives up a Swift that does not answer.

Facts of Glance 30: who does not say how much he sends, such as Nova with a snapshot, sends in chunks, and
common/wsgi.py returns those that uwsgi has, also when they are more than was asked for. The driver of Swift
(glance_store 4.9, ChunkReader) counts down what a segment still takes, then asks for a negative number of bytes, and
gets the rest of the image: in memory, and in one object, which Swift refuses. The driver gives its client no time in
which a request has to be answered; one that is not would keep a thread of the API for ever.
"""
SECONDS = 60


def exact(chunks):
    come = chunks.read

    def read(self, length=None):
        have = getattr(self, "rest", b"")
        if length is None or length < 0:
            self.rest = b""
            return have + come(self)
        if len(have) < length:
            have += come(self, length - len(have))
        self.rest = have[length:]
        return have[:length]

    chunks.read = read


def impatient(connection):
    made = connection.__init__

    def init(self, *args, **kwargs):
        kwargs.setdefault("timeout", SECONDS)
        made(self, *args, **kwargs)

    connection.__init__ = init


try:
    from glance.common import wsgi
    import swiftclient
    exact(wsgi._UWSGIChunkFile)
    impatient(swiftclient.Connection)
except Exception as e:
    # uwsgi goes on without a module that cannot be imported, but not without its worker.
    raise SystemExit(f"Glance or the client of Swift is not the one that is known: {e!r}")
