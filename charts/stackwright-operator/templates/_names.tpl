{{- /* The labels of everything in the chart. */ -}}
{{- define "labels" -}}
app.kubernetes.io/name: stackwright-operator
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- /* The name of one operator: the release's, and the entry's unless it is the only one. */ -}}
{{- define "operator" -}}
{{- if eq .entry.name "all" }}{{ .root.Release.Name }}{{ else }}{{ .root.Release.Name }}-{{ .entry.name }}{{ end -}}
{{- end -}}
