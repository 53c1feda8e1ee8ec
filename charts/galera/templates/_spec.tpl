{{- define "galera.spec" -}}
{{- $spec := omit .Values "extraObjects" "global" "nameOverride" }}
{{- $cloud := (.Values.global | default dict).cloud | default dict }}
{{- range list "nodeSelector" "paused" "replicas" "tls" "tolerations" "topologySpread" }}
{{- if and (hasKey $cloud .) (not (hasKey $spec .)) }}{{ $_ := set $spec . (get $cloud .) }}{{ end }}
{{- end }}
{{- toYaml $spec }}
{{- end }}
