{{/* What every pod of the release has. Arguments: root, component, pool; grace in seconds. */}}
{{- define "toolway.podSettings" -}}
serviceAccountName: {{ include "toolway.serviceAccount" .root }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with (default .root.Values.nodeSelector .nodeSelector) }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with (default .root.Values.tolerations .tolerations) }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .grace }}
terminationGracePeriodSeconds: {{ . }}
{{- end }}
{{- end -}}

{{/* Replicas over zones and machines, counted per version while a new one rolls out. */}}
{{- define "toolway.spread" -}}
{{- $keys := dict "zone" "topology.kubernetes.io/zone" "host" "kubernetes.io/hostname" -}}
{{- $used := list -}}
{{- range $name, $key := $keys -}}
{{- $when := index $.root.Values.topologySpread $name -}}
{{- if $when -}}
{{- $used = append $used (dict "maxSkew" 1 "topologyKey" $key "whenUnsatisfiable" $when
      "labelSelector" (dict "matchLabels" (include "toolway.selector" $ | fromYaml))
      "matchLabelKeys" (list "pod-template-hash")) -}}
{{- end -}}
{{- end -}}
{{- with $used }}
topologySpreadConstraints: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "toolway.podSecurity" -}}
runAsNonRoot: true
{{ toYaml .Values.securityContext }}
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "toolway.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{/* Secrets come in by reference, and as variables: a command line is readable to others. Arguments: root, role, postgres. */}}
{{- define "toolway.env" -}}
{{- $nats := .root.Values.nats -}}
{{- if contains "@" $nats.url }}{{ fail "nats.url: user and password belong into a Secret: see nats.existingSecret" }}{{ end -}}
- name: TOOLWAY_NATS_URL
  {{- if $nats.existingSecret }}
  valueFrom: {secretKeyRef: {name: {{ $nats.existingSecret }}, key: {{ index $nats.keys .role }}}}
  {{- else }}
  value: {{ required "nats.existingSecret or nats.url says where NATS is" $nats.url | quote }}
  {{- end }}
{{- if .postgres }}
- name: TOOLWAY_POSTGRES_URL
  {{- if and .postgresSecret .postgresSecret.name }}
  valueFrom: {secretKeyRef: {name: {{ .postgresSecret.name }}, key: {{ .postgresSecret.key }}}}
  {{- else }}
  valueFrom: {secretKeyRef: {name: {{ required "postgres.existingSecret names the Secret with the URL of Postgres" .root.Values.postgres.existingSecret }}, key: {{ .root.Values.postgres.key }}}}
  {{- end }}
{{- end }}
{{- with .root.Values.telemetry.otlp }}
{{- if and .endpoint (ne $.role "migrate") }}
- name: POD
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
- name: NODE
  valueFrom: {fieldRef: {fieldPath: spec.nodeName}}
- name: OTEL_RESOURCE_ATTRIBUTES
  value: k8s.namespace.name={{ $.root.Release.Namespace }},k8s.pod.name=$(POD),k8s.node.name=$(NODE)
- name: OTEL_TRACES_SAMPLER_ARG
  value: {{ $.root.Values.telemetry.traceSample | quote }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ .endpoint | quote }}
{{- if .headersSecret.name }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom: {secretKeyRef: {name: {{ .headersSecret.name }}, key: {{ .headersSecret.key }}}}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Arguments of the long-running processes. */}}
{{- define "toolway.commonArgs" -}}
- --log-level
- {{ .Values.logLevel }}
- --log-format
- {{ .Values.logFormat }}
{{- end -}}

{{/* Started once it answers, and restarted only when it does not answer at all: a lost NATS or Postgres is not cured by a restart, at the start neither. */}}
{{- define "toolway.probes" -}}
startupProbe:
  httpGet: {path: /livez, port: {{ . }}}
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 90
livenessProbe:
  httpGet: {path: /livez, port: {{ . }}}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: {path: /readyz, port: {{ . }}}
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end -}}
