# Runs the monitor. The file tells a pod to come that it still runs.
exec 8>/var/lib/ceph/mon/lock
flock 8
exec ceph-mon -f -i a --public-bind-addr="$POD_IP"
