package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-sql-driver/mysql"

	"stackwright.dev/stackwright/internal/agent"
)

// account is the database account that this process may use by its uid alone.
const account = "mysql"

// door is how the agent talks to its own mariadbd.
type door struct {
	db *sql.DB
	// accounts lets one Database at a time look whose an account is, and take it.
	accounts sync.Mutex
}

func newDoor(socket string) (*door, error) {
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.InterpolateParams = account, "unix", socket, true
	conn, err := mysql.NewConnector(c)
	if err != nil {
		return nil, fmt.Errorf("preparing the connection to mariadbd: %w", err)
	}
	db := sql.OpenDB(conn)
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(1)
	return &door{db: db}, nil
}

func (d *door) close() { _ = d.db.Close() }

// wsrep reads the state of replication.
func (d *door) wsrep(ctx context.Context) (Wsrep, error) {
	rows, err := d.db.QueryContext(ctx, `SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_cluster_status','wsrep_ready',
		'wsrep_local_state_comment','wsrep_cluster_state_uuid','wsrep_last_committed')`)
	if err != nil {
		return Wsrep{}, fmt.Errorf("reading the state of replication: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var w Wsrep
	for rows.Next() {
		var key, value string
		if err := rows.Scan(&key, &value); err != nil {
			return Wsrep{}, fmt.Errorf("reading the state of replication: %w", err)
		}
		switch strings.ToLower(key) {
		case "wsrep_cluster_status":
			w.Primary = value == "Primary"
		case "wsrep_ready":
			w.Ready = value == "ON"
		case "wsrep_local_state_comment":
			w.Local = value
		case "wsrep_cluster_state_uuid":
			w.UUID = value
		case "wsrep_last_committed":
			w.Seqno, _ = strconv.ParseInt(value, 10, 64)
		}
	}
	if err := rows.Err(); err != nil {
		return Wsrep{}, fmt.Errorf("reading the state of replication: %w", err)
	}
	if w.Ready && w.Primary {
		w.Members, err = d.members(ctx)
	}
	return w, err
}

func (d *door) members(ctx context.Context) ([]string, error) {
	rows, err := d.db.QueryContext(ctx, "SELECT NAME FROM information_schema.WSREP_MEMBERSHIP")
	if err != nil {
		return nil, fmt.Errorf("reading the members: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var n string
		if err := rows.Scan(&n); err != nil {
			return nil, fmt.Errorf("reading the members: %w", err)
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return out, rows.Err()
}

// openWrites lets clients write, after everything that other members have acknowledged is applied here.
func (d *door) openWrites(ctx context.Context) error {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("opening writes: %w", err)
	}
	defer func() { _ = conn.Close() }()
	for _, q := range []string{"SET SESSION wsrep_sync_wait = 1", "SELECT 1 FROM mysql.global_priv LIMIT 1",
		"SET SESSION wsrep_sync_wait = 0", "SET GLOBAL read_only = OFF"} {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("opening writes: %w", err)
		}
	}
	return nil
}

// closeWrites refuses writes of clients and ends their connections, so that pools open new ones to the new writer.
func (d *door) closeWrites(ctx context.Context) error {
	if _, err := d.db.ExecContext(ctx, "SET GLOBAL read_only = ON"); err != nil {
		return fmt.Errorf("closing writes: %w", err)
	}
	ids, err := d.clients(ctx)
	if err != nil {
		return err
	}
	return d.end(ctx, ids)
}

// clients are the connections that are neither the agent's nor mariadbd's own, by number.
func (d *door) clients(ctx context.Context) ([]int64, error) {
	rows, err := d.db.QueryContext(ctx, `SELECT ID FROM information_schema.PROCESSLIST
		WHERE COMMAND NOT IN ('Daemon', 'Binlog Dump') AND USER NOT IN ('system user', 'event_scheduler', ?)`, account)
	if err != nil {
		return nil, fmt.Errorf("listing connections: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("listing connections: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// end ends connections.
func (d *door) end(ctx context.Context, ids []int64) error {
	for _, id := range ids {
		_, err := d.db.ExecContext(ctx, fmt.Sprintf("KILL CONNECTION %d", id))
		// 1094: the connection has ended in the meantime.
		if e, ok := errors.AsType[*mysql.MySQLError](err); err != nil && (!ok || e.Number != 1094) {
			return fmt.Errorf("ending a connection: %w", err)
		}
	}
	return nil
}

// writable tells whether clients may write.
func (d *door) writable(ctx context.Context) (bool, error) {
	var ro bool
	if err := d.db.QueryRowContext(ctx, "SELECT @@GLOBAL.read_only").Scan(&ro); err != nil {
		return false, fmt.Errorf("reading read_only: %w", err)
	}
	return !ro, nil
}

// reloadTLS makes mariadbd and Galera read their certificates anew; connections stay. Since MariaDB 11.8 the options of
// the provider are variables of their own, and wsrep_provider_options cannot be set any more.
func (d *door) reloadTLS(ctx context.Context) error {
	for _, q := range []string{"FLUSH SSL", "SET GLOBAL wsrep_provider_socket_ssl_reload = ON"} {
		if _, err := d.db.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("reloading certificates: %w", err)
		}
	}
	return nil
}

var (
	validName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	validSet  = regexp.MustCompile(`^[a-z0-9]{1,32}$`)
)

// itsOwn tells whether a schema or an account is one of MariaDB itself, which no Database gets: who may use the schema
// mysql may do everything.
func (w Database) itsOwn() bool {
	schemas, accounts := []string{"mysql", "sys", "information_schema", "performance_schema"},
		[]string{account, "root", "public", "mariadb_sys"}
	return slices.Contains(schemas, w.Name) || slices.Contains(accounts, w.User)
}

// ensure makes a schema and its account be as wanted. The account may use that schema and nothing else.
func (d *door) ensure(ctx context.Context, w Database) error {
	if !validName.MatchString(w.Name) || !validName.MatchString(w.User) || !validSet.MatchString(w.CharacterSet) ||
		w.itsOwn() {
		return &agent.Refusal{Code: 422, Message: "name, user or character set of the database is not valid"}
	}
	if w.Password == "" {
		return &agent.Refusal{Code: 422, Message: "the database's account needs a password"}
	}
	d.accounts.Lock()
	defer d.accounts.Unlock()
	was, err := d.observe(ctx, w)
	if err != nil {
		return err
	}
	if was.Exists && was.Owner != "" && was.Owner != w.Owner {
		return agent.Conflict("schema " + w.Name + " belongs to Database " + was.Owner +
			"; give this one another name in spec.database")
	}
	if own, other, err := d.uses(ctx, w); err != nil {
		return err
	} else if !own && other != "" {
		return agent.Conflict("account " + w.User + " belongs to Database " + other +
			"; make this Database again with another spec.username")
	}
	require := "NONE"
	if w.RequireTLS {
		require = "SSL"
	}
	for _, q := range []struct {
		text string
		args []any
	}{
		{text: "CREATE DATABASE IF NOT EXISTS `" + w.Name + "` CHARACTER SET " + w.CharacterSet},
		{text: "ALTER DATABASE `" + w.Name + "` COMMENT ?", args: []any{w.Owner}},
		{text: "CREATE USER IF NOT EXISTS '" + w.User + "'@'%' IDENTIFIED BY ?", args: []any{w.Password}},
		{text: "ALTER USER '" + w.User + "'@'%' IDENTIFIED BY ? REQUIRE " + require, args: []any{w.Password}},
		{text: "GRANT ALL PRIVILEGES ON `" + escaped(w.Name) + "`.* TO '" + w.User + "'@'%'"},
	} {
		if _, err := d.db.ExecContext(ctx, q.text, q.args...); err != nil {
			return hide(fmt.Errorf("preparing database %s: %w", w.Name, err), w.Password)
		}
	}
	return nil
}

// observe tells in what a schema and its account differ from what is wanted.
func (d *door) observe(ctx context.Context, w Database) (DatabaseState, error) {
	if !validName.MatchString(w.Name) || !validName.MatchString(w.User) {
		return DatabaseState{}, &agent.Refusal{Code: 422, Message: "name or user of the database is not valid"}
	}
	var s DatabaseState
	err := d.db.QueryRowContext(ctx,
		"SELECT DEFAULT_CHARACTER_SET_NAME, SCHEMA_COMMENT FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?",
		w.Name).Scan(&s.CharacterSet, &s.Owner)
	if errors.Is(err, sql.ErrNoRows) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("looking for database %s: %w", w.Name, err)
	}
	s.Exists = true
	var password, requires string
	err = d.db.QueryRowContext(ctx, `SELECT JSON_VALUE(Priv, '$.authentication_string') = PASSWORD(?),
		COALESCE(JSON_VALUE(Priv, '$.ssl_type'), '0')
		FROM mysql.global_priv WHERE User = ? AND Host = '%'`, w.Password, w.User).Scan(&password, &requires)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		s.Diff = append(s.Diff, "account")
	case err != nil:
		return s, hide(fmt.Errorf("looking for account %s: %w", w.User, err), w.Password)
	case password != "1":
		s.Diff = append(s.Diff, "password")
	case (requires != "0") != w.RequireTLS:
		s.Diff = append(s.Diff, "tls")
	}
	own, _, err := d.uses(ctx, w)
	if err == nil && !own {
		s.Diff = append(s.Diff, "rights")
	}
	return s, err
}

// uses tells whether the account has the rights in the schema that it is made for, and names another Database in whose
// schema it has them. MariaDB has no place for whose an account is: it is that Database's in whose schema it came to
// its rights first. Who has them in both got them from a person, or from an agent of old.
func (d *door) uses(ctx context.Context, w Database) (own bool, other string, err error) {
	err = d.db.QueryRowContext(ctx, `SELECT COALESCE(MAX(Db = ?), 0),
		COALESCE(MIN(IF(SCHEMA_COMMENT IN ('', ?), NULL, SCHEMA_COMMENT)), '')
		FROM mysql.db LEFT JOIN information_schema.SCHEMATA ON Db = REPLACE(SCHEMA_NAME, '_', ?)
		WHERE Host = '%' AND User = ? AND Create_priv = 'Y' AND Insert_priv = 'Y'`,
		escaped(w.Name), w.Owner, escaped("_"), w.User).Scan(&own, &other)
	if err != nil {
		return false, "", fmt.Errorf("looking for the rights of account %s: %w", w.User, err)
	}
	return own, other, nil
}

// escaped is a schema's name in a grant, where underscore is a wildcard.
func escaped(name string) string { return strings.ReplaceAll(name, "_", `\_`) }

// hide keeps a password out of an error: MariaDB quotes statements that it does not understand.
func hide(err error, password string) error {
	if strings.Contains(err.Error(), password) {
		return errors.New("preparing a database: mariadbd refused a statement with a password in it")
	}
	return err
}

// drop removes a schema and its account, unless they belong to another owner by now. The account goes first: as long as
// the schema is there, what is half done is done again.
func (d *door) drop(ctx context.Context, w Database) error {
	if w.itsOwn() {
		return nil // it was never made
	}
	d.accounts.Lock()
	defer d.accounts.Unlock()
	was, err := d.observe(ctx, w)
	if err != nil {
		return err
	}
	if was.Exists && was.Owner != w.Owner {
		return nil
	}
	own, other, err := d.uses(ctx, w)
	if err != nil {
		return err
	}
	statements := []string{"DROP DATABASE IF EXISTS `" + w.Name + "`"}
	if other == "" {
		statements = slices.Insert(statements, 0, "DROP USER IF EXISTS '"+w.User+"'@'%'")
	} else if own {
		statements = slices.Insert(statements, 0,
			"REVOKE ALL PRIVILEGES ON `"+escaped(w.Name)+"`.* FROM '"+w.User+"'@'%'")
	}
	for _, q := range statements {
		if _, err := d.db.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("dropping database %s: %w", w.Name, err)
		}
	}
	return nil
}
