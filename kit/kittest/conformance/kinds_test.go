package conformance

// owned is a kind with an edit of a field that the applier owns, and an addition that it does not own.
type owned struct {
	object, edit, addition string
	// media of edit and addition; merge patches unless it says strategic.
	strategic bool
	// restless kinds are written once more, unchanged, by the first repeated apply on the real server: a known difference.
	restless bool
}

const pod = `
      metadata: {labels: {app: x}}
      spec:
        containers:
        - name: main
          image: example.test/a:1
          env: [{name: EMPTY, value: ""}, {name: A, value: b}]
          ports: [{containerPort: 80}]
          resources: {requests: {cpu: 1000m, memory: 1024Ki}}
          volumeMounts: [{name: c, mountPath: /c}]
          readinessProbe: {httpGet: {port: 80}}
          livenessProbe: {exec: {command: ["true"]}, periodSeconds: 5}
          startupProbe: {tcpSocket: {port: 80}}
        - {name: side, image: "example.test/b", env: [{name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]}
        initContainers: [{name: init, image: "example.test/b:latest"}]
        volumes:
        - {name: c, configMap: {name: c}}
        - {name: s, secret: {secretName: s}}
        - {name: e, emptyDir: {}}
        - {name: h, hostPath: {path: /h}}
        - {name: p, projected: {sources: [{serviceAccountToken: {path: t}}]}}
`

