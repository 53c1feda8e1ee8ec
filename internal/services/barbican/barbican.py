"""What the operator does to Barbican's database, with Barbican's own code.

barbican-manage simple_crypto rewrap_pkek ends well although a key could not be decrypted, and nothing of Barbican looks
whether the keys of the configuration are those of the database before the first secret cannot be read.

Facts of Barbican 20: plugin/crypto/simple_crypto.py, cmd/kek_rewrap.py.
"""

import sys

from barbican.common import utils
from barbican.model.migration import commands
from barbican.model import models
from barbican.model import repositories
from barbican.plugin.crypto import simple_crypto
from cryptography import fernet


def project_keys(session):
    """The keys of projects that are encrypted by keys of the configuration, and not in a Vault or an HSM."""
    name = utils.generate_fullname_for(simple_crypto.SimpleCryptoPlugin())
    query = session.query(models.KEKDatum).filter_by(plugin_name=name)
    return [key for key in query.with_for_update() if key.plugin_meta]


def readable(key, encryptor):
    try:
        encryptor.decrypt(key.plugin_meta.encode())
    except fernet.InvalidToken:
        return False
    return True


def check(keys, encryptor):
    lost = [key.project_id for key in keys if not readable(key, encryptor)]
    if lost:
        sys.exit(f"{len(lost)} of {len(keys)} projects' keys are encrypted by none of the keys in the Secret whose "
                 "name ends in -kek: it is not the one that belongs to the database; restore that one")


def rewrap(keys, encryptor, newest):
    done = 0
    for key in keys:
        if not readable(key, newest):
            key.plugin_meta = encryptor.rotate(key.plugin_meta.encode()).decode()
            done += 1
    print(f"{done} of {len(keys)} projects' keys are encrypted anew", flush=True)


def main(command):
    if command == "prepare":
        commands.upgrade()
    repositories.setup_database_engine_and_factory()
    ring = [fernet.Fernet(key) for key in simple_crypto.CONF.simple_crypto_plugin.kek]
    encryptor = fernet.MultiFernet(ring)
    keys = project_keys(repositories.get_session())
    check(keys, encryptor)
    if command == "rewrap":
        rewrap(keys, encryptor, ring[0])
    repositories.commit()


if __name__ == "__main__":
    main(sys.argv[1])
