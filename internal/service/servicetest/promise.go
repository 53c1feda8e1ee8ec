package servicetest

import (
	"encoding/base64"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/pki/pkitest"
)

// Promises tests what every service promises.
func (k Kind) Promises(t *testing.T) {
	t.Helper()
	plain := func() *kittest.World { return kittest.New(t, k.Scenario(t, "")) }
	t.Run("ready", func(t *testing.T) { plain().Ready(t) })
	t.Run("golden", func(t *testing.T) { plain().Golden(t, "testdata/minimal.yaml") })
	t.Run("silent at rest", func(t *testing.T) { plain().Budget(t, 0, 0) })
	t.Run("deleted", func(t *testing.T) {
		patch := "spec: {database: {deletionPolicy: Delete}}"
		if k.Guest {
			patch = ""
		}
		kittest.New(t, k.Scenario(t, patch)).Delete(t, nil)
	})
	t.Run("pods leave a node one by one", k.guarded)
	if k.Option != "" {
		t.Run("only the API is impatient", k.impatience)
		t.Run("a wrong option changes nothing", k.wrongOption)
		t.Run("an option rolls the API", k.option)
		t.Run("schema Jobs run once", k.jobs)
	}
	if !k.Part && !k.Guest {
		t.Run("in the catalog once it answers", k.catalog)
		t.Run("the password is nowhere else", k.secrecy)
		t.Run("a password written by hand is taken", k.byHand)
	}
	if !k.Guest {
		t.Run("an account edited by hand is taken", k.accounts)
	}
	t.Run("what waits is named", k.missing)
	t.Run("a certificate that is given is looked at", k.certificate)
	for _, program := range k.Ordered {
		t.Run("nobody hears of it before "+program, func(t *testing.T) { k.unheard(t, program) })
	}
	t.Run("an authority that is given ends", func(t *testing.T) {
		pkitest.AuthorityLasts(t, k.Scenario(t, ""), k.Object, "spec.tls.caSecret")
	})
	t.Run("an authority that everybody knows is not asked for", k.everybody)
	if !k.Guest {
		t.Run("a certificate that others do not know is told", k.stranger)
	}
	t.Run("a hostname without an address is told", k.hostname)
	t.Run("a failed run of its CronJob is told", k.cron)
}

// config is a merge patch of the value in the object's spec.config, as Play.Change takes it.
func (k Kind) config(value any) map[string]any {
	section, option, _ := strings.Cut(k.Option, ".")
	return map[string]any{section: map[string]any{option: value}}
}

func (k Kind) file(p *kittest.Play, secret string) string {
	p.T.Helper()
	for name, content := range Secret(p, secret) {
		if strings.HasSuffix(name, ".conf") && !strings.HasPrefix(name, "ceph-") {
			return content
		}
	}
	p.T.Fatalf("Secret %s has no configuration file", secret)
	return ""
}

// impatience: workers of the API give up on a database that does not answer, Jobs do not, as a change of the schema may
// take long.
func (k Kind) impatience(t *testing.T) {
	kittest.New(t, k.Scenario(t, "")).Run(t, func(p *kittest.Play) {
		hash := Secret(p, k.Name()+"-config")["hash"]
		jobs, api := k.file(p, k.Name()+"-config"), k.file(p, k.Name()+"-config-"+hash)
		const want = "connection_parameters = connect_timeout=3&read_timeout=8&write_timeout=8\n"
		if strings.ReplaceAll(api, want, "") != jobs || !strings.Contains(api, want) {
			t.Errorf("the API runs with\n%s\nand Jobs with\n%s", api, jobs)
		}
	})
}

func (k Kind) wrongOption(t *testing.T) {
	kittest.New(t, k.Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		section, option, _ := strings.Cut(k.Option, ".")
		for name, wrong := range map[string]map[string]any{
			"section": {section + "x": map[string]any{option: k.Value}},
			"option":  {section: map[string]any{option + "x": k.Value}},
			"object":  k.config(map[string]any{"a": "b"}),
		} {
			if got := Writes(p, func() { p.Change(k.Object, "spec.config", wrong) }); len(got) > 0 {
				t.Errorf("a wrong %s wrote %v", name, got)
			}
			if c := p.Condition(k.Object, "ConfigReady"); c.Reason != "InvalidConfig" ||
				!strings.Contains(c.Message, "spec.config: ") {
				t.Errorf("a wrong %s makes the condition %s: %s", name, c.Reason, c.Message)
			}
		}
		p.Change(k.Object, "spec.config", nil)
		p.Settle()
		p.Ready()
	})
}

