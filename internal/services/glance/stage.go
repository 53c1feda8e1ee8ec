package glance

import _ "embed"

// stageModule is imported by the program that runs the API.
//
//go:embed stage.py
var stageModule []byte

// stageModuleName is by what it is imported.
const stageModuleName = "stackwright_stage"

// staging lets pods ask each other for what is staged, where they share no volume for that. They are at service.
func staging(g *glance, service string) []string {
	if len(files(g)) > 0 {
		return nil
	}
	return []string{"env = STACKWRIGHT_SERVICE=" + service, "import = " + stageModuleName}
}
