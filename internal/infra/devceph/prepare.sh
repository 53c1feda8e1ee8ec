# Makes what the monitor keeps, or tells it of the address that it has now.
fsid=$(ceph-conf --lookup fsid)
address=$(ceph-conf --lookup mon_host)
cd /var/lib/ceph
mkdir -p mon mgr/ceph-a osd
# The daemons of a pod before, which was killed, may not have ended yet. They hold these files as long as they live.
exec 8>mon/lock 9>osd/lock
flock 8
flock 9
if [ ! -d mon/ceph-a ]; then
	monmaptool --create --clobber --addv a "$address" --fsid "$fsid" /tmp/monmap
	rm -rf mon/new
	ceph-mon --mkfs -i a --mon-data /var/lib/ceph/mon/new --monmap /tmp/monmap --keyring /etc/ceph/keyring
	mv mon/new mon/ceph-a
	exit
fi
ceph-mon -i a --extract-monmap /tmp/monmap
monmaptool --print /tmp/monmap >/tmp/printed
if ! grep -qF "fsid $fsid" /tmp/printed; then
	echo "The volume is of another Ceph than the keys: restore the Secret with its keys, or delete the volume."
	exit 1
fi
if ! grep -qF "$address" /tmp/printed; then
	monmaptool --rm a /tmp/monmap
	monmaptool --addv a "$address" /tmp/monmap
	ceph-mon -i a --inject-monmap /tmp/monmap
fi
