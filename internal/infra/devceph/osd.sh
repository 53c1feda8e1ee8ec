# Makes the disk, or lets it grow, and runs it.
dir=/var/lib/ceph/osd/ceph-0
exec 9>/var/lib/ceph/osd/lock
flock 9
fsid=$(ceph-conf --lookup fsid)
if [ ! -e $dir/ready ]; then
	# The only disk has the cluster's own id. Who has an id already gets the same number again.
	[ "$(ceph osd new "$fsid")" = 0 ]
	rm -rf $dir
	mkdir $dir
	ceph-osd -i 0 --mkfs --osd-uuid "$fsid" --osd-objectstore bluestore
elif [ "$(stat -c %s $dir/block)" -lt "$BLOCK_SIZE" ]; then
	truncate -s "$BLOCK_SIZE" $dir/block
	ceph-bluestore-tool bluefs-bdev-expand --path $dir
fi
exec ceph-osd -f -i 0 --public-addr="$POD_IP" --cluster-addr="$POD_IP"
