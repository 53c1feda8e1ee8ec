import os
import sys

from keystone.cmd import cli

# The command takes the password as an argument or from the environment, where others could read it. Set from inside, it
# is seen by this process alone.
with open(sys.argv[1]) as f:
    os.environ["OS_BOOTSTRAP_PASSWORD"] = f.read().strip()
cli.main(argv=["keystone-manage"] + sys.argv[2:])
