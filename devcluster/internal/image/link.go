package image

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/containerd/containerd/api/types"
	"github.com/opencontainers/go-digest"
	"golang.org/x/sys/unix"
)

// opaque is overlayfs' attribute of a folder that hides the one of the same name below.
const opaque = "trusted.overlay.opaque"

// unpacked is where the layout's folder has a layer unpacked, by its diff ID: in overlayfs' form, and never changed
// again. It is empty when nothing is there.
func (l *Layout) unpacked(id digest.Digest) string {
	if l.folder == "" {
		return ""
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(l.folder, "unpacked", id.Algorithm().String(), id.Encoded()))
	if err != nil {
		return ""
	}
	return dir
}

// upper is the folder of a new snapshot that takes what differs from its parent.
func upper(mounts []*types.Mount) (string, error) {
	if len(mounts) != 1 {
		return "", fmt.Errorf("the snapshot has %d mounts, want 1", len(mounts))
	}
	switch m := mounts[0]; m.GetType() {
	case "bind":
		return m.GetSource(), nil
	case "overlay":
		i := slices.IndexFunc(m.GetOptions(), func(o string) bool { return strings.HasPrefix(o, "upperdir=") })
		if i >= 0 {
			return strings.TrimPrefix(m.GetOptions()[i], "upperdir="), nil
		}
	}
	return "", fmt.Errorf("the snapshot is mounted as %s, want overlay or bind", mounts[0].GetType())
}

// linkTree fills a folder with what another has. Folders are made anew; files, symbolic links and whiteouts are the
// same ones, so nothing is read or written but names. Both have to be on one file system.
func linkTree(ctx context.Context, from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		source, target := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		if !e.IsDir() {
			if err := unix.Linkat(unix.AT_FDCWD, source, unix.AT_FDCWD, target, 0); err != nil {
				return &os.LinkError{Op: "link", Old: source, New: target, Err: err}
			}
			continue
		}
		if err := os.Mkdir(target, 0o700); err != nil {
			return err
		}
		if err := linkTree(ctx, source, target); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return likeFolder(from, to)
}

// likeFolder gives a folder the owner, mode, times and opacity of another, after all that is in it.
func likeFolder(from, to string) error {
	var has unix.Stat_t
	if err := unix.Lstat(from, &has); err != nil {
		return &fs.PathError{Op: "stat", Path: from, Err: err}
	}
	value := make([]byte, 8)
	n, err := unix.Lgetxattr(from, opaque, value)
	switch {
	case err == nil:
		err = unix.Lsetxattr(to, opaque, value[:n], 0)
	case errors.Is(err, unix.ENODATA), errors.Is(err, unix.ENOTSUP):
		err = nil
	}
	for _, step := range []func() error{
		func() error { return err },
		func() error { return unix.Lchown(to, int(has.Uid), int(has.Gid)) },
		func() error { return unix.Chmod(to, has.Mode&0o7777) },
		func() error {
			return unix.UtimesNanoAt(unix.AT_FDCWD, to, []unix.Timespec{has.Atim, has.Mtim}, unix.AT_SYMLINK_NOFOLLOW)
		},
	} {
		if err := step(); err != nil {
			return &fs.PathError{Op: "copying the attributes of a folder to", Path: to, Err: err}
		}
	}
	return nil
}
