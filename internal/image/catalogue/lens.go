package catalogue

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// LensReader is the text of this file. What was read by another one is read again.
//
//go:embed lens.go
var LensReader string

// Places of a lens, in the language of Augeas: the file that it is for, a definition, numbers, and an entry of a kind.
var (
	lensFile    = regexp.MustCompile(`\bincl "/[^"]*/([^/"]+)"`)
	lensLet     = regexp.MustCompile(`^\s*let (\w+)`)
	lensInteger = regexp.MustCompile(`^\s*let int_val = store /(-\?)?`)
	lensEntry   = regexp.MustCompile(`\b([a-z_]+)_entry\s+"([^"]+)"`)
)

// lensObsolete is the definition of options that libvirt takes no more.
const lensObsolete = "obsolete_entry"

// Limit is the pattern of a string that is a number or says that there is none.
const Limit = "^(unlimited|[0-9]+)$"

// AddLens adds the options of one file of libvirt from the lens by which Augeas edits that: names and kinds. libvirt's
// own tests hold the lens to what its daemons read. The group is the file's name, such as libvirtd.conf. A list of
// strings is a string that may be given several times.
func (c *Catalogue) AddLens(text string) error {
	file := lensFile.FindStringSubmatch(text)
	if file == nil {
		return errors.New("reading a lens: it does not say which file it is for")
	}
	options := map[string]Option{}
	definition, least := "", json.Number("")
	for line := range strings.Lines(text) {
		if m := lensLet.FindStringSubmatch(line); m != nil {
			definition = m[1]
		}
		if m := lensInteger.FindStringSubmatch(line); m != nil && m[1] == "" {
			least = "0"
		}
		if definition == lensObsolete {
			continue
		}
		for _, m := range lensEntry.FindAllStringSubmatch(line, -1) {
			option, ok := lensOption(m[1], least)
			if !ok {
				return fmt.Errorf("reading the lens of %s: option %s is of an unknown kind, %s", file[1], m[2], m[1])
			}
			options[m[2]] = option
		}
	}
	if len(options) == 0 {
		return fmt.Errorf("reading the lens of %s: it has no options", file[1])
	}
	if c.Groups == nil {
		c.Groups = map[string]Group{}
	}
	c.Groups[file[1]] = Group{Options: options}
	return nil
}

// lensOption is an option of a kind that libvirt's lenses define.
func lensOption(kind string, least json.Number) (o Option, ok bool) {
	switch kind {
	case "str":
		o.Kind = KindString
	case "str_array":
		o.Kind, o.Multi = KindString, true
	case "bool":
		o.Kind = KindBoolean
	case "int":
		o.Kind, o.Min = KindInteger, least
	case "limits":
		o.Kind, o.Regex = KindString, Limit
	default:
		return o, false
	}
	return o, true
}