// option: a new one rolls the API and the workers and runs no Job. The old configuration stays until the last old pod
// is gone.
func (k Kind) option(t *testing.T) {
	kittest.New(t, k.Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		before := Secret(p, k.Name()+"-config")["hash"]
		p.Behave("Deployment", kittest.Hold)
		p.Behave("StatefulSet", kittest.Hold)
		got := Writes(p, func() { p.Change(k.Object, "spec.config", k.config(k.Value)) })
		want := []string{"deployments/" + k.Name() + "-api", "secrets/" + k.Name() + "-config",
			"secrets/" + k.Name() + "-config-HASH"}
		for _, w := range k.Workers {
			want = append(want, "deployments/"+k.Name()+"-"+w)
		}
		for _, w := range k.Stable {
			want = append(want, "statefulsets/"+k.Name()+"-"+w)
		}
		want = append(want, k.Follows...)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the writes differ (-want +got):\n%s", diff)
		}
		_, option, _ := strings.Cut(k.Option, ".")
		if file := k.file(p, k.Name()+"-config"); !strings.Contains(file, option+" = "+k.Value+"\n") {
			t.Errorf("the option is not in\n%s", file)
		}
		old := "Secret/cloud/" + k.Name() + "-config-" + before
		if p.Object(old) == nil {
			t.Error("the configuration of the old pods is gone before they are")
		}
		p.Behave("Deployment", kittest.Ready)
		p.Behave("StatefulSet", kittest.Ready)
		p.Settle()
		p.Ready()
		if p.Object(old) != nil {
			t.Error("the old configuration is still there")
		}
	})
}

// jobs run once on a schema: not again for a restart, an option, or a replica.
func (k Kind) jobs(t *testing.T) {
	kittest.New(t, k.Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		before := Jobs(p)
		p.Change(k.Object, "spec.replicas", int64(3))
		p.Change(k.Object, "spec.config", k.config(k.Value))
		p.Settle()
		p.Restart()
		p.Settle()
		if diff := cmp.Diff(before, Jobs(p)); diff != "" || len(before) == 0 {
			t.Errorf("the Jobs differ (-before +after):\n%s", diff)
		}
		p.Change(k.Object, "spec.image", "images.example.org/next:1")
		p.Settle()
		p.Ready()
		for _, job := range before {
			if slices.Contains(Jobs(p), job) {
				t.Errorf("Job %s was not run for the new image", job)
			}
		}
	})
}

// catalog: nobody hears of a service that does not answer yet, and a service whose user is not there is not ready.
func (k Kind) catalog(t *testing.T) {
	s := k.Scenario(t, "")
	s.Children["Deployment"] = kittest.Hold
	s.Children["User"] = kittest.Hold
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Settle()
		public := "Endpoint/cloud/" + k.Name() + "-public"
		if p.Object(public) != nil || p.Object("User/cloud/"+k.Name()) == nil {
			t.Error("the endpoint is there before the API, or the user waits for it")
		}
		p.Behave("Deployment", kittest.Ready)
		p.Settle()
		if c := p.Condition(k.Object, "UserReady"); c.Status != metav1.ConditionFalse || p.Object(public) != nil {
			t.Errorf("without a user UserReady is %s, and there is an endpoint: %t", c.Status, p.Object(public) != nil)
		}
		p.Behave("User", kittest.Told("True", "Ready", ""))
		p.Settle()
		p.Ready()
		if p.Object(public) == nil {
			t.Error("there is no endpoint")
		}
	})
}

// unheard: nobody hears of a service before a program takes what the API tells it to do.
func (k Kind) unheard(t *testing.T, program string) {
	t.Helper()
	s := k.Scenario(t, "")
	for _, kind := range []string{"Deployment/", "StatefulSet/"} {
		s.Children[kind+k.Name()+"-"+program] = kittest.Hold
	}
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Settle()
		if p.Object("Endpoint/cloud/"+k.Name()+"-public") != nil {
			t.Error("the endpoint is there before the program")
		}
		for _, kind := range []string{"Deployment/", "StatefulSet/"} {
			p.Behave(kind+k.Name()+"-"+program, kittest.Ready)
		}
		p.Settle()
		p.Ready()
		if p.Object("Endpoint/cloud/"+k.Name()+"-public") == nil {
			t.Error("there is no endpoint")
		}
	})
}

