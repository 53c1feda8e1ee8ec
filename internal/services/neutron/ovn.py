"""Fills OVN's northbound database with what Neutron knows, after that database was formed anew.

Neutron looks for what OVN lacks in its own database alone (db/ovn_revision_numbers_db.py of Neutron 26), and never
notices that OVN has lost rows. neutron-ovn-db-sync-util makes those that are missing, and removes those that Neutron
does not know.

It does not know address groups, nor changes that were lost, and what somebody makes while it looks it takes for what
should not be there. So the revisions that Neutron has noted are forgotten behind it: the maintenance worker then looks
for each row, every five minutes, makes what is missing, and changes what has another revision
(plugins/ml2/drivers/ovn/mech_driver/ovsdb/maintenance.py, check_for_inconsistencies).
"""

import subprocess
import sys

import sqlalchemy
from oslo_config import cfg

NOTED = sqlalchemy.text("SELECT 1 FROM ovn_revision_numbers LIMIT 1")
# Rows without an attribute are of things that are deleted, which OVN may still have. A floating IP whose ports are
# forwarded never gets its revision back (update_floatingip in ovn_client.py), and is whole by now.
FORGET = sqlalchemy.text("UPDATE ovn_revision_numbers SET revision_number = -1 WHERE standard_attr_id IS NOT NULL "
                         "AND resource_uuid NOT IN (SELECT floatingip_id FROM portforwardings)")


def database(config):
    conf = cfg.ConfigOpts()
    conf.register_opt(cfg.StrOpt("connection"), "database")
    conf(["--config-file", config])
    return sqlalchemy.create_engine(conf.database.connection)


def main(config):
    engine = database(config)
    with engine.connect() as connection:
        if connection.execute(NOTED).first() is None:
            print("Neutron has nothing yet that OVN could lack")
            return
    engine.dispose()
    command = ["neutron-ovn-db-sync-util", "--config-file", config, "--ovn-neutron_sync_mode", "repair"]
    subprocess.run(command, check=True)
    with engine.begin() as connection:
        rows = connection.execute(FORGET).rowcount
    print(f"OVN has what Neutron knows; the maintenance worker looks once more at {rows} rows")


if __name__ == "__main__":
    main(sys.argv[1])
