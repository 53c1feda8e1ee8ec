package apiserver

import (
	"encoding/base64"
	"fmt"
	"maps"
	"strings"
	"sync"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// containerDefaults and podDefaults are set in every pod template; a path ends where something on it is missing.
const (
	containerDefaults = `
terminationMessagePath = "/dev/termination-log"
terminationMessagePolicy = "File"
resources = {}
ports[].protocol = "TCP"
env[].valueFrom.fieldRef.apiVersion = "v1"
livenessProbe.timeoutSeconds = 1
livenessProbe.periodSeconds = 10
livenessProbe.successThreshold = 1
livenessProbe.failureThreshold = 3
livenessProbe.httpGet.path = "/"
livenessProbe.httpGet.scheme = "HTTP"
lifecycle.preStop.httpGet.scheme = "HTTP"
lifecycle.postStart.httpGet.scheme = "HTTP"`

	podDefaults = `
restartPolicy = "Always"
dnsPolicy = "ClusterFirst"
schedulerName = "default-scheduler"
terminationGracePeriodSeconds = 30
securityContext = {}
volumes[].configMap.defaultMode = 420
volumes[].secret.defaultMode = 420
volumes[].downwardAPI.defaultMode = 420
volumes[].projected.defaultMode = 420
volumes[].downwardAPI.items[].fieldRef.apiVersion = "v1"
volumes[].projected.sources[].downwardAPI.items[].fieldRef.apiVersion = "v1"
volumes[].projected.sources[].serviceAccountToken.expirationSeconds = 3600
volumes[].hostPath.type = ""`

	claimDefaults = `
volumeMode = "Filesystem"`

	jobDefaults = `
parallelism = 1
completions = 1
backoffLimit = 6
completionMode = "NonIndexed"
suspend = false
podReplacementPolicy = "TerminatingOrFailed"
manualSelector = false`

	matchDefaults = `
matchPolicy = "Equivalent"
namespaceSelector = {}
objectSelector = {}`
)

// kindDefaults are what the real server fills in, by kind: `path = JSON`, optionally `if path = JSON`. A line that
// ends in `: name` includes the block of that name below the path.
var kindDefaults = map[string]string{
	"Deployment": `
spec.replicas = 1
spec.strategy = {}
spec.strategy.type = "RollingUpdate"
spec.strategy.rollingUpdate = {} if spec.strategy.type = "RollingUpdate"
spec.strategy.rollingUpdate.maxUnavailable = "25%"
spec.strategy.rollingUpdate.maxSurge = "25%"
spec.revisionHistoryLimit = 10
spec.progressDeadlineSeconds = 600
spec.template.spec : pod`,
	"DaemonSet": `
spec.updateStrategy = {}
spec.updateStrategy.type = "RollingUpdate"
spec.updateStrategy.rollingUpdate = {} if spec.updateStrategy.type = "RollingUpdate"
spec.updateStrategy.rollingUpdate.maxUnavailable = 1
spec.updateStrategy.rollingUpdate.maxSurge = 0
spec.revisionHistoryLimit = 10
spec.template.spec : pod`,
	"StatefulSet": `
spec.replicas = 1
spec.podManagementPolicy = "OrderedReady"
spec.updateStrategy = {}
spec.updateStrategy.type = "RollingUpdate"
spec.updateStrategy.rollingUpdate = {} if spec.updateStrategy.type = "RollingUpdate"
spec.updateStrategy.rollingUpdate.partition = 0
spec.persistentVolumeClaimRetentionPolicy = {}
spec.persistentVolumeClaimRetentionPolicy.whenDeleted = "Retain"
spec.persistentVolumeClaimRetentionPolicy.whenScaled = "Retain"
spec.revisionHistoryLimit = 10
spec.volumeClaimTemplates[].apiVersion = "v1"
spec.volumeClaimTemplates[].kind = "PersistentVolumeClaim"
spec.volumeClaimTemplates[].spec : claim
spec.volumeClaimTemplates[].status = {}
spec.volumeClaimTemplates[].status.phase = "Pending"
spec.template.spec : pod`,
	"ReplicaSet": `
spec.replicas = 1
spec.template.spec : pod`,
	"Pod": `
spec.enableServiceLinks = true
spec : pod`,
	"Job": `
spec : job
spec.template.spec : pod`,
	"CronJob": `
spec.concurrencyPolicy = "Allow"
spec.suspend = false
spec.successfulJobsHistoryLimit = 3
spec.failedJobsHistoryLimit = 1
spec.jobTemplate.spec.template.spec : pod`,
	"Service": `
spec.type = "ClusterIP"
spec.sessionAffinity = "None"
spec.sessionAffinityConfig = {"clientIP":{"timeoutSeconds":10800}} if spec.sessionAffinity = "ClientIP"
spec.ports[].protocol = "TCP"
spec.internalTrafficPolicy = "Cluster" if spec.type = "ClusterIP"
spec.internalTrafficPolicy = "Cluster" if spec.type = "NodePort"
spec.internalTrafficPolicy = "Cluster" if spec.type = "LoadBalancer"
spec.externalTrafficPolicy = "Cluster" if spec.type = "NodePort"
spec.externalTrafficPolicy = "Cluster" if spec.type = "LoadBalancer"
spec.allocateLoadBalancerNodePorts = true if spec.type = "LoadBalancer"`,
	"PersistentVolumeClaim": `
spec : claim`,
	"PersistentVolume": `
spec.persistentVolumeReclaimPolicy = "Retain"
spec.volumeMode = "Filesystem"`,
	"Secret": `
type = "Opaque"`,
	"NetworkPolicy": `
spec.ingress[].ports[].protocol = "TCP"
spec.egress[].ports[].protocol = "TCP"
spec.policyTypes = ["Ingress"]`,
	"HorizontalPodAutoscaler": `
spec.minReplicas = 1`,
	"RoleBinding": `
roleRef.apiGroup = "rbac.authorization.k8s.io"`,
	"ClusterRoleBinding": `
roleRef.apiGroup = "rbac.authorization.k8s.io"`,
	"ValidatingAdmissionPolicy": `
spec.failurePolicy = "Fail"
spec.matchConstraints : match
spec.matchConstraints.resourceRules[].scope = "*"`,
	"MutatingAdmissionPolicy": `
spec.failurePolicy = "Fail"
spec.matchConstraints : match
spec.matchConstraints.resourceRules[].scope = "*"`,
	"ValidatingAdmissionPolicyBinding": `
spec.matchResources : match`,
	"StorageClass": `
reclaimPolicy = "Delete"
volumeBindingMode = "Immediate"`,
}

// fill is one default: the value at path, if it is missing and when holds.
type fill struct {
	path  []string
	value any
	when  []string
	is    any
}

// fills has the parsed defaults.
var fills = sync.OnceValue(func() map[string][]fill {
	probes := strings.Builder{}
	probes.WriteString(containerDefaults)
	for _, p := range []string{"readinessProbe", "startupProbe"} {
		for line := range strings.SplitSeq(containerDefaults, "\n") {
			if strings.HasPrefix(line, "livenessProbe.") {
				probes.WriteString("\n" + p + strings.TrimPrefix(line, "livenessProbe"))
			}
		}
	}
	blocks := map[string]string{
		"claim": claimDefaults, "job": jobDefaults, "match": matchDefaults,
		"pod": podDefaults + below("containers[]", probes.String()) + below("initContainers[]", probes.String()),
	}
	out := map[string][]fill{}
	for kind, text := range kindDefaults {
		for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
			if at, name, ok := strings.Cut(line, " : "); ok {
				line = below(at, blocks[name])
			}
			for l := range strings.SplitSeq(strings.TrimSpace(line), "\n") {
				out[kind] = append(out[kind], parseFill(l))
			}
		}
	}
	return out
})

