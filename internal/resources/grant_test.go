package resources_test

import (
	"testing"
	"time"

	"stackwright.dev/kit/kittest"
)

// abroad are a project in one namespace and a user of it in another one.
func abroad(t *testing.T, more ...string) kittest.Scenario {
	t.Helper()
	return stage(t, nil, append([]string{
		namespace("red"), namespace("blue"), credentials("red"), everywhere("red"),
		one("Project", "red", "shop", "resource: {}"), one("Project", "red", "depot", "resource: {}"),
		one("User", "blue", "ann", "resource: {defaultProjectRef: {name: shop, namespace: red}}"),
	}, more...)...)
}

const (
	letIn = `from: [{kind: User, namespace: blue}], to: [{kind: Project}]`
	ann   = "User/blue/ann"
)

func grant(spec string) string { return one("ReferenceGrant", "red", "blue", spec) }

func TestGrantLetsIn(t *testing.T) {
	kittest.New(t, abroad(t, grant(letIn))).Run(t, func(p *kittest.Play) {
		p.Ready()
		for _, u := range cloudOf(p).All("User") {
			if got, want := u["default_project_id"], nested(p.Object("Project/red/shop").Object, "status", "id"); got != want {
				t.Errorf("the user has the project %v, want %v", got, want)
			}
		}
		wantIn(p, "User", 1)
	})
}

// A grant counts for what it names only, and nobody learns without one what there is in another namespace.
func TestWithoutAGrant(t *testing.T) {
	const waits = "no ReferenceGrant in namespace red lets a User of namespace blue do so"
	for name, spec := range map[string]string{
		"none":              "",
		"another kind":      `from: [{kind: Group, namespace: blue}], to: [{kind: Project}]`,
		"another namespace": `from: [{kind: User, namespace: green}], to: [{kind: Project}]`,
		"another object":    `from: [{kind: User, namespace: blue}], to: [{kind: Project, name: depot}]`,
		"other objects":     `from: [{kind: User, namespace: blue}], to: [{kind: Domain}]`,
		"another group":     `from: [{group: apps, kind: User, namespace: blue}], to: [{kind: Project}]`,
	} {
		t.Run(name, func(t *testing.T) {
			more := []string{one("User", "blue", "bob", "resource: {defaultProjectRef: {name: nowhere, namespace: red}}")}
			if spec != "" {
				more = append(more, grant(spec))
			}
			kittest.New(t, abroad(t, more...)).Run(t, func(p *kittest.Play) {
				wantSays(p, ann, waits)
				wantSays(p, "User/blue/bob", waits)
				wantIn(p, "User", 0)
				p.Remove("Project/red/shop")
				p.Settle()
				wantIn(p, "Project", 1) // who may not refer to it keeps nothing
			})
		})
	}
}

// A grant that comes wakes those that wait, one that goes makes them wait, and nothing is deleted by it.
func TestGrantComesAndGoes(t *testing.T) {
	kittest.New(t, abroad(t, grant(`from: [{kind: Group, namespace: blue}], to: [{kind: Project}]`))).Run(t,
		func(p *kittest.Play) {
			p.Change("ReferenceGrant/red/blue", "spec.from", []any{map[string]any{"kind": "User", "namespace": "blue"}})
			p.Settle()
			p.Ready()
			p.Remove("ReferenceGrant/red/blue")
			p.Pass(later)
			p.Settle()
			wantSays(p, ann, "no ReferenceGrant in namespace red")
			wantIn(p, "User", 1)
			p.Remove("Project/red/shop")
			p.Pass(time.Hour)
			wantIn(p, "Project", 2)
			wantSays(p, "Project/red/shop", "User blue/ann")
			p.Restart()
			p.Pass(time.Hour)
			wantIn(p, "Project", 2)
			p.Remove(ann)
			p.Settle()
			wantIn(p, "User", 0)
			wantIn(p, "Project", 1)
		})
}

// Objects of two namespaces that refer to each other are in one ClusterCloud.
func TestReferenceIntoAnotherCloud(t *testing.T) {
	s := abroad(t, grant(letIn), credentials("blue"), one("Cloud", "blue", "own", "secretRef: {name: cloud}"),
		one("User", "blue", "bob", "cloudRef: {name: own}, resource: {defaultProjectRef: {name: shop, namespace: red}}"))
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		wantSays(p, "User/blue/bob", "False OtherCloud Step resource: Project red/shop is in ClusterCloud default and this "+
			"object in Cloud own; resources of two clouds cannot refer to each other.")
		wantSays(p, ann, "True")
	})
}

// An object stays in the cloud that it was in when none was named, also when another one becomes the default.
func TestTheDefaultCloudIsChosenOnce(t *testing.T) {
	s := abroad(t, grant(letIn), credentials("blue"))
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		before := cloudOf(p).IDs("User")
		other := p.Object("ClusterCloud/default").DeepCopy()
		other.SetKind("Cloud")
		other.SetNamespace("blue")
		other.SetResourceVersion("")
		other.SetUID("")
		other.SetManagedFields(nil)
		other.SetFinalizers(nil)
		other.Object["spec"] = map[string]any{"secretRef": map[string]any{"name": "cloud"}}
		delete(other.Object, "status")
		p.Create(other)
		p.Restart()
		p.Pass(time.Hour)
		p.Settle()
		p.Ready()
		if got := nested(p.Object(ann).Object, "status", "cloud", "kind"); got != "ClusterCloud" {
			t.Errorf("the user is in a %v", got)
		}
		if after := cloudOf(p).IDs("User"); len(after) != 1 || after[0] != before[0] {
			t.Errorf("users were %v and are %v", before, after)
		}
		p.Remove("Cloud/blue/default")
		p.Settle()
		if p.Object("Cloud/blue/default") != nil {
			t.Error("a cloud that nobody is in is not deleted")
		}
	})
}

// While the Cloud of a namespace is not ready, the ClusterCloud of the same name does not stand in for it.
func TestADefaultThatIsNotReady(t *testing.T) {
	s := abroad(t, grant(letIn), credentials("blue", "secret", "wrong"), cloudIn("blue"))
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		wantSays(p, ann, "Waits until Cloud default is ready; its conditions say why")
		wantIn(p, "User", 0)
	})
}

func nested(m map[string]any, path ...string) any {
	for _, name := range path[:len(path)-1] {
		m, _ = m[name].(map[string]any)
	}
	return m[path[len(path)-1]]
}
