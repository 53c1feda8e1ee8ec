package fetch

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/xi2/xz"
)

// dictionary is the memory that unpacking xz takes at most, that of xz -9.
const dictionary = 64 << 20

// unpack returns what is packed in r.
func unpack(packed string, r io.Reader) (io.Reader, error) {
	switch packed {
	case "":
		return r, nil
	case "gz":
		return gzip.NewReader(bufio.NewReaderSize(r, 1<<16))
	case "bz2":
		return bzip2.NewReader(bufio.NewReaderSize(r, 1<<16)), nil
	case "xz":
		return xz.NewReader(bufio.NewReaderSize(r, 1<<16), dictionary)
	}
	return nil, fmt.Errorf("%q is none of gz, bz2 and xz", packed)
}
