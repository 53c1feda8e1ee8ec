package spec

// Layer is one layer of an image: packages and files on top of a parent.
type Layer struct {
	// Name is the file's name.
	Name string `json:"-"`
	// Parent is the layer below. A layer without one starts from nothing: with packages it becomes a minimal Debian,
	// without it holds its files alone.
	Parent string `json:"parent,omitempty"`
	// Packages are installed with what they depend on, without what they recommend.
	Packages []string `json:"packages,omitempty"`
	// Users exist before the packages are installed, so that these keep the numbers given here.
	Users []User `json:"users,omitempty"`
	// Files are added after the packages.
	Files []File `json:"files,omitempty"`
	// Empty lists directories whose content is removed.
	Empty []string `json:"empty,omitempty"`
	// Remove lists paths that are removed.
	Remove []string `json:"remove,omitempty"`
	// Sort lists files of JSON whose keys a package writes in any order: they are put in order. The layer has Python.
	Sort []string `json:"sort,omitempty"`
	// Image publishes the layer with its parents as an image.
	Image *Image `json:"image,omitempty"`
}

// User is an account with numbers that never change.
type User struct {
	Name string `json:"name"`
	UID  int    `json:"uid"`
	GID  int    `json:"gid"`
	Home string `json:"home"`
}

// File is one file of a layer. Exactly one of Binary, Content and Layer says where it comes from.
type File struct {
	// Path is where the file is put.
	Path string `json:"path"`
	// Mode in octal; 0644 when empty.
	Mode string `json:"mode,omitempty"`
	// Binary names a program that was built beforehand.
	Binary string `json:"binary,omitempty"`
	// Content is the file's text.
	Content string `json:"content,omitempty"`
	// Layer and Source name a file of another layer.
	Layer  string `json:"layer,omitempty"`
	Source string `json:"source,omitempty"`
	// Package names the package that brings a file of another layer, for the SBOM.
	Package string `json:"package,omitempty"`
}

// Image is how a layer is published.
type Image struct {
	// Title is the image's name for people.
	Title string `json:"title"`
	// User runs the processes; it is one of the Users of the layer or of its parents.
	User string `json:"user"`
	// MainPackage is the package whose version the image carries in its label.
	MainPackage string `json:"mainPackage,omitempty"`
	// Entrypoint and WorkingDir as in the OCI image configuration.
	Entrypoint []string `json:"entrypoint,omitempty"`
	WorkingDir string   `json:"workingDir,omitempty"`
	// Env is added to PATH and LC_ALL.
	Env []string `json:"env,omitempty"`
	// Options asks for the catalogue of the service's configuration options.
	Options *Options `json:"options,omitempty"`
}

// Options says where the configuration options of a service are declared: one of the two.
type Options struct {
	// Namespaces are the entry points that oslo.config's generator reads.
	Namespaces []string `json:"namespaces,omitempty"`
	// Lenses are those by which Augeas edits the files of the service, such as libvirtd_qemu.
	Lenses []string `json:"lenses,omitempty"`
}

// Needs lists the layers that must exist before this one can be built.
func (l *Layer) Needs() []string {
	var needs []string
	if l.Parent != "" {
		needs = append(needs, l.Parent)
	}
	for _, file := range l.Files {
		if file.Layer != "" {
			needs = append(needs, file.Layer)
		}
	}
	return needs
}

// Installs tells whether the layer adds packages.
func (l *Layer) Installs() bool { return len(l.Packages) > 0 }

// Scratch tells whether the layer holds nothing but its files.
func (l *Layer) Scratch() bool { return l.Parent == "" && !l.Installs() }
