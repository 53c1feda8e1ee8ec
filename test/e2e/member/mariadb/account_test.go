//go:build e2e

package mariadb_test

import (
	"errors"
	"strings"

	"github.com/go-sql-driver/mysql"

	"stackwright.dev/stackwright/internal/agent/mariadb"
)

// What MariaDB says to somebody with a wrong password, or without the TLS that the account needs, and to one who may
// not touch a table, or change the server; done is that it does what it is told.
const (
	deniedLogin = 1045
	deniedTable = 1142
	deniedRight = 1227
	done        = 0
)

// stranger is a Database beside app. Its name is a pattern that app matches, if rights are not given with care.
const stranger = "ap_"

// guarded makes a second schema and checks that neither account is let in without TLS, nor to what is the other's. The
// accounts are as the agent makes them for every Database.
func (s *scene) guarded() {
	s.Helper()
	if err := s.op.agents.Ensure(s.Context(), s.op.writerIs(), mariadb.Database{Name: stranger, CharacterSet: "utf8mb4",
		User: stranger, Password: password, RequireTLS: true, Owner: "cloud/stranger"}); err != nil {
		s.Fatal(err)
	}
	if err := s.op.agents.Ensure(s.Context(), s.op.writerIs(), mariadb.Database{Name: "thief", CharacterSet: "utf8mb4",
		User: stranger, Password: "another", RequireTLS: true, Owner: "cloud/thief"}); err == nil ||
		!strings.Contains(err.Error(), "account "+stranger+" belongs to Database cloud/stranger") {
		s.Errorf("the account of one Database was given to another: %v", err)
	}
	for i := range members {
		for _, user := range []string{"app", stranger} {
			plain := s.writer.login(user, password, i)
			plain.DBName, plain.TLS = user, nil
			s.writer.answers(plain, "DO 1", deniedLogin)
		}
		// The others refuse to write whoever asks.
		if s.Pod(i) == s.op.writerIs() {
			s.writer.apart(i)
		}
	}
}

// apart checks at the writer that the accounts have rights in their own schemas alone.
func (w *writer) apart(i int) {
	w.l.Helper()
	for _, user := range []string{"app", stranger} {
		own := w.login(user, password, i)
		own.DBName = user
		w.answers(own, "CREATE TABLE own (id INT PRIMARY KEY)", done)
		w.answers(own, "DROP TABLE own", done)
		w.answers(own, "SELECT User FROM mysql.global_priv", deniedTable)
		w.answers(own, "CREATE DATABASE more", deniedDatabase)
		w.answers(own, "SET GLOBAL max_connections = 10", deniedRight)
	}
	other := w.login(stranger, password, i)
	w.answers(other, "DO 1", deniedDatabase)
	other.DBName = stranger
	for _, forbidden := range []string{"SELECT v FROM app.t", "INSERT INTO app.t (id, v) VALUES (-1, 'x')",
		"UPDATE app.t SET v = 'x'", "DELETE FROM app.t", "DROP TABLE app.t", "CREATE TABLE app.mine (id INT)"} {
		w.answers(other, forbidden, deniedTable)
	}
}

// answers fails the test when a member says something else to a statement than this number.
func (w *writer) answers(as *mysql.Config, statement string, want uint16) {
	w.l.Helper()
	db := w.by(as)
	defer func() { _ = db.Close() }()
	_, err := db.ExecContext(w.l.Context(), statement)
	var refusal *mysql.MySQLError
	if err == nil && want == done || errors.As(err, &refusal) && refusal.Number == want {
		return
	}
	w.l.Errorf("%s at %s, with TLS: %t: the answer to %q is %v, want error %d", as.User, as.Addr, as.TLS != nil, statement,
		err, want)
}