// below puts a path before each line of a block.
func below(path, block string) string {
	return "\n" + path + "." + strings.ReplaceAll(strings.TrimSpace(block), "\n", "\n"+path+".")
}

func parseFill(line string) fill {
	line, cond, _ := strings.Cut(line, " if ")
	path, value, ok := strings.Cut(line, " = ")
	f := fill{path: strings.Split(path, "."), value: constant(value)}
	if !ok {
		panic("apiserver: the default " + line + " has no value")
	}
	if when, is, ok := strings.Cut(cond, " = "); ok {
		f.when, f.is = strings.Split(when, "."), constant(is)
	}
	return f
}

func constant(s string) any {
	var v any
	if err := utiljson.Unmarshal([]byte(`{"v":`+s+`}`), &v); err != nil {
		panic(fmt.Sprintf("apiserver: the default value %s: %v", s, err))
	}
	return v.(map[string]any)["v"]
}

// defaults sets the defaults of a built-in kind.
func (k *kind) defaults(u *unstructured.Unstructured) {
	for _, f := range fills()[k.gvk.Kind] {
		if f.when != nil {
			v, _, _ := unstructured.NestedFieldNoCopy(u.Object, f.when...)
			if !apiequality.Semantic.DeepEqual(v, f.is) {
				continue
			}
		}
		f.set(u.Object, f.path)
	}
	special(k.gvk.Kind, u)
}

