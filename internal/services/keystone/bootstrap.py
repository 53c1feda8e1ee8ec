import os
import sys

from keystone.cmd import cli

with open(sys.argv[1]) as f:
    os.environ["OS_BOOTSTRAP_PASSWORD"] = f.read().rstrip("\r\n")
cli.main(argv=["keystone-manage"] + sys.argv[2:])
