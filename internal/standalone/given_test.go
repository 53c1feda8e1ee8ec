package standalone_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// servers have two cells.
const servers = `{"apiVersion": "service.stackwright.dev/v1alpha1", "kind": "Nova",
 "metadata": {"name": "inventory", "namespace": "cloud"}, "spec": {"image": "images.test/nova:1", "release": "epoxy",
 "database": {"galera": "db"}, "expose": {"hostname": "servers.example.org"}, "rabbitmq": "bus",
 "identity": {"keystone": "identity"}, "cells": [{"name": "cell1"}, {"name": "cell2"}]}}`

// places are the Secrets of a cell, and those of the servers that no cell took.
func places(names ...string) []client.Object {
	var out []client.Object
	for _, name := range names {
		out = append(out, secret("inventory-"+name+"-db", map[string]string{
			"connection": "mysql+pymysql://" + name + ":hidden@db/" + name + "?charset=utf8mb4", "password": "hidden"}),
			secret("inventory-"+name+"-bus", map[string]string{
				"transport_url": "rabbit://" + name + ":hidden@bus:5671/" + name}))
	}
	return out
}

// Nova gets the addresses of all its cells.
func TestCellsAreKnownByTheirSecrets(t *testing.T) {
	c, _, err := kept(t, servers, places("cell0", "cell1", "cell2")...)
	if err != nil {
		t.Fatal(err)
	}
	var cells []struct{ Name, Database, Transport string }
	if err := json.Unmarshal(dataOf(t, c, "inventory-cells")["cells.json"], &cells); err != nil || len(cells) != 2 {
		t.Fatalf("the cells are %+v: %v", cells, err)
	}
	if !strings.Contains(cells[1].Database, "cell2:hidden@db/cell2") || !strings.HasSuffix(cells[1].Transport, "/cell2") {
		t.Errorf("the second cell is %+v", cells[1])
	}
}

// An operator registers a cell when it has a database and a bus. A chart would leave it out without a word.
func TestACellThatIsNotThereIsNamed(t *testing.T) {
	half := places("cell2")
	for name, c := range map[string]struct {
		given []client.Object
		says  string
	}{
		"none": {nil, "the Secret inventory-cell2-bus has to exist, with transport_url\n" +
			"the Secret inventory-cell2-db has to exist, with connection, password"},
		"no bus": {half[:1], "the Secret inventory-cell2-bus has to exist, with transport_url"},
		"no connection": {[]client.Object{half[1], secret("inventory-cell2-db", map[string]string{"password": "hidden"})},
			"the Secret inventory-cell2-db has to have connection, too"},
	} {
		t.Run(name, func(t *testing.T) {
			_, log, err := kept(t, servers, append(c.given, places("cell0", "cell1")...)...)
			if err == nil || err.Error() != c.says || log != "" {
				t.Errorf("the error is %v, want %q; the log is %q", err, c.says, log)
			}
		})
	}
}
