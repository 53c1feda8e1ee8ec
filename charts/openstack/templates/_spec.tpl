{{- define "openstack.spec" -}}
{{- $spec := omit .Values "extraObjects" "global" "nameOverride" }}
{{- $cloud := (.Values.global | default dict).cloud | default dict }}
{{- range list "paused" "region" "release" "tls" }}
{{- if and (hasKey $cloud .) (not (hasKey $spec .)) }}{{ $_ := set $spec . (get $cloud .) }}{{ end }}
{{- end }}
{{- toYaml $spec }}
{{- end }}
