package service

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/step"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// ComponentWorkers are the workers of all kinds.
const ComponentWorkers = "workers"

// Worker is a program of a service beside its API. Most listen to nobody: they take their orders from the bus, from a
// database, or from the clock.
type Worker[T Object] struct {
	// Name of its component, its step and its container; Title begins the name of its condition.
	Name, Title string
	// Command of the container.
	Command []string
	// Settings are what a person asked for.
	Settings func(T) servicev1.Worker
	// Peers are what it works with. A pod that has no connection to one of them is not ready, although its program goes
	// on trying, for ever and in silence.
	Peers []Peer
	// Beat is what is wrong when the program no longer says that it works: it touches the file of that name in the folder
	// for passing files, with the time until which its word is good. Empty is a program that does not.
	Beat string
	// When tells whether there is such a worker at all; nil says yes.
	When func(T) bool
	// After are steps that it comes after, beside those of all workers.
	After []string
	// Parts are sets of one pod each, <worker>-<part>, of which there are never two at a time, for programs that a
	// database knows by a name of their own. Nil is one set, of as many pods as the settings say.
	Parts func(T) []Part
	// Stable gives each pod a name for ever, for programs that a database knows by it and that are never to be two of a
	// name. A pod is replaced before it is known whether the next one works: see ADR 0064.
	Stable bool
	// Shared has all pods go by one name, <object>-<worker>, in what a database knows of the program: none leaves a record
	// behind, and a new one works beside the old one until it is ready.
	Shared bool
	// Port is where the program listens, with the service's certificate; 0 is nowhere. Health is a path that it answers.
	Port   int32
	Health string
	// Client is by what others know the program; nil is nothing but the service's own accounts.
	Client *Client[T]
	// Ordered tells that the API has the program do what it has promised, in messages that are lost as long as there is no
	// queue for them: the catalog names the API once the program listens.
	Ordered bool
	// Grace is how long the program may take to end what it has begun, in seconds; 0 is a minute.
	Grace int64
	// Serves makes the program an API beside the service's own, at Port, which uwsgi runs. It needs no command then.
	Serves *API[T]
}

// API is one that users find in the catalog beside the service's own, as a worker runs it.
type API[T Object] struct {
	// Script is its WSGI script, Path where clients begin.
	Script, Path string
	// Shares are as those of a Service.
	Shares []string
	// Type is how clients find it in the catalog, Description is for people.
	Type, Description string
	// Expose says how users outside of the cluster reach it.
	Expose func(T) servicev1.Expose
}

// Client is by what others know a program that asks them, such as a certificate: where its Secret is mounted, the
// reference to it, and the key of the Secret whose change makes new pods.
type Client[T Object] struct {
	Mount[T]

	Ref, Key string
}

// Part is one of a worker's sets.
type Part struct {
	// Name is added to that of the worker.
	Name string
	// Change makes of the worker's pod the part's.
	Change func(*corev1.PodTemplateSpec)
}

// Peer is what a worker is connected to: the TCP ports at which it may be.
type Peer []int32

// Bus is the peer of whoever takes messages: RabbitMQ, with or without TLS.
func Bus() Peer { return Peer{5671, 5672} }

// workerGrace is how long a worker may take that does not say so itself.
const workerGrace = 60

// workerSteps run the workers. o are options of each of the steps, such as what they come after.
func (s Service[T]) workerSteps(o ...step.Option[T]) []step.Step[T] {
	var steps []step.Step[T]
	for _, w := range s.Workers {
		steps = append(steps, step.Objects(w.Name, func(sc *step.Scope[T]) ([]client.Object, error) {
			return s.sets(sc, w), sc.Err()
		}, append(slices.Clone(o), w.needs(), step.Makes[T](w.kinds()...), step.Reads[T](s.authorityRefs()...),
			step.Reads[T](RefConfig), step.After[T](StepAccess, StepConfig),
			step.Condition[T](w.Title+"Ready"), step.Component[T](ComponentWorkers))...))
	}
	return steps
}

