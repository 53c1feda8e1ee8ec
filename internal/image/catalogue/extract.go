package catalogue

import _ "embed"

// Script prints a catalogue when Python runs it inside an image with the release, the service and the oslo.config
// namespaces as arguments.
//
//go:embed extract.py
var Script string
