{{- define "toolway.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "toolway.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "toolway.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "toolway.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "toolway.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "toolway.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* Which pods a component is. Arguments: root, component, and pool where there is one. */}}
{{- define "toolway.selector" -}}
app.kubernetes.io/name: {{ include "toolway.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- with .pool }}
toolway/pool: {{ . }}
{{- end }}
{{- end -}}

{{- define "toolway.labels" -}}
{{ include "toolway.selector" . }}
app.kubernetes.io/part-of: toolway
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "toolway.image" -}}
{{- with .Values.image -}}
{{- $name := .repository -}}
{{- if .registry }}{{ $name = printf "%s/%s" (trimSuffix "/" .registry) .repository }}{{ end -}}
{{- if .digest -}}
{{ $name }}@{{ .digest }}
{{- else -}}
{{ $name }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A pool's values: the defaults, and over them its own. Arguments: root, name. */}}
{{- define "toolway.pool" -}}
{{- $own := index .root.Values.pools .name -}}
{{- mustMergeOverwrite (deepCopy .root.Values.poolDefaults) (deepCopy $own) | toYaml -}}
{{- end -}}

{{/* "yes" when nothing says which names in the header Host gateways serve. */}}
{{- define "toolway.servesEveryHost" -}}
{{- ternary "no" "yes" (or (gt (len .Values.gateway.allowHosts) 0) (contains "--allow-host" (join " " .Values.gateway.extraArgs))) -}}
{{- end -}}
