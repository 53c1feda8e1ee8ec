package apt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Repository makes an archive in dir that holds exactly the given packages, whose files are in debs.
func Repository(ctx context.Context, dir, codename, debs string, packages []Package) error {
	index := filepath.Join(dir, "dists", codename, "main", "binary-"+Architecture())
	pool := filepath.Join(dir, "pool")
	for _, sub := range []string{index, pool} {
		if err := os.MkdirAll(sub, 0o755); err != nil {
			return fmt.Errorf("making an archive of packages: %w", err)
		}
	}
	var listed strings.Builder
	for _, p := range packages {
		stanza, err := publish(ctx, p, debs, pool)
		if err != nil {
			return err
		}
		listed.WriteString(stanza.String() + "\n")
	}
	sum := sha256.Sum256([]byte(listed.String()))
	release := fmt.Sprintf("Origin: Debian\nLabel: Debian\nSuite: %s\nCodename: %s\nDate: Thu, 01 Jan 1970 00:00:00 UTC\n"+
		"Architectures: %s\nComponents: main\nSHA256:\n %s %d main/binary-%s/Packages\n",
		codename, codename, Architecture(), hex.EncodeToString(sum[:]), listed.Len(), Architecture())
	for name, text := range map[string]string{
		filepath.Join(index, "Packages"):                 release,
		filepath.Join(dir, "dists", codename, "Release"): release,
	} {
		if strings.HasSuffix(name, "Packages") {
			text = listed.String()
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return fmt.Errorf("making an archive of packages: %w", err)
		}
	}
	return nil
}

// publish puts a package into the pool and returns its stanza for the index.
func publish(ctx context.Context, p Package, debs, pool string) (Stanza, error) {
	if err := Verify(debs, p); err != nil {
		return Stanza{}, err
	}
	name := p.FileName()
	file := filepath.Join(debs, name)
	control, err := exec.CommandContext(ctx, "dpkg-deb", "--field", file).Output()
	if err != nil {
		return Stanza{}, fmt.Errorf("reading package %s: %w", p.Name, err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return Stanza{}, fmt.Errorf("reading package %s: %w", p.Name, err)
	}
	// The percent sign of an epoch would be taken for an escape.
	pooled := strings.ReplaceAll(name, "%", "_")
	if err := os.Link(file, filepath.Join(pool, pooled)); err != nil {
		return Stanza{}, fmt.Errorf("making an archive of packages: %w", err)
	}
	return ParseStanzas(string(control))[0].With("Filename", "pool/"+pooled).
		With("Size", strconv.FormatInt(info.Size(), 10)).With("SHA256", p.SHA256), nil
}

// Made returns when a package's file was made, in seconds; its first member carries the time.
func Made(file string) (int64, error) {
	deb, err := os.Open(file)
	if err != nil {
		return 0, fmt.Errorf("reading package: %w", err)
	}
	defer deb.Close()
	// An ar archive: 8 bytes of magic, then a header whose 12 bytes after the 16 of the name are the time.
	header := make([]byte, 36)
	if _, err := io.ReadFull(deb, header); err != nil {
		return 0, fmt.Errorf("reading package %s: %w", file, err)
	}
	made, err := strconv.ParseInt(strings.TrimSpace(string(header[24:36])), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading package %s: it is not a Debian package: %w", file, err)
	}
	return made, nil
}
