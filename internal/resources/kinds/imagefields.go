package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

var imageContent = []d.Field{
	{API: "container_format", Enum: []string{"aki", "ami", "ari", "bare", "compressed", "docker", "ova", "ovf"},
		Default: "bare", Doc: "Format of what is around the disk; bare, which is nothing, when empty."},
	{API: "disk_format", Required: true,
		Enum: []string{"aki", "ami", "ari", "iso", "ploop", "qcow2", "raw", "vdi", "vhd", "vhdx", "vmdk"},
		Doc:  "Format of the disk."},
	{API: "download", Type: d.Object, Local: true,
		Doc: "Where the data comes from; it is uploaded by others when empty. The cloud fetches it when it offers " +
			"web-download and neither hash nor decompress is set, and the operator uploads it otherwise.", Fields: []d.Field{
			{API: "url", Required: true, Max: 2048, Pattern: "^https?://", Doc: "Address of the data."},
			{API: "decompress", Enum: []string{"bz2", "gz", "xz"}, Doc: "How the data is packed."},
			{API: "hash", Type: d.Object, Doc: "Sum that the data must have as it is downloaded, before it is unpacked.",
				Fields: []d.Field{
					{API: "algorithm", Required: true, Enum: []string{"md5", "sha1", "sha256", "sha512"},
						Doc: "Algorithm of the sum."},
					{API: "value", Required: true, Max: 128, Pattern: "^[0-9a-f]+$", Doc: "The sum in hexadecimal digits."},
				}},
		}},
}