// guarded: whoever drains a node takes one pod at a time of each set, and may always take one, also of a set that has
// no other.
func (k Kind) guarded(t *testing.T) {
	kittest.New(t, k.Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		budgets := map[string]*policyv1.PodDisruptionBudget{}
		sets := map[string]map[string]string{}
		for _, u := range p.Objects() {
			b := &policyv1.PodDisruptionBudget{}
			switch u.GetKind() {
			case "PodDisruptionBudget":
				Must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, b))
				budgets[u.GetName()] = b
			case "Deployment", "StatefulSet":
				selector, _, err := unstructured.NestedStringMap(u.Object, "spec", "selector", "matchLabels")
				Must(t, err)
				sets[u.GetName()] = selector
			}
		}
		for name, selector := range sets {
			b := budgets[name]
			if b == nil || !maps.Equal(b.Spec.Selector.MatchLabels, selector) {
				t.Errorf("%s has no budget of its own", name)
				continue
			}
			if most := b.Spec.MaxUnavailable; most == nil || most.String() != "1" && most.String() != "100%" {
				t.Errorf("budget %s lets %s pods go", name, most)
			}
		}
		if len(sets) == 0 || len(budgets) != len(sets) {
			t.Errorf("there are %d budgets for %d sets", len(budgets), len(sets))
		}
	})
}

func (k Kind) secrecy(t *testing.T) {
	kittest.New(t, k.Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		password := Secret(p, k.Name()+"-user")["password"]
		if !strings.Contains(k.file(p, k.Name()+"-config"), "password = "+password+"\n") || len(password) < 16 {
			t.Errorf("the service does not log in with its password")
		}
		for _, u := range p.Objects() {
			text, err := u.MarshalJSON()
			Must(t, err)
			if u.GetKind() != "Secret" && strings.Contains(string(text), password) {
				t.Errorf("%s %s shows the password", u.GetKind(), u.GetName())
			}
		}
	})
}

// byHand: who edits the Secret with the service's password has changed the password, everywhere; who empties it gets a
// new one. A line feed at its end is what echo wrote.
func (k Kind) byHand(t *testing.T) {
	kittest.New(t, k.Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		user := p.Object("User/cloud/" + k.Name()).DeepCopy()
		generated := k.edited(p, "d1fferent$in%many ways\n")
		if got := k.edited(p, ""); got == generated || len(got) < 16 {
			t.Errorf("in place of an empty password the service has one of %d characters", len(got))
		}
		if now := p.Object("User/cloud/" + k.Name()); !reflect.DeepEqual(now.Object["spec"], user.Object["spec"]) {
			t.Error("the user changed, who takes the password from the Secret")
		}
	})
}

// edited writes a password into the Secret by hand, and returns the one with which the service logs in then.
func (k Kind) edited(p *kittest.Play, password string) string {
	p.T.Helper()
	encoded := base64.StdEncoding.EncodeToString([]byte(password))
	p.Change("Secret/cloud/"+k.Name()+"-user", "data.password", encoded)
	p.Settle()
	p.Ready()
	now := Secret(p, k.Name()+"-user")["password"]
	if want := strings.TrimSuffix(password, "\n"); want != "" && now != want {
		p.T.Errorf("a password edited by hand was replaced")
	}
	if !strings.Contains(k.file(p, k.Name()+"-config"), "password = "+strings.ReplaceAll(now, "$", "$$")+"\n") {
		p.T.Errorf("the service does not log in with the password that was edited")
	}
	return now
}

// lacks are patches of the object that name what does not exist, with the condition that says so and its message.
func (k Kind) lacks() map[string][3]string {
	out := map[string][3]string{
		"authority": {"spec: {tls: {caSecret: nowhere}}", "TLSReady",
			"Secret nowhere does not exist in namespace cloud; create it."},
	}
	if k.Guest {
		out["keystone"] = [3]string{"spec: {keystone: nowhere}", "ConfigReady",
			"Keystone nowhere does not exist in namespace cloud; create it."}
		return out
	}
	out["keystone"] = [3]string{"spec: {identity: {keystone: nowhere}}", "ConfigReady",
		"Keystone nowhere does not exist in namespace cloud; create it."}
	out["project"] = [3]string{"spec: {identity: {project: nowhere}}", "ConfigReady",
		"Project nowhere does not exist in namespace cloud; create it."}
	out["fragment"] = [3]string{"spec: {configFrom: [{secret: nowhere}]}", "ConfigReady",
		"Secret nowhere does not exist in namespace cloud; create it."}
	return out
}

func (k Kind) missing(t *testing.T) {
	for name, c := range k.lacks() {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, k.Scenario(t, c[0])).Run(t, func(p *kittest.Play) {
				p.Settle()
				if got := p.Condition(k.Object, c[1]); got.Message != c[2] {
					t.Errorf("the condition is %s %s: %s\nwant %s", got.Status, got.Reason, got.Message, c[2])
				}
				p.Repeats()
			})
		})
	}
}
