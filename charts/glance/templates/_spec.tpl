{{- define "glance.spec" -}}
{{- $spec := omit .Values "extraObjects" "global" "mode" "nameOverride" "standalone" }}
{{- $cloud := (.Values.global | default dict).cloud | default dict }}
{{- range list "nodeSelector" "paused" "release" "replicas" "tls" "tolerations" "topologySpread" "workers" }}
{{- if and (hasKey $cloud .) (not (hasKey $spec .)) }}{{ $_ := set $spec . (get $cloud .) }}{{ end }}
{{- end }}
{{- toYaml $spec }}
{{- end }}