// kinds are those that operators make.
var kinds = map[string]owned{
	"ConfigMap/x": {
		object:   "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, labels: {app: x}}, data: {a: '1', b: '2'}}",
		edit:     `{"data":{"a":"9"}}`,
		addition: `{"data":{"c":"3"}}`,
	},
	"Secret/x": {
		object:   "{apiVersion: v1, kind: Secret, metadata: {name: x}, data: {a: MQ==}}",
		edit:     `{"data":{"a":"OQ=="}}`,
		addition: `{"data":{"c":"Mw=="}}`,
	},
	"ServiceAccount/x": {
		object: `{apiVersion: v1, kind: ServiceAccount, metadata: {name: x, labels: {app: x}},
      automountServiceAccountToken: false}`,
		edit:     `{"automountServiceAccountToken":true}`,
		addition: `{"metadata":{"annotations":{"note":"1"}}}`,
	},
	"Service/x": {
		object: `
    apiVersion: v1
    kind: Service
    metadata: {name: x}
    spec:
      selector: {app: x}
      ports: [{name: http, port: 80}, {name: https, port: 443, protocol: TCP, targetPort: 8443}]`,
		edit:     `{"spec":{"selector":{"app":"y"}}}`,
		addition: `{"spec":{"sessionAffinity":"ClientIP"}}`,
	},
	"PersistentVolumeClaim/x": {
		object: `
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata: {name: x, labels: {app: x}}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: fast}`,
		restless: true,
		edit:     `{"metadata":{"labels":{"app":"y"}}}`,
		addition: `{"metadata":{"labels":{"more":"1"}}}`,
	},
	"Deployment/x": {
		object: `
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: x}
    spec:
      replicas: 2
      selector: {matchLabels: {app: x}}
      template:
` + shift(pod),
		edit:      `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"example.test/a:2"}]}}}}`,
		addition:  `{"spec":{"template":{"metadata":{"annotations":{"note":"1"}}}}}`,
		strategic: true,
	},
	"DaemonSet/x": {
		object: `
    apiVersion: apps/v1
    kind: DaemonSet
    metadata: {name: x}
    spec:
      selector: {matchLabels: {app: x}}
      template:
` + shift(pod),
		edit:      `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"example.test/a:2"}]}}}}`,
		addition:  `{"spec":{"template":{"metadata":{"labels":{"note":"1"}}}}}`,
		strategic: true,
	},
	"StatefulSet/x": {
		object: `
    apiVersion: apps/v1
    kind: StatefulSet
    metadata: {name: x}
    spec:
      serviceName: x
      selector: {matchLabels: {app: x}}
      volumeClaimTemplates:
      - metadata: {name: data}
        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
      template:
` + shift(pod),
		edit:      `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"example.test/a:2"}]}}}}`,
		addition:  `{"spec":{"template":{"metadata":{"annotations":{"note":"1"}}}}}`,
		strategic: true,
	},
	"Job/x": {
		object: `
    apiVersion: batch/v1
    kind: Job
    metadata: {name: x, labels: {app: x}}
    spec:
      backoffLimit: 2
      template:
        metadata: {labels: {app: x}}
        spec: {restartPolicy: Never, containers: [{name: main, image: 'example.test/a:1'}]}`,
		edit:     `{"spec":{"backoffLimit":4}}`,
		addition: `{"metadata":{"annotations":{"note":"1"}}}`,
	},
	"CronJob/x": {
		object: `
    apiVersion: batch/v1
    kind: CronJob
    metadata: {name: x}
    spec:
      schedule: "0 * * * *"
      jobTemplate:
        spec:
          template:
            spec: {restartPolicy: Never, containers: [{name: main, image: 'example.test/a:1'}]}`,
		edit:     `{"spec":{"schedule":"1 * * * *"}}`,
		addition: `{"spec":{"suspend":true}}`,
	},
	"PodDisruptionBudget/x": {
		object: `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: x},
      spec: {minAvailable: 1, selector: {matchLabels: {app: x}}}}`,
		edit:     `{"spec":{"minAvailable":2}}`,
		addition: `{"metadata":{"annotations":{"note":"1"}}}`,
	},
	"NetworkPolicy/x": {
		object: `
    apiVersion: networking.k8s.io/v1
    kind: NetworkPolicy
    metadata: {name: x}
    spec:
      podSelector: {matchLabels: {app: x}}
      policyTypes: [Ingress]
      ingress: [{from: [{podSelector: {}}], ports: [{port: 80}]}]`,
		edit:     `{"spec":{"policyTypes":["Egress"]}}`,
		addition: `{"metadata":{"annotations":{"note":"1"}}}`,
	},
	"Ingress/x": {
		object: `
    apiVersion: networking.k8s.io/v1
    kind: Ingress
    metadata: {name: x}
    spec:
      rules:
      - http: {paths: [{path: "/", pathType: Prefix, backend: {service: {name: x, port: {number: 80}}}}]}`,
		edit: `{"spec":{"rules":[{"host":"a.test","http":{"paths":[{"path":"/","pathType":"Prefix",
      "backend":{"service":{"name":"x","port":{"number":80}}}}]}}]}}`,
		addition: `{"spec":{"ingressClassName":"other"}}`,
	},
	"HorizontalPodAutoscaler/x": {
		object: `
    apiVersion: autoscaling/v2
    kind: HorizontalPodAutoscaler
    metadata: {name: x}
    spec:
      scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}
      maxReplicas: 3
      metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]`,
		edit:     `{"spec":{"maxReplicas":5}}`,
		addition: `{"spec":{"minReplicas":2}}`,
	},
	"Role/x": {
		object: `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: x},
      rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`,
		edit:     `{"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["list"]}]}`,
		addition: `{"metadata":{"annotations":{"note":"1"}}}`,
	},
	"RoleBinding/x": {
		object: `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: x},
      roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: x},
      subjects: [{kind: ServiceAccount, name: x, namespace: conformance}]}`,
		edit:     `{"subjects":[{"kind":"ServiceAccount","name":"y","namespace":"conformance"}]}`,
		addition: `{"metadata":{"annotations":{"note":"1"}}}`,
	},
	"ValidatingAdmissionPolicy/x": {
		object: `
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingAdmissionPolicy
    metadata: {name: x}
    spec:
      failurePolicy: Fail
      matchConstraints:
        resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
      validations: [{expression: "object.spec.replicas <= 5"}]`,
		edit:     `{"spec":{"failurePolicy":"Ignore"}}`,
		addition: `{"metadata":{"annotations":{"note":"1"}}}`,
	},
	"Widget/x": {
		object: `
    apiVersion: test.stackwright.dev/v1alpha1
    kind: Widget
    metadata: {name: x}
    spec: {size: 3, ports: [{name: http, port: 80}], tags: [a, b], hosts: [h1], template: {any: {thing: 1}}}`,
		edit:     `{"spec":{"hosts":["h2"]}}`,
		addition: `{"spec":{"color":"red"}}`,
	},
}

// shift indents the pod template for workloads.
func shift(s string) string {
	out := ""
	for line := range splitLines(s) {
		out += "  " + line + "\n"
	}
	return out
}
