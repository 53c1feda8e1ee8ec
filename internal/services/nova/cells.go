package nova

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/service"
)

// References beside those that every service has.
const (
	refCell0 = "cell0-database"
	refCells = "cells"
	// The authorities as they were written last.
	refDatabases = "database-authorities"
	refBuses     = "bus-authorities"
	// What Nova's programs have been told of the cells, and the cells that are on their way out.
	refKnown   = "known-cells"
	refLeaving = "leaving-cells"
)

// maxCells is how many cells there can be, as the schema says.
const maxCells = 16

// annotationCells makes new pods when cells come, go, or move.
const annotationCells = "service.stackwright.dev/cells"

// Keys of the Secret with the addresses of the cells: those of the cells to register, digests of those that Nova's
// programs have in mind, which are these and the cells that are being forgotten, and since when this Nova exists.
const (
	keyCells = "cells.json"
	keyKnown = "known.json"
	keyBorn  = "born"
)

const keyCA = "ca.crt"

// address is how Nova reaches a cell.
type address struct {
	Name      string `json:"name"`
	Database  string `json:"database"`
	Transport string `json:"transport"`
}

// digest of an address, 16 hex digits.
func (a address) digest() string {
	sum := sha256.Sum256([]byte(a.Database + "\x00" + a.Transport))
	return hex.EncodeToString(sum[:])[:16]
}

func cellName(n *nova, cell string) string { return n.Name + "-" + cell }
func cellsName(n *nova) string             { return n.Name + "-cells" }
func cell0Name(n *nova) string             { return n.Name + "-cell0" }

func refDatabase(i int) string { return fmt.Sprintf("cell-%d-database", i) }
func refBus(i int) string      { return fmt.Sprintf("cell-%d-bus", i) }

// at names what belongs to the cell at a place of the list.
func at(i int, suffix string) func(*nova) string {
	return func(n *nova) string {
		if i >= len(n.Spec.Cells) {
			return ""
		}
		return cellName(n, n.Spec.Cells[i].Name) + suffix
	}
}

func refs() []ref.Ref[*nova] {
	out := []ref.Ref[*nova]{
		ref.Local(refCell0, &corev1.Secret{}, func(n *nova) string { return cell0Name(n) + "-db" }),
		ref.Local(refCells, &corev1.Secret{}, cellsName, ref.Fields[*nova](keyCells, keyKnown)),
		ref.Local(refKnown, &corev1.Secret{}, cellsName, ref.Fields[*nova](keyKnown), ref.Optional[*nova]()),
		ref.To(refLeaving, &servicev1.NovaCell{}, leaving, ref.Optional[*nova](),
			ref.DigestOf[*nova](func(o client.Object) string { return string(o.GetUID()) })),
		ref.Local(refDatabases, &corev1.Secret{}, func(n *nova) string { name, _ := authorityNames(n); return name },
			ref.Fields[*nova](keyCA), ref.Optional[*nova]()),
		ref.Local(refBuses, &corev1.Secret{}, func(n *nova) string { _, name := authorityNames(n); return name },
			ref.Fields[*nova](keyCA), ref.Optional[*nova]()),
	}
	for i := range maxCells {
		out = append(out,
			ref.Local(refDatabase(i), &corev1.Secret{}, at(i, "-db"), ref.Optional[*nova]()),
			ref.Local(refBus(i), &corev1.Secret{}, at(i, "-bus"), ref.Optional[*nova]()))
	}
	return out
}

func cellRefs() []string {
	var out []string
	for i := range maxCells {
		out = append(out, refDatabase(i), refBus(i))
	}
	return out
}

// cell0 is the database of servers that no host took.
func cell0(s *scope) ([]client.Object, error) {
	n := s.Owner()
	d := &infrav1.Database{ObjectMeta: metav1.ObjectMeta{Name: cell0Name(n), Namespace: n.Namespace}}
	d.Spec.Galera, d.Spec.DeletionPolicy = n.Spec.Database.Galera, infrav1.DeletionPolicy(n.Spec.Database.DeletionPolicy)
	return []client.Object{d}, nil
}

