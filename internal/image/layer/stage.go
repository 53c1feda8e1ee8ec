package layer

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"stackwright.dev/stackwright/internal/image/apt"
	"stackwright.dev/stackwright/internal/image/spec"
)

// stage writes what the recipe reads.
func (b *Builder) stage(ctx context.Context, in *Input, work string) error {
	if err := stageRecipe(work); err != nil {
		return err
	}
	var users, files strings.Builder
	for _, user := range in.Layer.Users {
		fmt.Fprintf(&users, "%s %d %d %s\n", user.Name, user.UID, user.GID, user.Home)
	}
	for i, file := range in.Layer.Files {
		mode, err := file.Perm()
		if err != nil {
			return err
		}
		fmt.Fprintf(&files, "%d %04o %s\n", i, mode, file.Path)
		if err := put(in.Files[i], filepath.Join(work, "staged", strconv.Itoa(i)), 0o600); err != nil {
			return err
		}
	}
	texts := map[string]string{
		"users":  users.String(),
		"files":  files.String(),
		"empty":  lines(in.Layer.Empty),
		"remove": lines(in.Layer.Remove),
		"sort":   lines(in.Layer.Sort),
	}
	if in.bootstrap() {
		texts["sources"] = in.Sources
		texts["include"] = include(in.Packages)
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("staging: %w", err)
		}
	}
	if in.bootstrap() {
		return apt.Repository(ctx, filepath.Join(work, "repository"), in.Codename, b.Packages, in.Packages)
	}
	return b.stagePackages(in, work)
}

func stageRecipe(work string) error {
	for _, name := range []string{"build.sh", "dpkg.cfg"} {
		data, err := recipe.ReadFile("recipe/" + name)
		if err != nil {
			return fmt.Errorf("staging the recipe: %w", err)
		}
		if err := os.WriteFile(filepath.Join(work, name), data, 0o644); err != nil {
			return fmt.Errorf("staging the recipe: %w", err)
		}
	}
	return nil
}

// stagePackages links the packages' files after checking that they are what the address says.
func (b *Builder) stagePackages(in *Input, work string) error {
	for _, p := range in.Packages {
		if err := apt.Verify(b.Packages, p); err != nil {
			return err
		}
		name := p.FileName()
		if err := os.Link(filepath.Join(b.Packages, name), filepath.Join(work, "debs", name)); err != nil {
			return fmt.Errorf("staging packages: %w", err)
		}
	}
	return nil
}

func include(packages []apt.Package) string {
	names := make([]string, len(packages))
	for i, p := range packages {
		names[i] = p.Name
	}
	return strings.Join(names, ",")
}

func lines(texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString(text + "\n")
	}
	return b.String()
}

// assemble makes a layer that holds its files alone.
func assemble(in *Input, root string) error {
	for _, dir := range []string{"etc", "tmp"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return fmt.Errorf("assembling: %w", err)
		}
	}
	if err := os.Chmod(filepath.Join(root, "tmp"), 0o777|os.ModeSticky); err != nil {
		return fmt.Errorf("assembling: %w", err)
	}
	if err := accounts(in.Layer.Users, root); err != nil {
		return err
	}
	for i, file := range in.Layer.Files {
		mode, err := file.Perm()
		if err != nil {
			return err
		}
		if err := put(in.Files[i], filepath.Join(root, file.Path), os.FileMode(mode)); err != nil {
			return err
		}
	}
	return nil
}

func accounts(users []spec.User, root string) error {
	passwd, group := "root:x:0:0:root:/:/sbin/nologin\n", "root:x:0:\n"
	for _, user := range users {
		passwd += fmt.Sprintf("%s:x:%d:%d::%s:/sbin/nologin\n", user.Name, user.UID, user.GID, user.Home)
		group += fmt.Sprintf("%s:x:%d:\n", user.Name, user.GID)
		home := filepath.Join(root, user.Home)
		if err := os.MkdirAll(home, 0o755); err != nil {
			return fmt.Errorf("making home of %s: %w", user.Name, err)
		}
		if err := os.Chown(home, user.UID, user.GID); err != nil {
			return fmt.Errorf("making home of %s: %w: run as root", user.Name, err)
		}
	}
	for name, text := range map[string]string{"passwd": passwd, "group": group} {
		if err := os.WriteFile(filepath.Join(root, "etc", name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("making accounts: %w", err)
		}
	}
	return nil
}

// put writes a file's content to a path.
func put(file File, path string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("putting %s: %w", path, err)
	}
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return fmt.Errorf("putting %s: %w", path, err)
	}
	defer to.Close()
	if file.Path == "" {
		_, err = to.Write(file.Content)
	} else {
		err = copyFrom(to, file.Path)
	}
	if err != nil {
		return fmt.Errorf("putting %s: %w", path, err)
	}
	return os.Chmod(path, mode)
}

func copyFrom(to io.Writer, path string) error {
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = io.Copy(to, from)
	return err
}
