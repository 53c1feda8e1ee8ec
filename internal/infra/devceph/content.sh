# Makes the pools that it is given and the users of the keyring, and takes the keys of all others.
ceph="ceph --connect-timeout=60"
have=$($ceph osd pool ls)
for pool; do
	echo "$have" | grep -qx "$pool" || $ceph osd pool create "$pool"
	rbd pool init "$pool"
done
# The monitors refuse a keyring without anybody in it.
[ ! -s /etc/ceph/clients ] || $ceph auth import -i /etc/ceph/clients
$ceph auth ls 2>&1 | grep '^client\.' | while read -r user; do
	case $user in
	client.admin | client.bootstrap-*) ;;
	*) grep -qxF "[$user]" /etc/ceph/clients || $ceph auth rm "$user" ;;
	esac
done