// prepare makes the schemas of Nova's own databases, and notes in the first how cell0 is reached: again when that is
// another password, or another database.
func prepare(s *scope) (pod, error) {
	at := address{Database: service.Connection(s.Value(refCell0, "connection"), s.Content(refCell0)[keyCA])}
	return pod{Component: stepPrepare, Alone: true, Command: Manage("prepare"), Annotations: map[string]string{
		annotationCells: at.digest() + service.Made(s, stepCell0, cell0Name(s.Owner()))}}, nil
}

// cells are those of the list, and those that are being forgotten, as they are: others do not wait until they go.
func cells(s *scope) ([]client.Object, error) {
	var out []client.Object
	for _, c := range s.Owner().Spec.Cells {
		out = append(out, cellOf(s.Owner(), c))
	}
	for _, o := range s.All(refLeaving) {
		if c, ok := o.(*servicev1.NovaCell); ok && c.DeletionTimestamp == nil {
			out = append(out, &servicev1.NovaCell{ObjectMeta: metav1.ObjectMeta{Name: c.Name, Namespace: c.Namespace},
				Spec: *c.Spec.DeepCopy()})
		}
	}
	return out, nil
}

// addresses are those of the cells that have a database and a bus. One that has not is nobody's trouble but its own; it
// is registered as soon as it has. Nova's programs read the cells when they start, so what makes them start anew keeps
// a cell until it is forgotten.
func addresses(s api) func(*scope) ([]client.Object, error) {
	return func(sc *scope) ([]client.Object, error) {
		listed, known := []address{}, staying(sc)
		for i, c := range sc.Owner().Spec.Cells {
			database, bus := sc.Content(refDatabase(i)), sc.Content(refBus(i))
			if len(database) == 0 || len(bus) == 0 {
				continue
			}
			a := address{Name: c.Name, Transport: string(bus["transport_url"]),
				Database: service.Connection(string(database["connection"]), database["ca.crt"])}
			listed = append(listed, a)
			known[a.Name] = a.digest()
		}
		file, err := json.Marshal(listed)
		if err != nil {
			return nil, fmt.Errorf("writing the cells' addresses: %w", err)
		}
		mind, err := json.Marshal(known)
		if err != nil {
			return nil, fmt.Errorf("writing the cells that are known: %w", err)
		}
		return []client.Object{&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: cellsName(sc.Owner()), Namespace: sc.Owner().Namespace,
				Labels: s.Labels(sc.Owner(), "")},
			Data: map[string][]byte{keyCells: file, keyKnown: mind, keyBorn: []byte(born(sc.Owner()))},
		}}, nil
	}
}

// staying are the cells that are being forgotten, by their names, as Nova's programs have been told of them.
func staying(sc *scope) map[string]string {
	// What does not parse is nothing that the step has written.
	var known map[string]string
	_ = json.Unmarshal(sc.Content(refKnown)[keyKnown], &known)
	out := map[string]string{}
	for _, c := range sc.All(refLeaving) {
		if c == nil {
			continue
		}
		name := strings.TrimPrefix(c.GetName(), cellName(sc.Owner(), ""))
		if told, ok := known[name]; ok {
			out[name] = told
		}
	}
	return out
}

// authorities are those by which the databases and the buses of Nova and of all cells are known: all have one path in
// the pods, as an address in Nova's database says it, and a program has one for all buses. That of a cell which is
// being forgotten stays until it is gone.
func authorities(s api) func(*scope) ([]client.Object, error) {
	return func(sc *scope) ([]client.Object, error) {
		n := sc.Owner()
		database, bus := authorityNames(n)
		var out []client.Object
		for _, of := range []struct {
			name, own, now string
			cell           func(int) string
		}{{database, service.RefDatabase, refDatabases, refDatabase}, {bus, service.RefBus, refBuses, refBus}} {
			all := [][]byte{sc.Content(of.own)[keyCA]}
			for i := range n.Spec.Cells {
				all = append(all, sc.Content(of.cell(i))[keyCA])
			}
			if slices.ContainsFunc(sc.All(refLeaving), func(o client.Object) bool { return o != nil }) {
				all = append(all, sc.Content(of.now)[keyCA])
			}
			out = append(out, &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Name: of.name, Namespace: n.Namespace, Labels: s.Labels(n, "")},
				Data:       map[string][]byte{keyCA: pki.Bundle(all...)},
			})
		}
		return out, nil
	}
}

