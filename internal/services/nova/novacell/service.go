// Package novacell runs the cells of the compute service.
package novacell

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
	"stackwright.dev/stackwright/internal/services/nova"
)

type (
	cell  = servicev1.NovaCell
	scope = step.Scope[*cell]
	pod   = service.Pod[*cell]
	api   = service.Service[*cell]
)

const (
	refMetadata  = "metadata"
	refAuthority = "console-authority"
	refConsole   = "console-certificate"
	stepMetadata = "metadata-password"
	stepCompute  = "compute"
	stepPrepare  = "db-sync"
	conductor    = "conductor"
	console      = "console"
	consolePath  = "/vnc_lite.html"
	consolePort  = 6080
	optionSecret = "metadata_proxy_shared_secret"
	// computeFolder is where compute hosts mount what they have in common.
	computeFolder = "/etc/stackwright/compute"
)

func metadataName(c *cell) string { return c.Name + "-metadata" }
func computeName(c *cell) string  { return c.Name + "-compute" }
func consoleName(c *cell) string  { return c.Name + "-console-tls" }

// authorityName names the authority by which the console proxies of a cell and its hosts know each other, and nobody
// else. Operators of hosts take it by this name.
func authorityName(c *cell) string { return c.Name + "-console-ca" }

// Definition is the controller of cells. A cell's API is the one from which servers learn about themselves: so it
// needs nobody's database but the cell's.
func Definition(cluster service.Cluster) kit.Definition[*cell] {
	s := api{
		Name: nova.Name, UID: nova.UID, Home: nova.Home,
		Script: "/usr/bin/nova-metadata-wsgi", Port: 8775, Health: "/healthcheck",
		Shares:      []string{"nova.api.metadata.wsgi"},
		UWSGI:       []string{"env = OS_DEFAULT__HOST=nova-metadata"},
		Environment: nova.Environment,
		Database:    func(c *cell) servicev1.Database { return c.Spec.Database },
		RabbitMQ:    func(c *cell) string { return c.Spec.RabbitMQ },
		Notifies:    func(c *cell) bool { return c.Spec.Notifications },
		Memcached:   func(c *cell) string { return c.Spec.Memcached },
		Identity:    func(c *cell) servicev1.Identity { return c.Spec.Identity },
		User:        func(c *cell) string { return c.Spec.Nova },
		Logins:      nova.Logins(), Options: options, Reads: []string{refMetadata}, Files: files,
		Front:   &service.Front{Worker: console, Port: consolePort, Path: consolePath},
		Workers: workers(),
		Cluster: cluster,
	}
	return kit.Definition[*cell]{
		Name: "novacell",
		New:  func() *cell { return &cell{} },
		Refs: append(s.Refs(),
			ref.Local(refMetadata, &corev1.Secret{}, metadataName, ref.Fields[*cell](service.KeyPassword)),
			ref.Local(refAuthority, &corev1.Secret{}, authorityName, ref.Fields[*cell](pki.CertKey, pki.KeyKey)),
			ref.Local(refConsole, &corev1.Secret{}, consoleName, ref.Fields[*cell](pki.CertKey, pki.KeyKey, pki.CAKey))),
		Steps: append(s.Steps(step.After[*cell](stepPrepare)),
			s.PasswordStep(stepMetadata, metadataName),
			pki.CA(refAuthority, authorityName, nil, s.Keep(), step.Component[*cell](service.ComponentSetup)),
			pki.Leaf(refConsole, pki.LeafSpec[*cell]{Secret: consoleName, CARef: refAuthority,
				Names: func(c *cell) []string { return []string{c.Name + "-" + console} }},
				step.After[*cell](refAuthority), step.Component[*cell](service.ComponentSetup)),
			s.JobStep(stepPrepare, prepare, step.Condition[*cell]("DBSyncReady")),
			s.RecordStep(records(), stepPrepare, conductor),
			step.Objects(stepCompute, compute(s), step.Reads[*cell](s.OptionRefs()...), step.Sees[*cell](service.StepEndpoints),
				step.After[*cell](service.StepConfig), step.Makes[*cell](&corev1.Secret{}),
				step.Component[*cell](service.ComponentSetup))),
		Report: func(v step.View, c *cell) {
			s.Report(v, c)
			records().Report(v, c)
			c.Status.ComputeSecret, c.Status.MetadataSecret = "", metadataName(c)
			if v.Child(stepCompute, "Secret", computeName(c)) != nil {
				c.Status.ComputeSecret = computeName(c)
			}
		},
	}
}

