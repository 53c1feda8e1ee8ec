package mariadb

import (
	"errors"
	"net/http"
	"testing"

	"stackwright.dev/stackwright/internal/agent"
)

// Nobody is given, and nobody drops, what is MariaDB's own, whatever the API server has let through.
func TestItsOwnIsNotGivenAway(t *testing.T) {
	closed := &door{} // a statement to it would end the test
	for _, w := range []Database{
		{Name: "mysql", User: "evil"}, {Name: "sys", User: "evil"}, {Name: "information_schema", User: "evil"},
		{Name: "performance_schema", User: "evil"}, {Name: "shop", User: "mysql"}, {Name: "shop", User: "root"},
		{Name: "shop", User: "public"}, {Name: "shop", User: "mariadb_sys"},
	} {
		w.CharacterSet, w.Password, w.Owner = "utf8mb4", "a", "b"
		err := closed.ensure(t.Context(), w)
		if r, ok := errors.AsType[*agent.Refusal](err); !ok || r.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s for %s: %v", w.Name, w.User, err)
		}
		if err := closed.drop(t.Context(), w); err != nil {
			t.Errorf("dropping %s of %s: %v", w.Name, w.User, err)
		}
	}
}
