#!/bin/sh
# Builds one layer. Runs as the first process of its own mount, process and network namespaces, so that nothing of it
# outlives it and nothing in it reaches the network.
#
#   build.sh WORK LOWER... with WORK holding
#     upper/ scratch/ merged/   for the overlay; upper/ is the result
#     debs/                     the packages to install, all of them and no others
#     repository/, sources      only for the lowest layer: the packages as an archive; the image's sources.list
#     include                   only for the lowest layer: names of the packages, comma-separated
#     users                     lines "name uid gid home"
#     files, staged/            lines "number mode path"; staged/NUMBER is the content
#     empty, remove, sort       paths, one a line
set -eu
work=$1
lower=$2
codename=$3
root=$work/merged
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive PYTHONHASHSEED=0
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
umask 022

step() { printf 'step: %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

mount --make-rprivate /
options="lowerdir=$lower,upperdir=$work/upper,workdir=$work/scratch,redirect_dir=off,metacopy=off,index=off"
# Without volatile every fsync of dpkg reaches the disk; kernels before 5.10 do not know it.
mount -t overlay overlay -o "$options,volatile" "$root" 2>/dev/null ||
	mount -t overlay overlay -o "$options" "$root" ||
	fail "cannot mount an overlay in $work: the cache must be on a file system that can be an overlay's upper layer"

bootstrap() {
	step "bootstrapping"
	mmdebstrap --quiet --mode=root --variant=apt --format=directory \
		--aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' \
		--dpkgopt="$work/dpkg.cfg" --dpkgopt=force-unsafe-io \
		--include="$(cat "$work/include")" \
		"$codename" "$root" "deb [trusted=yes] copy:$work/repository $codename main"
	rm -f "$root"/etc/apt/apt.conf.d/99mmdebstrap "$root"/etc/dpkg/dpkg.cfg.d/99mmdebstrap
	rm -rf "$root"/etc/apt/sources.list.d/*
	cp "$work/sources" "$root/etc/apt/sources.list"
	cp "$work/dpkg.cfg" "$root/etc/dpkg/dpkg.cfg.d/stackwright"
	printf 'APT::Install-Recommends "false";\nAcquire::Languages "none";\n' >"$root/etc/apt/apt.conf.d/stackwright"
}

# Packages get the few devices they may use and directories in memory, so that nothing written there is kept.
enter() {
	mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
	mount -t tmpfs -o mode=0755 tmpfs "$root/run"
	mount -t tmpfs -o mode=0755 tmpfs "$root/dev"
	mkdir "$root/dev/shm" "$root/dev/pts" "$root/tmp/stackwright"
	for device in null zero full random urandom tty; do
		: >"$root/dev/$device"
		mount --bind "/dev/$device" "$root/dev/$device"
	done
	ln -s /proc/self/fd "$root/dev/fd"
	ln -s /proc/self/fd/0 "$root/dev/stdin"
	ln -s /proc/self/fd/1 "$root/dev/stdout"
	ln -s /proc/self/fd/2 "$root/dev/stderr"
	mount -t proc proc "$root/proc"
	mount --bind "$work" "$root/tmp/stackwright"
	# Some packages ask for the address of the machine, which is none of an image's affair: they get the loopback's.
	hostname localhost
	[ -e "$root/etc/hosts" ] || : >"$work/no-hosts"
	: >>"$root/etc/hosts"
	printf '127.0.0.1 localhost\n' >"$work/hosts"
	mount --bind "$work/hosts" "$root/etc/hosts"
}

# What a package started ends here; the kernel may take a moment to let go of it, which only a lazy unmount bears.
leave() {
	kill -KILL -1 2>/dev/null || true
	umount --lazy --recursive "$root/proc" "$root/dev" "$root/run" "$root/tmp" "$root/etc/hosts"
	[ ! -e "$work/no-hosts" ] || rm "$root/etc/hosts"
}

users() {
	while read -r name uid gid home; do
		grep -q "^$name:" "$root/etc/group" || printf '%s:x:%s:\n' "$name" "$gid" >>"$root/etc/group"
		grep -q "^$name:" "$root/etc/gshadow" || printf '%s:!::\n' "$name" >>"$root/etc/gshadow"
		grep -q "^$name:" "$root/etc/passwd" ||
			printf '%s:x:%s:%s::%s:/usr/sbin/nologin\n' "$name" "$uid" "$gid" "$home" >>"$root/etc/passwd"
		grep -q "^$name:" "$root/etc/shadow" || printf '%s:!:1::::::\n' "$name" >>"$root/etc/shadow"
	done <"$work/users"
}

check_users() {
	while read -r name uid gid home; do
		chroot "$root" getent passwd "$name" | grep -q "^$name:[^:]*:$uid:$gid:" ||
			fail "a package changed user $name: it should be $uid:$gid"
		[ "$home" = /nonexistent ] || [ -e "$root$home" ] ||
			chroot "$root" install -d -o "$uid" -g "$gid" -m 0750 "$home"
	done <"$work/users"
}

# Each package with Python code would start an interpreter of its own to compile it. One run at the end takes a fraction.
defer_bytecode() {
	mkdir -p "$root/usr/bin"
	chroot "$root" dpkg-divert --quiet --local --no-rename --divert /usr/bin/py3compile.real --add /usr/bin/py3compile
	[ ! -e "$root/usr/bin/py3compile" ] || mv "$root/usr/bin/py3compile" "$root/usr/bin/py3compile.real"
	printf '#!/bin/sh\nprintf "%%s\\n" "$@" | grep ^/ >>/tmp/compile\nexit 0\n' >"$root/usr/bin/py3compile"
	chmod 755 "$root/usr/bin/py3compile"
}

compile_bytecode() {
	rm -f "$root/usr/bin/py3compile"
	chroot "$root" dpkg-divert --quiet --local --no-rename --remove /usr/bin/py3compile
	[ -e "$root/usr/bin/py3compile.real" ] || return 0
	mv "$root/usr/bin/py3compile.real" "$root/usr/bin/py3compile"
	step "compiling Python code"
	: >>"$root/tmp/compile"
	# Python keeps in a file of bytecode which of its strings were known already, from files compiled before in the same
	# process. So which process compiles which file, and in which order, must not depend on how busy the machine is.
	# A quarter of the code is tests, which nobody runs in an image.
	{ echo /usr/lib/python3/dist-packages; cat "$root/tmp/compile"; } |
		xargs chroot "$root" sh -c 'find "$@" -name "*.py" ! -path "*/tests/*" -xtype f 2>/dev/null || :' find |
		sort -u >"$work/code"
	compile_half 0 & compile_half 1
	wait
}

# A status of 1 says that some file cannot be compiled, as is so with examples that packages carry along.
compile_half() {
	awk -v half="$1" 'NR % 2 == half' "$work/code" >"$root/tmp/code.$1"
	[ ! -s "$root/tmp/code.$1" ] || chroot "$root" python3 -m compileall -q -i "/tmp/code.$1" >"$work/compiled.$1" </dev/null ||
		cat "$work/compiled.$1"
}

install_packages() {
	set -- "$work"/debs/*.deb
	[ -e "$1" ] || return 0
	step "installing $# packages"
	# adduser refuses accounts outside the range of system accounts, where our fixed numbers are.
	cp "$root/etc/adduser.conf" "$work/adduser.conf"
	printf '\nLAST_SYSTEM_UID=65533\nLAST_SYSTEM_GID=65533\n' >>"$root/etc/adduser.conf"
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	defer_bytecode
	set --
	for deb in "$work"/debs/*.deb; do
		set -- "$@" "/tmp/stackwright/debs/${deb##*/}"
	done
	chroot "$root" apt-get install -y -q --no-install-recommends \
		-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=/dev/null \
		-o DPkg::Options::=--force-unsafe-io -o DPkg::Options::=--force-confold -o DPkg::Use-Pty=0 \
		-o APT::Sandbox::User=root "$@" </dev/null
	compile_bytecode
	rm -f "$root/usr/sbin/policy-rc.d"
	cat "$work/adduser.conf" >"$root/etc/adduser.conf"
}