// needs is what a worker has before it starts, such as the certificate of one that listens, and whether there is one.
func (w Worker[T]) needs() step.Option[T] {
	return func(st *step.Step[T]) {
		step.After[T](w.After...)(st)
		if w.When != nil {
			step.When(w.When)(st)
		}
		if w.stable() {
			step.Ready[T]("StatefulSet", replaced)(st)
		}
		if w.Port != 0 {
			step.After[T](StepCertificate, StepGiven)(st)
			step.Reads[T](RefTLS)(st)
		}
		if w.Client != nil {
			step.Reads[T](w.Client.Ref)(st)
		}
	}
}

// kinds are what runs the worker's pods, and what guards them.
func (w Worker[T]) kinds() []client.Object {
	switch {
	case w.stable():
		return []client.Object{&appsv1.StatefulSet{}, &policyv1.PodDisruptionBudget{}}
	case w.Shared: // an earlier operator made a StatefulSet of it, which goes
		return []client.Object{&appsv1.Deployment{}, &appsv1.StatefulSet{}, &policyv1.PodDisruptionBudget{}}
	}
	return []client.Object{&appsv1.Deployment{}, &policyv1.PodDisruptionBudget{}}
}

func (w Worker[T]) stable() bool { return w.Stable || w.Parts != nil }

// replaced is the gate of sets whose pods make room for the next ones: when none of either serves, it says so.
func replaced(obj client.Object) (bool, string) {
	ready, why := gate.For(obj)(obj)
	s, ok := obj.(*appsv1.StatefulSet)
	if ready || !ok || s.Status.AvailableReplicas > 0 || s.Status.CurrentRevision == s.Status.UpdateRevision {
		return ready, why
	}
	return false, strings.Replace(why, "; ", ", and no old pod serves meanwhile; ", 1)
}

// sets are the names of what runs the worker's pods.
func (w Worker[T]) sets(o T) []string {
	switch {
	case w.When != nil && !w.When(o):
		return nil
	case w.Parts == nil:
		return []string{workerName(o, w.Name)}
	}
	var out []string
	for _, p := range w.Parts(o) {
		out = append(out, workerName(o, w.Name+"-"+p.Name))
	}
	return out
}

// sets run the worker's pods, each with the budget that guards them.
func (s Service[T]) sets(sc *step.Scope[T], w Worker[T]) []client.Object {
	if w.Parts == nil {
		return []client.Object{s.worker(sc, w), s.budget(sc.Owner(), w.Name)}
	}
	var out []client.Object
	for _, p := range w.Parts(sc.Owner()) {
		one := w
		one.Name, one.Stable = w.Name+"-"+p.Name, true
		one.Settings = func(o T) servicev1.Worker {
			return servicev1.Worker{Replicas: new(int32(1)), Resources: w.Settings(o).Resources}
		}
		set := s.worker(sc, one)
		if set, ok := set.(*appsv1.StatefulSet); ok {
			p.Change(&set.Spec.Template)
		}
		out = append(out, set, s.budget(sc.Owner(), one.Name))
	}
	return out
}

func workerName(o Object, worker string) string { return o.GetName() + "-" + worker }

func (s Service[T]) worker(sc *step.Scope[T], w Worker[T]) client.Object {
	o := sc.Owner()
	hash := sc.Value(RefConfig, keyHash)
	meta := s.meta(o, workerName(o, w.Name))
	meta.Labels = s.Labels(o, w.Name)
	meta.Annotations = map[string]string{annotationConfig: hash}
	replicas, selector := w.Settings(o).Count(), &metav1.LabelSelector{MatchLabels: s.Labels(o, w.Name)}
	template := s.workerTemplate(sc, w, revisionName(o, hash))
	if w.Stable {
		return &appsv1.StatefulSet{
			ObjectMeta: meta,
			Spec: appsv1.StatefulSetSpec{
				Replicas: &replicas, Selector: selector, PodManagementPolicy: appsv1.ParallelPodManagement, Template: template,
			},
		}
	}
	return &appsv1.Deployment{
		ObjectMeta: meta,
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: selector,
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{
					MaxUnavailable: new(intstr.FromInt32(0)), MaxSurge: new(intstr.FromInt32(1)),
				}},
			Template: template,
		},
	}
}

