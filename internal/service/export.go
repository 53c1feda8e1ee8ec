package service

import (
	"bytes"
	"slices"

	"stackwright.dev/kit/step"

	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/service/oslo"
)

// OptionRefs names all references that the configuration is made of, for a step that exports it.
func (s Service[T]) OptionRefs() []string { return s.optionRefs() }

// Export is the configuration for programs of the service that run elsewhere, and the authorities by which they know
// others. The programs find them as ca.crt in folder, and have no database. change is made before what a person asks
// for.
func (s Service[T]) Export(sc *step.Scope[T], folder string, change func(*oslo.File)) (*oslo.File, []byte, error) {
	base := s.base(sc)
	change(base)
	if err := sc.Err(); err != nil {
		return nil, nil, err
	}
	whole, err := s.compose(sc, base)
	if err != nil {
		return nil, nil, err
	}
	hidden := append([]string{s.databaseSection()}, s.Databases...)
	file := whole.Only(slices.DeleteFunc(whole.Sections(), func(n string) bool { return slices.Contains(hidden, n) })...)
	for _, section := range file.Sections() {
		for _, option := range file.Options(section) {
			if v, _ := file.Value(section, option); v == path("keystone", keyCA) || v == path("bus", keyCA) {
				file.Set(section, option, folder+"/"+keyCA)
			}
		}
	}
	authorities := sc.Content(RefAuthority)[keyCA]
	if other := sc.Content(RefBus)[keyCA]; !bytes.Equal(other, authorities) {
		authorities = pki.Bundle(authorities, other)
	}
	return file, authorities, nil
}
