package why_test

import (
	"errors"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/outcome"
)

var (
	webDown = map[string]kittest.Behaviour{"Deployment/web": down}
	// refusal is how a ValidatingAdmissionPolicy says no.
	refusal = "ValidatingAdmissionPolicy 'names' with binding 'all' denied request: no name ends in config; ask the team"
)

// stuck are the states of criterion 32.
var stuck = map[string]state{
	"missing Secret": {
		given: webApp,
		first: []string{"Secret shop/db-password", "NotFound", "does not exist", "create it"},
		plain: []string{"App shop/web", "Waiting", "Secret db-password does not exist in namespace shop", "keys password"},
	},
	"Secret without key": {
		given: webApp + "\n---\n{apiVersion: v1, kind: Secret, metadata: {name: db-password, namespace: shop}}",
		first: []string{"App shop/web", "Waiting", `Secret db-password has no key "password"`, "add it"},
	},
	"image pull failure": {
		children: webDown,
		script:   podWith(waits("ImagePullBackOff", `Back-off pulling image "a:1"`)),
		first:    []string{"Pod shop/web-5b-x", "ImagePullBackOff", `pulling image "a:1"`, "load or push that image"},
	},
	"crash loop": {
		children: webDown,
		script: podWith(func(pod *corev1.Pod) {
			waits("CrashLoopBackOff", "back-off 5m0s restarting failed container")(pod)
			pod.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
				ExitCode: 2, Reason: "Error", Message: "panic: no such table; giving up"}
		}),
		first: []string{"Pod shop/web-5b-x", "CrashLoopBackOff", "no such table; giving up", "read its log"},
	},
	"unschedulable pod": {
		children: webDown,
		script:   podWith(unscheduled("0/3 nodes are available: 3 Insufficient memory.")),
		first:    []string{"Pod shop/web-5b-x", "Unschedulable", "Insufficient memory", "add a node"},
	},
	"unbound claim": {
		children: map[string]kittest.Behaviour{"Deployment/web": down, "PersistentVolumeClaim": kittest.Hold},
		script:   claimWithoutClass,
		first:    []string{"StorageClass (default)", "NoDefault", "no default storage class", "mark one as default"},
		plain:    []string{"PersistentVolumeClaim shop/data", "NotBound", "volume claim is Pending", "describe pvc data"},
	},
	"claim that waits for a node of its pod": {
		children: webDown,
		script: func(p *kittest.Play) {
			late := storagev1.VolumeBindingWaitForFirstConsumer
			create(p, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "local",
				Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}},
				Provisioner: "local", VolumeBindingMode: &late})
			claimed(p, nil, corev1.ClaimPending, "0/1 nodes are available: 1 Insufficient cpu.")
		},
		first: []string{"Pod shop/web-5b-x", "Unschedulable", "Insufficient cpu", "add a node"},
		plain: []string{"PersistentVolumeClaim shop/data", "NotBound", "volume claim is Pending", "describe pvc data"},
	},
	"volume on a node that is gone": {
		children: webDown,
		script:   claimOn("node-3"),
		first: []string{"PersistentVolumeClaim shop/data", "NodeGone", "node-3, which is not a part of the cluster",
			"kubectl -n shop delete --wait=false pvc/data pod/web-5b-x"},
		plain: []string{"Pod shop/web-5b-x", "Unschedulable", "PersistentVolume's node affinity", "bring back the node"},
	},
	"quota refuses pods": {
		children: map[string]kittest.Behaviour{"Deployment/web": overQuota},
		first:    []string{"Deployment shop/web", "FailedCreate", "exceeded quota: small", "raise the ResourceQuota"},
	},
	"quota refuses an object": {
		fault: refused("configmaps", forbidden(
			"exceeded quota: small, requested: count/configmaps=1, used: count/configmaps=5, limited: count/configmaps=5")),
		first: []string{"App shop/web", "QuotaExceeded", "exceeded quota: small", "raise the ResourceQuota"},
	},
	"foreign finalizer": {
		script: func(p *kittest.Play) {
			m := &corev1.ConfigMap{}
			must(p, p.Client.Get(p.T.Context(), client.ObjectKey{Namespace: "shop", Name: "web-config"}, m))
			m.Finalizers = []string{"example.test/hold"}
			must(p, p.Client.Update(p.T.Context(), m))
			must(p, p.Client.Delete(p.T.Context(), m))
		},
		first: []string{"ConfigMap shop/web-config", "HeldByFinalizer", "held by finalizer example.test/hold",
			"whether the controller that owns the finalizer runs"},
	},
	"dead endpoint": {
		dead:  true,
		first: []string{"App shop/web", "Unavailable", "connection refused", "start it"},
	},
	"failure without advice": {
		answer: &outcome.Error{Class: outcome.Unavailable, Err: errors.New("asking cloud.test, see its page: EOF; no retry")},
		first:  []string{"App shop/web", "Unavailable", "EOF; no retry", "see whether what the message names answers"},
	},
	// What OpenStack answers, as internal/openstack and internal/resources put it.
	"quota of OpenStack": {
		answer: &outcome.Error{Class: outcome.Quota, Err: errors.New("creating the Server: service nova answered POST " +
			"/servers with 403 Forbidden: Quota exceeded for cores: Requested 4, but already used 18 of 20 cores; raise the " +
			"quota, or delete what is not needed: the Server is made once there is room")},
		first: []string{"App shop/web", "QuotaExceeded", "already used 18 of 20 cores", "raise the quota, or delete what is"},
	},
	"state in which OpenStack cannot": {
		answer: &outcome.Error{Class: outcome.Unknown, Reason: "Conflict", Err: errors.New("service nova answered POST " +
			"/servers/1/action with 409 Conflict: Cannot 'resize' instance 1 while it is in vm_state error; see what holds " +
			"it; it is tried again")},
		first: []string{"App shop/web", "Conflict", "Cannot 'resize' instance 1", "see what holds it; it is tried again"},
	},
	"broken in OpenStack": {
		answer: errors.New("the Server is in state ERROR: No valid host was found; repair it, or delete it to have it made " +
			"again"),
		first: []string{"App shop/web", "Error", "No valid host was found", "repair it, or delete it to have it made again"},
	},
	"credentials of OpenStack": {
		answer: &outcome.Error{Class: outcome.Denied, Err: errors.New("service keystone answered POST /v3/auth/tokens with " +
			"401 Unauthorized: The request you have made requires authentication; correct the credentials, or give their " +
			"user the right")},
		first: []string{"App shop/web", "Denied", "requires authentication", "correct the credentials, or give their user"},
	},
	"paused dependency": {
		given: another("web", "needs: db") + another("db", "") + password,
		script: func(p *kittest.Play) {
			p.Change("App/db", `metadata.annotations.kit\.stackwright\.dev/paused`, "true")
			p.Change("App/db", "spec.image", "a:2")
		},
		first: []string{"App shop/db", "Paused", "is paused", "remove the annotation"},
	},
	"failed Job": {
		children: map[string]kittest.Behaviour{"Job": kittest.Fail("table users is locked; try later")},
		first:    []string{"Pod shop/web-migrate-", "Error", "table users is locked; try later", "read its log"},
	},
	"Job runs": {
		children: map[string]kittest.Behaviour{"Job": kittest.Hold},
		first:    []string{"Job shop/web-migrate-", "NotReady", "has 0 of 1 completions", "read its log"},
	},
	"missing definition of a child": {
		fault: refused("configmaps", apierrors.NewGenericServerResponse(http.StatusNotFound, "PATCH",
			schema.GroupResource{Resource: "configmaps"}, "web-config", "", 0, true)),
		first: []string{"App shop/web", "Unavailable", "could not find the requested resource", "CustomResourceDefinition"},
	},
	"admission refusal": {
		fault: refused("configmaps", apierrors.NewInvalid(schema.GroupKind{Kind: "ConfigMap"}, "web-config",
			field.ErrorList{field.Forbidden(field.NewPath("metadata"), refusal)})),
		first: []string{"App shop/web", "InvalidSpec", refusal, "admission policy"},
	},
	"rule of a definition": {
		fault: refused("configmaps", apierrors.NewInvalid(schema.GroupKind{Kind: "ConfigMap"}, "web-config",
			field.ErrorList{field.Invalid(field.NewPath("spec"), "object", "region cannot be changed; make another one")})),
		first: []string{"App shop/web", "InvalidSpec", "region cannot be changed", "make another one; correct what"},
	},
	"name that is taken": {
		given: webApp + password + "\n---\n" + `{apiVersion: v1, kind: ConfigMap, metadata: {name: web-config, ` +
			`namespace: shop, ownerReferences: [{apiVersion: v1, kind: Node, name: node-9, uid: theirs, controller: true}]}}`,
		first: []string{"App shop/web", "Conflict", "ConfigMap web-config belongs to Node node-9",
			"give one of the two another name"},
	},
	"missing right": {
		fault: refused("configmaps", forbidden(`User "system:serviceaccount:shop:operator" cannot patch resource `+
			`"configmaps" in API group "" in the namespace "shop"`)),
		first: []string{"App shop/web", "Denied", `cannot patch resource "configmaps"`, "give the operator the right"},
	},
	"namespace terminates": {
		fault: refused("configmaps", forbidden(
			"unable to create new content in namespace shop because it is being terminated")),
		first: []string{"App shop/web", "Denied", "is being terminated", "another namespace"},
	},
	"namespace missing": {
		fault: refused("configmaps", apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "shop")),
		first: []string{"App shop/web", "Unavailable", `namespaces "shop" not found`, "create the namespace"},
	},
	"node not ready": {
		children: webDown,
		script: func(p *kittest.Play) {
			n := &corev1.Node{}
			n.Name = "node-1"
			n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown,
				Reason: "NodeStatusUnknown", Message: "Kubelet stopped posting node status."}}
			create(p, n)
			podWith(func(pod *corev1.Pod) {
				waits("ContainerCreating", "")(pod)
				pod.Spec.NodeName = "node-1"
			})(p)
		},
		first: []string{"Node node-1", "NodeStatusUnknown", "Kubelet stopped posting", "bring the node back"},
		plain: []string{"Pod shop/web-5b-x", "NotReady", "pod is Pending", "describe pod"},
	},
	"volume cannot be mounted": {
		children: webDown,
		script: func(p *kittest.Play) {
			podWith(waits("ContainerCreating", ""))(p)
			create(p, &corev1.Event{ObjectMeta: named("web-5b-x.1"), Type: "Warning", Reason: "FailedMount",
				Message:        `MountVolume.SetUp failed for volume "tls" : secret "web-tls" not found`,
				InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "shop", Name: "web-5b-x"}})
		},
		first: []string{"Pod shop/web-5b-x", "FailedMount", `secret "web-tls" not found`, "make the Secret"},
	},
	"chain of three": {
		given: another("web", "needs: db") + another("db", "needs: disk") + another("disk", "late: key") + password,
		first: []string{"Secret shop/key", "NotFound", "does not exist", "create it"},
		plain: []string{"App shop/disk", "Waiting", "Secret key does not exist in namespace shop", "create it"},
	},
	"two causes": {
		given: another("web", "needs: db, late: key"),
		// Both steps wait, and so does late, which the definition has first and the graph last.
		first: []string{"App shop/db", "NotFound", "does not exist", "create it"},
	},
	"dependency with an invalid spec": {
		given: another("web", "needs: db") + strings.Replace(another("db", ""), "a:1", "none", 1) + password,
		first: []string{"App shop/db", "InvalidSpec", "tags such as a:1; digests such as a@sha256:1 are", "correct"},
	},
	"missing dependency": {
		given: another("web", "needs: db") + password,
		first: []string{"App shop/db", "NotFound", "App db does not exist", "create it"},
	},
	"missing definition": {
		script: func(p *kittest.Play) {
			p.Stop()
			crd := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "apps." + kind.Group}}
			crd.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1",
				Kind: "CustomResourceDefinition"})
			must(p, p.Client.Delete(p.T.Context(), crd))
			c, err := client.New(p.Server.Config(), client.Options{Scheme: p.Client.Scheme()})
			must(p, err)
			p.Client = c // another person's, who has not seen the definition
		},
		first: []string{"App shop/web", "NoDefinition", "does not know the kind App", "install its CustomResourceDefinition"},
	},
	"operator is down": {
		script: func(p *kittest.Play) {
			p.Stop()
			p.Change("App/web", "spec.image", "a:2")
			podWith(func(pod *corev1.Pod) {
				pod.Labels = map[string]string{"app": "operator"}
				waits("ErrImagePull", "not found")(pod)
			})(p)
		},
		first: []string{"Pod shop/web-5b-x", "ErrImagePull", "not found", "load or push that image"},
	},
	"selector matches no pod yet": {
		children: map[string]kittest.Behaviour{"Deployment/web": kittest.Hold},
		first:    []string{"Deployment shop/web", "NotReady", "is not seen by its controller", "describe deployment/web"},
	},
}

func claimWithoutClass(p *kittest.Play) {
	claimed(p, nil, corev1.ClaimPending, "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.")
}

// claimOn is a pod whose volume is on a node.
func claimOn(node string) func(*kittest.Play) {
	return func(p *kittest.Play) {
		claimed(p, map[string]string{"volume.kubernetes.io/selected-node": node}, corev1.ClaimBound,
			"0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity.")
	}
}

// claimed is a pod that is not scheduled, and its claim.
func claimed(p *kittest.Play, annotations map[string]string, phase corev1.PersistentVolumeClaimPhase, message string) {
	c := &corev1.PersistentVolumeClaim{ObjectMeta: named("data")}
	c.Annotations, c.Status.Phase = annotations, phase
	c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	create(p, c)
	podWith(func(pod *corev1.Pod) {
		unscheduled(message)(pod)
		pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
	})(p)
}

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "shop", Name: name} }

func must(p *kittest.Play, err error) {
	p.T.Helper()
	if err != nil {
		p.T.Fatal(err)
	}
}