func workers() []service.Worker[*cell] {
	return []service.Worker[*cell]{
		{
			Name: conductor, Title: "Conductor", Command: nova.Command("nova-conductor"), Shared: true,
			Peers:    []service.Peer{service.Bus()},
			Settings: func(c *cell) servicev1.Worker { return c.Spec.Conductor },
		},
		{
			Name: console, Title: "Console", Port: consolePort, Health: consolePath,
			Command: append([]string{"python3", "-m", consoleModule}, nova.Command("")[1:]...),
			Client: &service.Client[*cell]{Mount: service.Mount[*cell]{Name: console, Secret: consoleName}, Ref: refConsole,
				Key: pki.CertKey},
			Settings: func(c *cell) servicev1.Worker { return c.Spec.Console },
		},
	}
}

// consoleModule starts the proxy.
const consoleModule = "stackwright_console"

//go:embed stackwright_console.py
var consoleProgram []byte

func files(*cell) map[string][]byte {
	all := nova.Files()
	all[consoleModule+".py"] = consoleProgram
	return all
}

func prepare(*scope) (pod, error) {
	return pod{Component: stepPrepare, Alone: true, Command: nova.Manage("cell")}, nil
}

// records are those of the cell's programs.
func records() service.Records[*cell] {
	return service.Records[*cell]{
		Programs: func(c *cell) []string {
			return []string{nova.Shared("nova-conductor", c.Name, conductor)}
		},
		Command: nova.Forget,
		Status:  func(c *cell) *servicev1.ProgramsStatus { return &c.Status.Programs },
	}
}

// compute is what the cell's hosts have in common. They reach no database, and are not told by what the metadata API
// knows its agents.
func compute(s api) func(*scope) ([]client.Object, error) {
	return func(sc *scope) ([]client.Object, error) {
		c := sc.Owner()
		file, authorities, err := s.Export(sc, computeFolder, func(f *oslo.File) {
			f.Drop("neutron", optionSecret)
			f.Drop("neutron", "service_metadata_proxy")
			for _, option := range []string{"web", "ssl_only", "cert", "key"} {
				f.Drop(oslo.Default, option)
			}
			for _, option := range []string{"novncproxy_host", "auth_schemes", "vencrypt_client_cert", "vencrypt_client_key",
				"vencrypt_ca_certs"} {
				f.Drop("vnc", option)
			}
			if public := s.Endpoints(sc).Public; public != "" {
				f.Set("vnc", "novncproxy_base_url", public)
			}
		})
		if err != nil {
			return nil, err
		}
		data := map[string][]byte{nova.File: file.Bytes(), "ca.crt": authorities}
		sum := sha256.Sum256(append(file.Bytes(), authorities...))
		data["hash"] = []byte(hex.EncodeToString(sum[:8]))
		return []client.Object{&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: computeName(c), Namespace: c.Namespace, Labels: s.Labels(c, "")}, Data: data,
		}}, nil
	}
}

// options are those of a cell.
func options(s *scope, f *oslo.File) {
	c := s.Owner()
	nova.Common(f, c.Spec.Notifications)
	f.Set("api", "local_metadata_per_cell", true)
	f.Set("neutron", "service_metadata_proxy", true)
	f.Set("neutron", optionSecret, oslo.Literal(s.Value(refMetadata, service.KeyPassword)))
	f.Set("vnc", "novncproxy_host", "0.0.0.0")
	f.Set("vnc", "auth_schemes", "vencrypt")
	for option, file := range map[string]string{"client_cert": pki.CertKey, "client_key": pki.KeyKey,
		"ca_certs": pki.CAKey} {
		f.Set("vnc", "vencrypt_"+option, service.Folder+"/"+console+"/"+file)
	}
	f.Set(oslo.Default, "web", "/usr/share/novnc")
	if !c.Spec.TLS.Disabled {
		f.Set(oslo.Default, "ssl_only", true)
		f.Set(oslo.Default, "cert", service.Folder+"/tls/tls.crt")
		f.Set(oslo.Default, "key", service.Folder+"/tls/tls.key")
	}
}
