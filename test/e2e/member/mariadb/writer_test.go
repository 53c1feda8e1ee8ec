//go:build e2e

package mariadb_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"stackwright.dev/stackwright/test/e2e/story"
)

const password = "writer-password"

// deniedDatabase is what MariaDB says to somebody whom it has let in.
const deniedDatabase = 1044

// writer inserts rows one after the other through whichever member takes writes, and counts those that were
// acknowledged.
type writer struct {
	l   *story.Lab
	o   *operator
	tls *tls.Config
	// acknowledged rows, by number.
	acknowledged []int64
	done         chan struct{}
	last         atomic.Int64
	failed       atomic.Int64
}

func newWriter(t *testing.T, l *story.Lab, o *operator) *writer {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(l.CA.Cert)
	return &writer{l: l, o: o, tls: &tls.Config{RootCAs: pool, ServerName: "galera", MinVersion: tls.VersionTLS12},
		done: make(chan struct{})}
}

func (w *writer) open(i int) *sql.DB { return w.as("app", password, i) }

// as opens a member as somebody.
func (w *writer) as(user, password string, i int) *sql.DB {
	w.l.Helper()
	return w.by(w.login(user, password, i))
}

// login is how somebody comes into the schema app by network.
func (w *writer) login(user, password string, i int) *mysql.Config {
	c := mysql.NewConfig()
	c.User, c.Passwd, c.DBName, c.Net, c.Addr = user, password, "app", "tcp", w.l.IP(i)+":3306"
	c.TLS, c.Timeout, c.ReadTimeout, c.WriteTimeout = w.tls, time.Second, 3*time.Second, 3*time.Second
	c.Logger = &mysql.NopLogger{}
	return c
}

func (w *writer) by(c *mysql.Config) *sql.DB {
	w.l.Helper()
	conn, err := mysql.NewConnector(c)
	if err != nil {
		w.l.Fatal(err)
	}
	return sql.OpenDB(conn)
}

// refuses fails the test when an account that is for the member's own pod is let in by network.
func (w *writer) refuses(user string, i int) {
	w.l.Helper()
	db := w.as(user, "", i)
	defer func() { _ = db.Close() }()
	var refusal *mysql.MySQLError
	err := db.PingContext(w.l.Context())
	if !errors.As(err, &refusal) || refusal.Number == deniedDatabase {
		w.l.Errorf("%s says %v to %s by network, want a refusal", w.l.Pod(i), err, user)
	}
}

func (w *writer) run(ctx context.Context) {
	defer close(w.done)
	var id int64
	var db *sql.DB
	var at string
	for ctx.Err() == nil {
		if now := w.o.writerIs(); db == nil || now != at {
			if db != nil {
				_ = db.Close()
			}
			at = now
			for i := range members {
				if w.l.Pod(i) == at {
					db = w.open(i)
				}
			}
		}
		id++
		if db == nil {
			continue
		}
		_, err := db.ExecContext(ctx, "INSERT INTO t (id, v) VALUES (?, ?)", id, strings.Repeat("x", 150))
		if err == nil {
			w.acknowledged = append(w.acknowledged, id)
			w.last.Store(id)
			continue
		}
		w.failed.Add(1)
		story.Pause(ctx, 20*time.Millisecond)
	}
	if db != nil {
		_ = db.Close()
	}
}

// check counts the acknowledged rows that a member does not have.
func (w *writer) check(i int) (have, lost int) {
	w.l.Helper()
	db := w.open(i)
	defer func() { _ = db.Close() }()
	rows, err := db.Query("SELECT id FROM t")
	if err != nil {
		w.l.Fatalf("reading rows on %s: %v", w.l.Pod(i), err)
	}
	defer func() { _ = rows.Close() }()
	there := map[int64]bool{}
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			w.l.Fatal(err)
		}
		there[id] = true
	}
	for _, id := range w.acknowledged {
		if !there[id] {
			lost++
		}
	}
	return len(there), lost
}
