"""Keeps the keys of buckets out of the addresses of images.

glance_store writes access key and secret key into the address of each image in a bucket, and reads the image by the
keys of that address. So they are in the database and in its backups, in messages of the log, and in what everybody who
may see a public image is told where a store in Ceph makes Glance tell addresses; and whoever replaces the keys loses
all images. With this module addresses have no keys, and requests are made with those of the configuration.

An endpoint that does not answer keeps a thread of the API for a minute. With what botocore does unless it is told
otherwise, of which the driver tells it nothing, that is five minutes and more: each request may take a minute to
connect and another one until it is answered, and is made five times.
"""
import itertools
import os

# Since 1.36 boto3 sends checksums that servers other than Amazon's need not know.
os.environ.setdefault("AWS_REQUEST_CHECKSUM_CALCULATION", "when_required")
os.environ.setdefault("AWS_RESPONSE_CHECKSUM_VALIDATION", "when_required")
# Requests are made three times, as those of Amazon's newer clients, unless the program says how often.
os.environ.setdefault("AWS_MAX_ATTEMPTS", "3")
CONNECT = 20


def impatient(config, retryhandler, exceptions):
    config.Config.OPTION_DEFAULTS["connect_timeout"] = CONNECT
    # Who has taken a request and says nothing for a minute is not asked again.
    retryhandler.EXCEPTION_MAP["GENERAL_CONNECTION_ERROR"].remove(exceptions.ReadTimeoutError)


def change(s3, utils):
    location, store = s3.StoreLocation, s3.Store
    create, prefix, add = store._create_s3_client, store._set_url_prefix, store.add
    location._get_credstring  # fails here rather than to let keys through when it has another name

    def client(self, loc):
        loc.accesskey, loc.secretkey = self.access_key, self.secret_key
        return create(self, loc)

    def set_prefix(self):
        prefix(self)
        self._url_prefix = self._url_prefix.replace(f"{self.access_key}:{self.secret_key}@", "", 1)

    def add_in_parts(self, image_id, data, size, *args, **kwargs):
        # Nova and Cinder do not say how much they are about to send. The driver takes that for little, which it reads
        # into memory as a whole; in parts it takes ten times the size of one, however much it is. Nothing has no parts.
        if not size:
            chunks = utils.chunkreadable(data, self.WRITE_CHUNKSIZE)
            first = next(chunks, b"")
            data, size = itertools.chain([first], chunks), self.s3_store_large_object_size if first else 0
        return add(self, image_id, data, size, *args, **kwargs)

    location._get_credstring = lambda self: ""
    store._create_s3_client, store._set_url_prefix, store.add = client, set_prefix, add_in_parts


try:
    from botocore import config, exceptions, retryhandler
    from glance_store._drivers import s3
    from glance_store.common import utils
    impatient(config, retryhandler, exceptions)
    change(s3, utils)
except Exception as e:
    # uwsgi goes on without a module that cannot be imported, but not without its worker.
    raise SystemExit(f"the driver of S3 is not the one that is known: {e!r}")
