package sample

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// matching is the n-th string that is made for a pattern, of at least some length; false when there is no such one.
func matching(pattern string, n, least int) (string, bool) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	many := 1
	text := expand(tree, n, many)
	for len(text) < least && many < least {
		many++
		text = expand(tree, n, many)
	}
	if n > 0 && text == expand(tree, 0, many) {
		return "", false
	}
	fits, err := regexp.MatchString(pattern, text)
	return text, err == nil && fits && len(text) >= least
}

// expand writes what a part of a pattern stands for, with each choice made by n, and many of what may be repeated.
func expand(t *syntax.Regexp, n, many int) string {
	switch t.Op {
	case syntax.OpLiteral:
		return string(t.Rune)
	case syntax.OpCharClass:
		return string(pick(t.Rune, n))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return string(rune('a' + n%26))
	case syntax.OpAlternate:
		return expand(t.Sub[n%len(t.Sub)], n, many)
	case syntax.OpRepeat:
		most := t.Max
		if most < 0 {
			most = max(many, t.Min)
		}
		return strings.Repeat(expand(t.Sub[0], n, many), max(t.Min, min(many, most)))
	case syntax.OpStar, syntax.OpPlus:
		return strings.Repeat(expand(t.Sub[0], n, many), many)
	case syntax.OpCapture, syntax.OpQuest:
		return expand(t.Sub[0], n, many)
	case syntax.OpConcat:
		var b strings.Builder
		for _, s := range t.Sub {
			b.WriteString(expand(s, n, many))
		}
		return b.String()
	default:
		return ""
	}
}

// pick is a rune of a class, a small letter or a digit if there is one.
func pick(class []rune, n int) rune {
	for _, first := range []rune{'a', '1', '0', 'A'} {
		if r := first + rune(n); contains(class, r) {
			return r
		}
	}
	r := class[0] + rune(n)
	if contains(class, r) {
		return r
	}
	return class[0]
}

// contains looks into the ranges of a class.
func contains(class []rune, r rune) bool {
	for i := 0; i+1 < len(class); i += 2 {
		if class[i] <= r && r <= class[i+1] {
			return true
		}
	}
	return false
}
