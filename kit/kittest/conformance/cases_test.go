package conformance

import (
	"iter"
	"net/http"
	"strings"
)

func splitLines(s string) iter.Seq[string] { return strings.SplitSeq(strings.Trim(s, "\n"), "\n") }

const (
	configMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: '1'}}"
	small     = "{apiVersion: test.stackwright.dev/v1alpha1, kind: Widget, metadata: {name: w}, spec: {size: 3}}"
)

func widgetWith(rest string) string { return widgetAs("{name: w}", rest) }

func widgetAs(metadata, rest string) string {
	return "{apiVersion: test.stackwright.dev/v1alpha1, kind: Widget, metadata: " + metadata + ", " + rest + "}"
}

func config(metadata, rest string) string {
	return "{apiVersion: v1, kind: ConfigMap, metadata: " + metadata + ", " + rest + "}"
}

// cases are conversations by name.
var cases = map[string]func(*talk){
	"apply": func(c *talk) {
		c.whole = true
		c.apply("kit", "Widget/w", small)
		c.apply("kit", "Widget/w", small)
		c.apply("other", "Widget/w", widgetWith("spec: {size: 5}"))
		c.force("other", "Widget/w", widgetWith("spec: {size: 5}"))
		c.apply("kit", "Widget/w", widgetWith("spec: {size: 5}"))
		c.apply("kit", "Widget/w", widgetWith("spec: {size: 5, tags: [a], ports: [{name: p, port: 1}]}"))
		c.apply("other", "Widget/w", widgetWith("spec: {size: 5, tags: [b], ports: [{name: q}]}"))
		c.apply("kit", "Widget/w", widgetWith("spec: {size: 5}"))
		c.apply("kit", "Widget/w", widgetAs("{name: w, labels: {a: b}}", "spec: {size: 5}"))
	},
	"apply-refused": func(c *talk) {
		c.apply("", "Widget/w", small)
		c.apply("kit", "Widget/w", widgetWith("spec: {size: 3, colour: red}"))
		c.apply("kit", "Widget/w", widgetWith("spec: {size: three}"))
		c.apply("kit", "Widget/w", widgetWith("spec: {size: 4}"))
		c.apply("kit", "Widget/w", widgetWith("spec: {size: 11, color: a-colour-that-is-too-long}"))
		c.apply("kit", "Widget/w", widgetWith("spec: {}"))
		c.apply("kit", "Widget/w", widgetWith("spec: {size: 3, ports: [{port: 1}]}"))
		c.apply("kit", "Widget/w", widgetWith("spec: {size: 3, tags: [a, a]}"))
		c.apply("kit", "Widget/v", small)
		c.apply("kit", "Widget/w", strings.Replace(small, "v1alpha1", "v1beta1", 1))
		c.apply("kit", "ConfigMap/c", "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, dada: {a: '1'}}")
		c.apply("kit", "ConfigMap/UPPER", config("{name: UPPER}", ""))
		c.apply("kit", "ConfigMap/c", config("{name: c, uid: 3f2a1c9e-0000-4000-8000-000000000000}", ""))
		c.apply("kit", "ConfigMap/c", config("{name: c, resourceVersion: '1'}", ""))
		c.apply("kit", "ConfigMap/c", configMap)
		c.apply("kit", "ConfigMap/c", config("{name: c, resourceVersion: '1'}", "data: {a: '2'}"))
		c.apply("kit", "ConfigMap/c", config("{name: c, uid: 3f2a1c9e-0000-4000-8000-000000000000}", ""))
		c.apply("kit", "ConfigMap/c", config("{name: c, uid: $UID}", "data: {a: '1'}"))
		c.apply("kit", "ConfigMap/c", "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, managedFields: [{manager: x}]}}")
	},
	"status": func(c *talk) {
		c.whole = true
		c.apply("kit", "Widget/w", widgetWith("spec: {size: 3}, status: {ready: true}"))
		ready := widgetWith("status: {observedGeneration: 1, conditions: [{type: Ready, status: 'True'}]}")
		c.apply("kit", "Widget/w/status", ready)
		c.apply("kit", "Widget/w/status", ready)
		c.apply("two", "Widget/w/status", widgetWith("status: {conditions: [{type: Other, status: 'False'}]}"))
		c.apply("kit", "Widget/w/status", widgetWith("spec: {size: 5}, status: {observedGeneration: 2}"))
		c.merge("Widget/w", `{"status":{"ready":true},"spec":{"size":5}}`)
		c.merge("Widget/w/status", `{"status":{"ready":true},"spec":{"size":7},"metadata":{"labels":{"a":"b"}}}`)
		c.merge("Widget/w/status", `{"status":{"ready":"yes"}}`)
		c.merge("Widget/w", `{"metadata":{"labels":{"a":"b"}}}`)
		c.apply("kit", "Widget/none/status", widgetAs("{name: none}", "spec: {size: 3}"))
		c.get("Widget/w/status")
	},
	"writes": func(c *talk) {
		c.create("ConfigMap", configMap)
		c.create("ConfigMap", configMap)
		c.put("ConfigMap/c", config("{name: c}", "data: {a: '2'}"))
		c.put("ConfigMap/c", config("{name: c}", "data: {a: '2'}"))
		c.put("ConfigMap/c", config("{name: c, resourceVersion: '1'}", "data: {a: '3'}"))
		c.put("ConfigMap/c", config("{name: c, uid: 3f2a1c9e-0000-4000-8000-000000000000}", ""))
		c.put("ConfigMap/d", config("{name: d}", ""))
		c.put("ConfigMap/d", configMap)
		c.create("Widget", small)
		c.put("Widget/w", widgetWith("spec: {size: 5}"))
		c.create("Widget", widgetAs("{name: r, resourceVersion: '5'}", "spec: {size: 3}"))
		c.merge("ConfigMap/c", `{"metadata":{"resourceVersion":"1"},"data":{"a":"9"}}`)
		c.merge("ConfigMap/c", `{"metadata":{"resourceVersion":"$RV"}}`)
		c.merge("ConfigMap/c", `{"data":{"a":null,"b":"1"}}`)
		c.merge("ConfigMap/none", `{}`)
		c.jsonPatch("ConfigMap/c", `[{"op":"test","path":"/data/b","value":"1"},{"op":"add","path":"/data/c","value":"2"}]`)
		c.jsonPatch("ConfigMap/c", `[{"op":"test","path":"/data/b","value":"7"}]`)
		c.strategic("ConfigMap/c", `{"data":{"b":null}}`)
		c.strategic("Widget/w", `{"spec":{"size":5}}`)
		c.merge("ConfigMap/c", `{"metadata":{"managedFields":[{}]}}`)
		c.apply("kit", "ConfigMap/c", configMap)
		c.get("ConfigMap/none")
		c.put("Lease/l", "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l}, spec: {holderIdentity: a}}")
	},
	"deletion": func(c *talk) {
		c.create("ConfigMap", configMap)
		c.delete("ConfigMap/c", `{"preconditions":{"uid":"3f2a1c9e-0000-4000-8000-000000000000"}}`)
		c.delete("ConfigMap/c", `{"preconditions":{"resourceVersion":"1"}}`)
		c.delete("ConfigMap/c", `{"preconditions":{"uid":"$UID","resourceVersion":"$RV"}}`)
		c.delete("ConfigMap/c", `{}`)
		c.create("Widget", widgetAs("{name: w, finalizers: [test/a, test/b]}", "spec: {size: 3}"))
		c.delete("Widget/w", `{"dryRun":["All"]}`)
		c.delete("Widget/w", `{}`)
		c.delete("Widget/w", `{}`)
		c.merge("Widget/w", `{"metadata":{"finalizers":["test/a","test/b","test/c"]}}`)
		c.merge("Widget/w", `{"spec":{"size":5}}`)
		c.merge("Widget/w", `{"metadata":{"finalizers":["test/a"]}}`)
		c.merge("Widget/w", `{"metadata":{"finalizers":null}}`)
		c.get("Widget/w")
		c.create("Widget", small)
		c.delete("Widget/w", `{"propagationPolicy":"Foreground"}`)
		c.delete("Widget/w", `{"propagationPolicy":"Background"}`)
		c.create("Widget", small)
		c.delete("Widget/w", `{"propagationPolicy":"Orphan"}`)
		c.merge("Widget/w", `{"metadata":{"finalizers":null}}`)
		c.apply("kit", "Job/x", kinds["Job/x"].object)
		c.delete("Job/x", `{}`)
		c.apply("kit", "Deployment/x", kinds["Deployment/x"].object)
		c.delete("Deployment/x", `{"propagationPolicy":"Foreground"}`)
	},
	"finalizer-by-apply": func(c *talk) {
		with := widgetAs("{name: w, finalizers: [test/kit]}", "spec: {size: 3}")
		c.apply("kit", "Widget/w", with)
		c.merge("Widget/w", `{"metadata":{"finalizers":["test/kit","test/foreign"]}}`)
		c.apply("kit", "Widget/w", with)
		c.delete("Widget/w", `{}`)
		c.apply("kit", "Widget/w", small)
		c.merge("Widget/w", `{"metadata":{"finalizers":[]}}`)
		c.get("Widget/w")
	},
	"immutable": func(c *talk) {
		d := kinds["Deployment/x"].object
		c.apply("kit", "Deployment/x", d)
		c.apply("kit", "Deployment/x", strings.ReplaceAll(d, "app: x", "app: y"))
		c.apply("kit", "Deployment/x", strings.Replace(d, "matchLabels: {app: x}", "matchLabels: {app: z}", 1))
		c.apply("kit", "Job/x", kinds["Job/x"].object)
		c.apply("kit", "Job/x", strings.Replace(kinds["Job/x"].object, "a:1", "a:2", 1))
		c.apply("kit", "Service/x", kinds["Service/x"].object)
		s := kinds["Service/x"].object
		// The first address of the range is that of the API server itself, so x cannot have got it.
		c.apply("kit", "Service/x", strings.Replace(s, "spec:", "spec:\n      clusterIP: 10.0.0.1", 1))
		c.apply("kit", "StatefulSet/x", kinds["StatefulSet/x"].object)
		c.apply("kit", "StatefulSet/x", strings.Replace(kinds["StatefulSet/x"].object, "1Gi", "2Gi", 1))
		c.apply("kit", "PersistentVolumeClaim/x", kinds["PersistentVolumeClaim/x"].object)
		c.apply("kit", "PersistentVolumeClaim/x", strings.Replace(kinds["PersistentVolumeClaim/x"].object, "fast", "slow", 1))
		c.apply("kit", "RoleBinding/x", kinds["RoleBinding/x"].object)
		b := kinds["RoleBinding/x"].object
		c.apply("kit", "RoleBinding/x", strings.Replace(b, "kind: Role, name: x", "kind: Role, name: other", 1))
		c.apply("kit", "Secret/x", kinds["Secret/x"].object)
		c.apply("kit", "Secret/x", strings.Replace(kinds["Secret/x"].object, " data:", " type: example.test/other, data:", 1))
	},
	"secret-text": func(c *talk) {
		text := func(more string) string {
			return "{apiVersion: v1, kind: Secret, metadata: {name: x}, data: {a: Yg==, c: ZA==}" + more + "}"
		}
		c.create("Secret", text(", stringData: {a: e, f: \"g\\n\"}"))
		c.get("Secret/x")
		c.merge("Secret/x", `{"stringData":{"c":"h"}}`)
		c.merge("Secret/x", `{"stringData":{},"data":{"f":null}}`)
		c.apply("kit", "Secret/z", strings.Replace(text(", stringData: {i: j}"), "name: x", "name: z", 1))
		c.get("Secret/z")
	},
	"generation": func(c *talk) {
		c.apply("kit", "Deployment/x", kinds["Deployment/x"].object)
		c.merge("Deployment/x", `{"metadata":{"annotations":{"a":"b"}}}`)
		c.merge("Deployment/x", `{"metadata":{"labels":{"a":"b"}}}`)
		c.merge("Deployment/x", `{"spec":{"replicas":3}}`)
		c.merge("Deployment/x/status", `{"status":{"replicas":3,"readyReplicas":3}}`)
		c.merge("Deployment/x/status", `{"status":{"replicas":3,"readyReplicas":3}}`)
		c.apply("kit", "DaemonSet/x", kinds["DaemonSet/x"].object)
		c.merge("DaemonSet/x", `{"metadata":{"annotations":{"a":"b"}}}`)
		c.apply("kit", "Service/x", kinds["Service/x"].object)
		c.merge("Service/x", `{"spec":{"selector":{"app":"z"}}}`)
		c.create("Widget", small)
		c.merge("Widget/w", `{"metadata":{"annotations":{"a":"b"}}}`)
		c.merge("Widget/w", `{"spec":{"size":5}}`)
		c.merge("Widget/w/status", `{"status":{"ready":true}}`)
	},
	"watch": func(c *talk) {
		c.create("ConfigMap", configMap)
		// The name keeps what the real server puts into every namespace out of sight.
		w := c.watch("ConfigMap", "fieldSelector=metadata.name=c&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"+
			"&allowWatchBookmarks=true")
		w.next(2)
		c.merge("ConfigMap/c", `{"data":{"a":"2"}}`)
		c.merge("ConfigMap/c", `{"data":{"a":"2"}}`)
		c.create("ConfigMap", config("{name: d}", "data: {}"))
		c.merge("ConfigMap/c", `{"data":{"a":"3"}}`)
		c.delete("ConfigMap/c", `{}`)
		w.next(3)
		c.create("ConfigMap", configMap)
		w.next(1)
		since := c.fill("$RV")
		l := c.watch("ConfigMap", "labelSelector=a=b&resourceVersion="+since)
		c.merge("ConfigMap/c", `{"metadata":{"labels":{"a":"b"}}}`)
		c.merge("ConfigMap/c", `{"data":{"a":"4"}}`)
		c.merge("ConfigMap/c", `{"metadata":{"labels":{"a":"c"}}}`)
		l.next(3)
		c.delete("ConfigMap/c", `{}`)
		r := c.watch("ConfigMap", "fieldSelector=metadata.name=c&resourceVersion="+since)
		r.next(4)
		c.create("Widget", widgetAs("{name: w, finalizers: [test/a]}", "spec: {size: 3}"))
		v := c.watch("Widget", "")
		v.next(1)
		c.delete("Widget/w", `{}`)
		c.merge("Widget/w", `{"metadata":{"finalizers":null}}`)
		v.next(2)
	},
	"lists": func(c *talk) {
		for _, n := range []string{"a", "b", "c"} {
			c.create("Widget", widgetAs("{name: "+n+", labels: {tier: "+n+"}}", "spec: {size: 3}"))
		}
		c.list("Widget", "")
		c.list("Widget", "limit=2")
		c.list("Widget", "labelSelector=tier!=b")
		c.list("Widget", "fieldSelector=metadata.name=b")
		c.list("Widget", "fieldSelector=spec.size=3")
		c.list("Widget", "labelSelector=tier+in+(b,c)")
		c.list("Widget", "labelSelector=tier+in")
		c.do("delete collection", http.MethodDelete, "Widget", "labelSelector=tier=a", "application/json", "{}")
		c.list("Widget", "")
	},
	"dry-run": func(c *talk) {
		c.dry("kit", "Widget/w", small)
		c.get("Widget/w")
		c.apply("kit", "Widget/w", small)
		c.dry("kit", "Widget/w", widgetWith("spec: {size: 5}"))
		c.get("Widget/w")
	},
}
