package fetch

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/xi2/xz"
)

const (
	// dictionary is the memory that unpacking xz takes at most, that of xz -9; leastDictionary is the smallest one.
	dictionary      = 64 << 20
	leastDictionary = 4 << 10
	// bzip2Block is what unpacking a block of bzip2 -9 takes.
	bzip2Block = 4 << 20
)

// needs is the memory that unpacking what is in r takes.
func needs(packed string, r *bufio.Reader) int64 {
	switch packed {
	case "bz2":
		return bzip2Block
	case "xz":
		return dictionaryOf(r)
	}
	return 0
}

// dictionaryOf reads the size of the dictionary from the header of the first block (2.1 and 5.3.1 of the .xz file
// format). Those of further blocks may be no larger, or unpacking fails.
func dictionaryOf(r *bufio.Reader) int64 {
	const stream, checksum = 12, 4
	head, err := r.Peek(stream + 1)
	if err != nil || head[stream] == 0 {
		return leastDictionary // there is no block, or unpacking tells what is wrong
	}
	head, err = r.Peek(stream + 4*(int(head[stream])+1))
	if err != nil {
		return leastDictionary
	}
	filters := head[stream+2 : len(head)-checksum]
	last := bytes.LastIndex(filters, []byte{0x21, 1}) // LZMA2, with one byte of properties
	if last < 0 || last+2 >= len(filters) {
		return leastDictionary
	}
	bits := filters[last+2]
	return min(max(int64(2+bits&1)<<(bits>>1+11), leastDictionary), dictionary)
}

// unpack returns what is packed in r. It takes no more memory than needs has said.
func unpack(packed string, r *bufio.Reader, memory int64) (io.Reader, error) {
	switch packed {
	case "":
		return r, nil
	case "gz":
		return gzip.NewReader(r)
	case "bz2":
		return bzip2.NewReader(r), nil
	case "xz":
		return xz.NewReader(r, uint32(memory))
	}
	return nil, fmt.Errorf("%q is none of gz, bz2 and xz", packed)
}
