#!/usr/bin/env bash
# Starts a service on a temporary store and sends it requests that Schemathesis derives from its OpenAPI document.
# Needs Python with venv. The first argument is the number of requests to generate for each operation, 20 by default.
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
service=
trap '[ -z "$service" ] || { kill "$service" && wait "$service"; } || true; rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet schemathesis==4.32.5

PORT=0 DEPUTY_RATE_LIMIT=0 DEPUTY_DATA_DIR="$work/data" npx node server/src/main.ts > "$work/service.log" 2>&1 &
service=$!
for _ in $(seq 300); do
  url=$(grep -oE 'http://(localhost|127\.0\.0\.1):[0-9]+' "$work/service.log" | head -1 || true)
  [ -z "$url" ] || break
  sleep 0.2
done

# Unicode classes in patterns cannot be generated in Python, so names are ASCII. A subject token that does not verify
# is refused with 400, as OAuth requires, so /oauth/token is tested without the check for refused requests.
common=(--mode positive --max-examples "${1:-20}" --phases fuzzing --continue-on-failure
  --generation-codec ascii --generation-database none --suppress-health-check all --warnings off)
checks=not_a_server_error,response_schema_conformance,content_type_conformance,status_code_conformance
export SCHEMATHESIS_HOOKS="protocol/build/schemathesis/hooks.py"
"$work/venv/bin/schemathesis" run "$url/openapi.json" "${common[@]}" \
  -c "$checks,positive_data_acceptance" --exclude-path /oauth/token
"$work/venv/bin/schemathesis" run "$url/openapi.json" "${common[@]}" -c "$checks" --include-path /oauth/token
