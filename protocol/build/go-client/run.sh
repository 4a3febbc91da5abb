#!/usr/bin/env bash
# Makes a Go client from openapi.json with openapi-generator, compiles it, and calls a service that it starts.
# Needs Java, Maven and Go. Everything is written to a temporary directory.
set -euo pipefail
cd "$(dirname "$0")/../../.."
version=7.14.0
work=$(mktemp -d)
service=
trap '[ -z "$service" ] || { kill "$service" && wait "$service"; } || true; rm -rf "$work"' EXIT

mvn --quiet dependency:copy -Dartifact="org.openapitools:openapi-generator-cli:$version" -DoutputDirectory="$work"
java -jar "$work/openapi-generator-cli-$version.jar" generate -i openapi.json -g go -o "$work/client" \
  --additional-properties=packageName=deputy > "$work/generate.log"
rm -rf "$work/client/test"
mkdir "$work/client/call"
cp protocol/build/go-client/main.go "$work/client/call/"
(cd "$work/client" && go mod tidy && go build -o "$work/call" ./call)

PORT=0 DEPUTY_DATA_DIR="$work/data" npx node server/src/main.ts > "$work/service.log" 2>&1 &
service=$!
for _ in $(seq 300); do
  url=$(grep -oE 'http://(localhost|127\.0\.0\.1):[0-9]+' "$work/service.log" | head -1 || true)
  [ -z "$url" ] || break
  sleep 0.2
done
"$work/call" "$url"
