# Keeps a pod that is told to go until load balancers have forgotten it, before it stops to listen: as long as
# connections come in, between 5 and 20 seconds. They hear late of it when the cluster is busy. The file is the kernel's
# table of counters (/proc/net/snmp): the sixth number of Tcp is PassiveOpens, the connections that others have opened.
opened() { grep '^Tcp: [0-9]' "$1" | cut -d' ' -f7; }

before=$(opened "$1") waited=0 calm=0
while [ "$waited" -lt 5 ] || [ "$calm" -lt 2 ] && [ "$waited" -lt 20 ]; do
  sleep 1
  now=$(opened "$1") waited=$((waited + 1)) calm=$((calm + 1))
  [ "$now" = "$before" ] || calm=0
  before=$now
done
