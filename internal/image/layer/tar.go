package layer

import (
	"archive/tar"
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Names that an image layer uses to say that something of a lower layer is gone.
const (
	whiteoutPrefix = ".wh."
	opaqueMarker   = ".wh..wh..opq"
)

type inode struct{ device, number uint64 }

// writer archives the upper folder of an overlay as an image layer. The same content gives the same bytes: the order is
// by name, users and groups are numbers, and no time is later than epoch. The folder gets the archive's times, so that
// it may stand for the archive.
type writer struct {
	// root is the upper folder, lower are those below it.
	root  string
	lower []string
	epoch time.Time
	tar   *tar.Writer
	links map[inode]string
}

func (w *writer) write(file string) (digest string, size int64, err error) {
	out, err := os.Create(file)
	if err != nil {
		return "", 0, err
	}
	defer out.Close()
	hash := sha256.New()
	buffered := bufio.NewWriterSize(io.MultiWriter(out, hash), 1<<20)
	w.tar, w.links = tar.NewWriter(buffered), map[inode]string{}
	if err := filepath.WalkDir(w.root, w.add); err != nil {
		return "", 0, err
	}
	if err := errors.Join(w.tar.Close(), buffered.Flush()); err != nil {
		return "", 0, err
	}
	info, err := out.Stat()
	if err != nil {
		return "", 0, err
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), info.Size(), out.Close()
}

func (w *writer) add(path string, entry fs.DirEntry, err error) error {
	if err != nil || path == w.root {
		return err
	}
	name, err := filepath.Rel(w.root, path)
	if err != nil {
		return err
	}
	info, err := entry.Info()
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("%s: unknown kind of file system", path)
	}
	switch {
	case info.Mode()&fs.ModeCharDevice != 0 && stat.Rdev == 0:
		return w.marker(filepath.Join(filepath.Dir(name), whiteoutPrefix+filepath.Base(name)))
	case info.Mode()&(fs.ModeSocket|fs.ModeDevice|fs.ModeNamedPipe) != 0:
		return fmt.Errorf("/%s is a %s, which cannot be part of a layer", name, info.Mode().Type())
	}
	return w.entry(path, name, info, stat)
}

// marker adds an empty file that stands for something gone.
func (w *writer) marker(name string) error {
	return w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, ModTime: w.epoch})
}

func (w *writer) entry(path, name string, info fs.FileInfo, stat *syscall.Stat_t) error {
	target := ""
	if info.Mode()&fs.ModeSymlink != 0 {
		var err error
		if target, err = os.Readlink(path); err != nil {
			return err
		}
	}
	header, err := tar.FileInfoHeader(info, target)
	if err != nil {
		return err
	}
	header.Name = name
	header.Uname, header.Gname = "", ""
	header.AccessTime, header.ChangeTime = time.Time{}, time.Time{}
	if header.ModTime = info.ModTime().Truncate(time.Second); header.ModTime.After(w.epoch) {
		header.ModTime = w.epoch
	}
	if err := settle(path, info.ModTime(), header.ModTime); err != nil {
		return err
	}
	if info.IsDir() {
		header.Name += "/"
		return w.directory(path, header)
	}
	if key := (inode{stat.Dev, stat.Ino}); stat.Nlink > 1 {
		if first, ok := w.links[key]; ok {
			header.Typeflag, header.Linkname, header.Size = tar.TypeLink, first, 0
			return w.tar.WriteHeader(header)
		}
		w.links[key] = name
	}
	return w.file(path, header)
}

// settle gives a file, or a symbolic link itself, the time that it has in the archive.
func settle(path string, has, want time.Time) error {
	if has.Equal(want) {
		return nil
	}
	at := unix.NsecToTimespec(want.UnixNano())
	if err := unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{at, at}, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return &fs.PathError{Op: "setting the time of", Path: path, Err: err}
	}
	return nil
}

func (w *writer) directory(path string, header *tar.Header) error {
	if err := w.tar.WriteHeader(header); err != nil {
		return err
	}
	value, err := xattr(path, "trusted.overlay.opaque")
	if err != nil || value != "y" || !w.covers(header.Name) {
		return err
	}
	return w.marker(header.Name + opaqueMarker)
}

// covers tells whether a lower layer has a folder of the same name. overlayfs marks every new folder as opaque, also
// where there is nothing to hide.
func (w *writer) covers(name string) bool {
	for _, lower := range w.lower {
		if info, err := os.Lstat(filepath.Join(lower, name)); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

func (w *writer) file(path string, header *tar.Header) error {
	if header.Typeflag != tar.TypeReg {
		return w.tar.WriteHeader(header)
	}
	capability, err := xattr(path, "security.capability")
	if err != nil {
		return err
	}
	if capability != "" {
		header.PAXRecords = map[string]string{"SCHILY.xattr.security.capability": capability}
	}
	if err := w.tar.WriteHeader(header); err != nil {
		return err
	}
	content, err := os.Open(path)
	if err != nil {
		return err
	}
	defer content.Close()
	_, err = io.Copy(w.tar, content)
	return err
}

// xattr reads an extended attribute; a missing one is empty.
func xattr(path, name string) (string, error) {
	value := make([]byte, 256)
	n, err := syscall.Getxattr(path, name, value)
	if errors.Is(err, syscall.ENODATA) || errors.Is(err, syscall.ENOTSUP) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading attribute %s of %s: %w", name, path, err)
	}
	return string(value[:n]), nil
}