// authorityNames name the Secrets with the authorities of databases and of buses.
func authorityNames(n *nova) (databases, buses string) {
	return n.Name + "-database-authorities", n.Name + "-bus-authorities"
}

// register writes the cells into Nova's database.
func register(s *scope) (pod, error) {
	return pod{
		Component: stepRegister, Alone: true,
		Command:     Manage("register", "--cells", service.Folder+"/cells/"+keyCells),
		Mounts:      []service.Mount[*nova]{{Name: "cells", Secret: cellsName}},
		Annotations: map[string]string{annotationCells: s.Digest(refCells, keyCells)},
	}, nil
}

// known are the cells of which this Nova takes care.
func known(n *nova) []string {
	var out []string
	for _, c := range n.Spec.Cells {
		out = append(out, c.Name)
	}
	return append(out, forgotten(n)...)
}

// forgotten are the cells that have been taken out of the list and that Nova may still know: status has them until it
// does not.
func forgotten(n *nova) []string {
	var out []string
	for _, c := range n.Status.Cells {
		if !slices.ContainsFunc(n.Spec.Cells, func(l servicev1.Cell) bool { return l.Name == c.Name }) {
			out = append(out, c.Name)
		}
	}
	return out
}

// leaving names the objects of these cells.
func leaving(n *nova) []types.NamespacedName {
	var out []types.NamespacedName
	for _, name := range forgotten(n) {
		out = append(out, types.NamespacedName{Namespace: n.Namespace, Name: cellName(n, name)})
	}
	return out
}

// forgetEvery is how often it is tried to forget cells that had hosts once the Job has given up.
const forgetEvery = 5 * time.Minute

func born(n *nova) string { return n.CreationTimestamp.UTC().Format(time.RFC3339) }

// earlier says which cells are those of an earlier Nova: all that are older than this one, but those that it has.
func earlier(n *nova) []string { return append([]string{"--before", born(n)}, known(n)...) }

// removal takes cells out of Nova's database: those that are named, or all earlier ones but those. As long as one has
// hosts the Job fails, and is run again: nobody but Nova knows when they are gone.
func removal(command string, names func(*nova) []string) func(*scope) (pod, error) {
	return func(s *scope) (pod, error) {
		return pod{Component: command, Alone: true, Command: Manage(append([]string{command}, names(s.Owner())...)...)}, nil
	}
}

// report tells what every service does, and of the cells which are there.
func report(s api) func(step.View, *nova) {
	return func(v step.View, n *nova) {
		s.Report(v, n)
		records().Report(v, n)
		var registered []address
		done := n.Status.Find(stepRegister)
		if done != nil && done.State == owner.StepDone {
			// What does not parse is nothing that the step has written.
			_ = json.Unmarshal(v.Content(refCells)[keyCells], &registered)
		}
		names := known(n)
		if done := n.Status.Find(stepForget); done != nil && done.State == owner.StepDone {
			names = names[:len(n.Spec.Cells)]
		}
		var out []servicev1.CellStatus
		for _, name := range names {
			cell, ok := v.Child(stepCells, "NovaCell", cellName(n, name)).(*servicev1.NovaCell)
			if !ok {
				continue
			}
			out = append(out, servicev1.CellStatus{
				Name: name, Ready: meta.IsStatusConditionTrue(cell.Status.Conditions, "Ready"),
				Registered: slices.ContainsFunc(registered, func(a address) bool { return a.Name == name }),
			})
		}
		n.Status.Cells = out
	}
}
