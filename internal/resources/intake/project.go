package intake

import (
	"context"
	"fmt"
	"strings"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources"
)

// Project finds a project by its id or its name. Credentials that may not list projects have to give the id.
func Project(ctx context.Context, census *resources.Census, word string) (id string, err error) {
	found, err := census.Of(ctx, "Project")
	if openstack.ClassOf(err) == openstack.Auth && uuid.MatchString(word) {
		return word, nil
	}
	if err != nil {
		return "", fmt.Errorf("looking for project %s: %w", word, err)
	}
	var named []string
	for _, f := range found {
		if f.ID == word {
			return word, nil
		}
		if NameOf(f) == word {
			named = append(named, f.ID)
		}
	}
	switch len(named) {
	case 0:
		return "", fmt.Errorf("the cloud has no project %s that its credentials see; name another", word)
	case 1:
		return named[0], nil
	}
	return "", fmt.Errorf("%d projects are named %s; use one of the ids %s", len(named), word, strings.Join(named, ", "))
}