func (s Service[T]) workerTemplate(sc *step.Scope[T], w Worker[T], config string) corev1.PodTemplateSpec {
	o := sc.Owner()
	settings := w.Settings(o)
	p := Pod[T]{Component: w.Name, Config: config, Command: w.Command}
	if w.Serves != nil {
		p.Command = []string{"uwsgi", "--ini", path("config", keyUWSGIOf(w.Name))}
	}
	if w.Port != 0 {
		p.Mounts = s.certificate(o)
	}
	if w.Client != nil {
		p.Mounts = append(p.Mounts, w.Client.Mount)
	}
	t := s.Template(o, p)
	t.Annotations = s.authorities(sc)
	t.Spec.TerminationGracePeriodSeconds = new(cmp.Or(w.Grace, workerGrace))
	t.Spec.TopologySpreadConstraints = s.spread(o, w.Name)
	c := &t.Spec.Containers[0]
	if w.Shared {
		c.Env = append(c.Env, corev1.EnvVar{Name: "OS_DEFAULT__HOST", Value: workerName(o, w.Name)})
	}
	if len(settings.Resources.Requests) > 0 || len(settings.Resources.Limits) > 0 {
		c.Resources = settings.Resources
	}
	if script := w.connected() + w.beats(); w.Port == 0 && script != "" {
		Inspect(c, "sh", "-c", script)
	}
	if w.Port != 0 {
		c.Ports = []corev1.ContainerPort{{Name: "api", ContainerPort: w.Port, Protocol: corev1.ProtocolTCP}}
		// Some of these programs make a process for each connection.
		c.ReadinessProbe = &corev1.Probe{ProbeHandler: asks(o, w.Health), PeriodSeconds: 10, TimeoutSeconds: 5,
			FailureThreshold: 2}
		if w.Serves != nil {
			t.Spec.TerminationGracePeriodSeconds = new(int64(s.grace()))
			c.Lifecycle = drain()
			probes(o, c, w.Health)
		}
		if !o.Common().TLS.Disabled {
			t.Annotations[annotationCertificate] = sc.Digest(RefTLS, "tls.crt")
		}
	}
	if w.Client != nil {
		own := t.Annotations[annotationCertificate]
		t.Annotations[annotationCertificate] = strings.Trim(own+"-"+sc.Digest(w.Client.Ref, w.Client.Key), "-")
	}
	return t
}

// connected is a script that looks into the kernel's table of connections, which a pod has to itself. There is nothing
// to ask a worker, and a program that asks the bus about it would cost more than many a worker does. A worker is never
// ended for having lost a peer: it connects again by itself, and a new one could do no more.
func (w Worker[T]) connected() string {
	// Columns are the local address, the remote one, and the state, of which 01 is established; see the kernel's
	// Documentation/networking/proc_net_tcp.rst.
	const check = "grep -qE ':(%s) 01 ' /proc/net/tcp /proc/net/tcp6 || { echo no connection to port %s; exit 1; }\n"
	var script strings.Builder
	for _, p := range w.Peers {
		hex, decimal := make([]string, len(p)), make([]string, len(p))
		for i, port := range p {
			hex[i], decimal[i] = fmt.Sprintf("%04X", port), strconv.Itoa(int(port))
		}
		fmt.Fprintf(&script, check, strings.Join(hex, "|"), strings.Join(decimal, " or "))
	}
	return script.String()
}

// beats is a script that looks whether the program's word is still good.
func (w Worker[T]) beats() string {
	if w.Beat == "" {
		return ""
	}
	const check = `[ "$(stat -c %%Y %s/beat 2>/dev/null || echo 0)" -gt "$(date +%%s)" ] || { echo %s; exit 1; }` + "\n"
	return fmt.Sprintf(check, scratch, w.Beat)
}

// Inspect has a command tell whether a container works: often until it does for the first time, seldom from then on. To
// start a command in a container takes the node some hundredths of a second of processor time, more than the worker
// takes that it looks at. A container is never ended by it, as what it waits for is mostly somebody else.
func Inspect(c *corev1.Container, command ...string) {
	works := corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: command}}
	c.StartupProbe = &corev1.Probe{ProbeHandler: works, PeriodSeconds: 3, TimeoutSeconds: 5,
		FailureThreshold: math.MaxInt32}
	c.ReadinessProbe = &corev1.Probe{ProbeHandler: works, PeriodSeconds: 15, TimeoutSeconds: 10, FailureThreshold: 2}
}
