package oslo

import (
	"fmt"
	"strings"
)

// Parse reads a configuration file as oslo.config does. Errors name the line and never its content, which may be
// secret.
func Parse(text string) (*File, error) {
	p := &parser{file: &File{}}
	for number, line := range strings.Split(text, "\n") {
		if err := p.line(strings.TrimRight(line, " \t\r\f\v")); err != nil {
			return nil, fmt.Errorf("line %d %w", number+1, err)
		}
	}
	p.flush()
	return p.file, nil
}

type parser struct {
	file    *File
	section string
	option  string
	value   []string
}

func (p *parser) line(line string) error {
	switch {
	case line == "":
		p.flush()
		return nil
	case line[0] == ' ' || line[0] == '\t':
		if p.option == "" {
			return fmt.Errorf("begins with a blank but continues nothing; take the blank away")
		}
		p.value = append(p.value, strings.TrimLeft(line, " \t"))
		return nil
	}
	p.flush()
	switch line[0] {
	case '#', ';':
		return nil
	case '[':
		return p.begin(line)
	}
	return p.assign(line)
}

func (p *parser) begin(line string) error {
	if !strings.HasSuffix(line, "]") || len(line) <= 2 {
		return fmt.Errorf("is no section; write [name]")
	}
	p.section = line[1 : len(line)-1]
	return nil
}

func (p *parser) assign(line string) error {
	at := strings.IndexAny(line, "=:")
	if at < 0 {
		return fmt.Errorf("is neither a section nor an option; write option = value")
	}
	option := strings.TrimSpace(line[:at])
	if option == "" {
		return fmt.Errorf("has a value without an option; write option = value")
	}
	if p.section == "" {
		return fmt.Errorf("sets an option outside of any section; put [%s] or another section above it", Default)
	}
	p.option, p.value = option, []string{unquote(strings.TrimSpace(line[at+1:]))}
	return nil
}

func (p *parser) flush() {
	if p.option != "" {
		p.file.add(p.section, p.option, strings.Join(p.value, "\n"))
	}
	p.option, p.value = "", nil
}

func unquote(value string) string {
	if n := len(value); n > 1 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		return value[1 : n-1]
	}
	return value
}