files() {
	while read -r number mode path; do
		chroot "$root" install -D -m "$mode" "/tmp/stackwright/staged/$number" "$path"
	done <"$work/files"
	while read -r path; do
		chroot "$root" find "$path" -mindepth 1 -delete
	done <"$work/empty"
	while read -r path; do
		chroot "$root" rm -rf "$path"
	done <"$work/remove"
	while read -r path; do
		chroot "$root" python3 -B -c 'import json, sys
with open(sys.argv[1], "r+") as file:
    content = json.load(file)
    file.seek(0)
    file.truncate()
    json.dump(content, file, indent=2, sort_keys=True)' "$path" </dev/null
	done <"$work/sort"
}

# What differs between two builds of the same packages, or is of no use in an image.
clean() {
	find "$root/var/log" -type f -delete
	find "$root/var/cache" -type f ! -path '*/debconf/*' -delete
	find "$root/var/lib/apt/lists" -mindepth 1 -delete
	rm -rf "$root"/var/lib/apt/extended_states "$root"/var/cache/debconf/*-old \
		"$root"/var/cache/debconf/tmp.ci "$root"/var/lib/dpkg/*-old \
		"$root"/etc/passwd- "$root"/etc/group- "$root"/etc/shadow- "$root"/etc/gshadow- "$root"/etc/subuid- \
		"$root"/etc/subgid- "$root"/etc/.pwd.lock "$root"/etc/hostname "$root"/etc/resolv.conf \
		"$root"/var/lib/dbus/machine-id "$root"/var/lib/systemd/random-seed "$root"/var/lib/systemd/catalog/database
	# open-iscsi and nvme-cli, which libraries of storage depend on, make random names of the machine.
	rm -f "$root"/etc/iscsi/initiatorname.iscsi "$root"/etc/nvme/hostid "$root"/etc/nvme/hostnqn
	: >"$root/etc/machine-id"
	# The day on which a password was last set.
	sed -E 's/^([^:]*:[^:]*):[0-9]+:/\1:1:/' "$root/etc/shadow" >"$work/shadow"
	cmp -s "$work/shadow" "$root/etc/shadow" || cat "$work/shadow" >"$root/etc/shadow"
	find "$root/tmp" "$root/run" "$root/dev" -mindepth 1 -xdev -delete
}

if [ -e "$work/include" ]; then
	bootstrap
	enter
	users
else
	enter
	users
	install_packages
fi
check_users
files
leave
clean