// set walks the path; `[]` goes into every element of a list.
func (f fill) set(at map[string]any, path []string) {
	name, list := strings.CutSuffix(path[0], "[]")
	switch {
	case len(path) == 1:
		if _, ok := at[name]; !ok {
			at[name] = runtime.DeepCopyJSONValue(f.value)
		}
	case list:
		items, _ := at[name].([]any)
		for _, e := range items {
			if m, ok := e.(map[string]any); ok {
				f.set(m, path[1:])
			}
		}
	default:
		if m, ok := at[name].(map[string]any); ok {
			f.set(m, path[1:])
		}
	}
}

// special sets the defaults that depend on other values.
func special(kind string, u *unstructured.Unstructured) {
	switch kind {
	case "Service":
		each(u.Object, "spec.ports", func(p map[string]any) {
			if p["targetPort"] == nil || p["targetPort"] == int64(0) {
				p["targetPort"] = p["port"]
			}
		})
	case "Secret":
		unveil(u)
	case "Namespace":
		labels := u.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels["kubernetes.io/metadata.name"] = u.GetName()
		u.SetLabels(labels)
	case "Job":
		labels, _, _ := unstructured.NestedStringMap(u.Object, "spec", "template", "metadata", "labels")
		if len(u.GetLabels()) == 0 && labels != nil {
			u.SetLabels(maps.Clone(labels))
		}
	}
	for _, path := range []string{"spec", "spec.template.spec", "spec.jobTemplate.spec.template.spec"} {
		if pod, ok := at(u, path).(map[string]any); ok && pod["serviceAccountName"] != nil {
			pod["serviceAccount"] = pod["serviceAccountName"] // its old name
		}
		for _, list := range []string{".containers", ".initContainers"} {
			each(u.Object, path+list, pullPolicy)
		}
	}
}

// unveil brings what a Secret has as text to the data.
func unveil(u *unstructured.Unstructured) {
	texts, found, _ := unstructured.NestedStringMap(u.Object, "stringData")
	if !found {
		return
	}
	delete(u.Object, "stringData")
	data, _ := u.Object["data"].(map[string]any)
	if data == nil {
		data = map[string]any{}
	}
	for key, text := range texts {
		data[key] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	if len(texts) > 0 {
		u.Object["data"] = data
	}
}

// each calls f with the maps of a list.
func each(object map[string]any, path string, f func(map[string]any)) {
	v, _, _ := unstructured.NestedFieldNoCopy(object, strings.Split(path, ".")...)
	items, _ := v.([]any)
	for _, e := range items {
		if m, ok := e.(map[string]any); ok {
			f(m)
		}
	}
}

func pullPolicy(c map[string]any) {
	image, ok := c["image"].(string)
	if !ok || c["imagePullPolicy"] != nil {
		return
	}
	name := image[strings.LastIndex(image, "/")+1:]
	_, tag, tagged := strings.Cut(name, ":")
	c["imagePullPolicy"] = "IfNotPresent"
	if (!tagged || tag == "latest") && !strings.Contains(name, "@") {
		c["imagePullPolicy"] = "Always"
	}
}
