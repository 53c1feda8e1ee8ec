#!/bin/sh
# Runs a program inside an image, in the namespaces of build.sh. Nothing it writes is kept.
#
#   exec.sh DIR LOWER PROGRAM ARGUMENT...   DIR is an empty folder
set -eu
dir=$1
lower=$2
shift 2
export LC_ALL=C.UTF-8 PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1 HOME=/root
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
mount --make-rprivate /
mount -t tmpfs tmpfs "$dir"
mkdir "$dir/upper" "$dir/scratch" "$dir/merged"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$dir/upper,workdir=$dir/scratch" "$dir/merged"
# Images of a program alone have neither folder.
mkdir -p "$dir/merged/proc" "$dir/merged/dev"
mount -t proc proc "$dir/merged/proc"
mount --bind /dev "$dir/merged/dev"
exec chroot "$dir/merged" "$@"
