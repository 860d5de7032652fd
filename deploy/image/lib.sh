# Shared by the scripts of deploy/image: sourced, never run.
# shellcheck shell=bash
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"

# Names of images: the environment wins, then .env of the checkout (digests), then bases.env.
names() {
    local line name file
    for file in "$root/.env" "$root/deploy/image/bases.env"; do
        [ -f "$file" ] || continue
        while IFS= read -r line; do
            case "$line" in '#'* | '' | *' '*) continue ;; *=*) ;; *) continue ;; esac
            name="${line%%=*}"
            [ -n "${!name:-}" ] || export "$name=${line#*=}"
        done <"$file"
    done
    # Whoever reads these files is made anew when they have changed (a label in docker-compose.yml).
    SIETCH_CONFIG="$(cd "$root/deploy" && find proxy nats prometheus grafana/provisioning grafana/dashboards -type f |
        LC_ALL=C sort | xargs cat | sha256sum | cut -c1-16)"
    export SIETCH_CONFIG
}

fail() {
    echo "sietch: $*" >&2
    exit 1
}

need_engine() {
    command -v docker >/dev/null || fail "there is no Docker here: install Docker Engine (on Debian, as root: apt-get install docker.io docker-compose)"
    docker info >/dev/null 2>&1 || fail "no Docker engine answers: start it (as root: deploy/image/engine start), or install one (on Debian: apt-get install docker.io docker-compose)"
}

# need_image: SIETCH_IMAGE is set, and here or can be pulled.
need_image() {
    export SIETCH_IMAGE="${SIETCH_IMAGE:-sietch:local}"
    docker image inspect "$SIETCH_IMAGE" >/dev/null 2>&1 || docker pull --quiet "$SIETCH_IMAGE" 2>/dev/null ||
        fail "the image $SIETCH_IMAGE is not here: 'make image' builds it"
}

# own_store: return when games are kept in the PostgreSQL of this deployment. One that somebody else keeps runs elsewhere:
# what is beside us would be an empty one.
own_store() {
    local url="${SIETCH_SECRETS:-$root/deploy/secrets}/database_url"
    case "$(cat "$url" 2>/dev/null)" in
        '' | *@postgres:*) ;;
        *) fail "$url names a PostgreSQL of your own: back it up and restore it by its own means (docs/operations.md)" ;;
    esac
}

# `docker compose` where that plugin is, else docker-compose.
compose() {
    if docker compose version >/dev/null 2>&1; then
        (cd "$root" && docker compose -p "${COMPOSE_PROJECT_NAME:-sietch}" "$@")
    elif command -v docker-compose >/dev/null; then
        (cd "$root" && docker-compose -p "${COMPOSE_PROJECT_NAME:-sietch}" "$@")
    else
        fail "neither 'docker compose' nor docker-compose is here: install one (on Debian, as root: apt-get install docker-compose)"
    fi
}

# quietly COMMAND…: its output is shown only when it fails.
quietly() {
    local out
    out="$("$@" 2>&1)" || { printf '%s\n' "$out" >&2; return 1; }
}

# docker build: BuildKit where the client has it, else the builder of old. The Dockerfiles are for both.
build() {
    if docker buildx version >/dev/null 2>&1; then
        docker buildx build --load --provenance=false "$@"
    else
        DOCKER_BUILDKIT=0 docker build "$@" 2> >(grep -v -e 'legacy builder is deprecated' -e 'BuildKit is' -e 'Install the buildx' -e 'environment-variable' -e '^ *$' >&2)
    fi
}

python() {
    if [ -x "$root/.venv/bin/python" ]; then "$root/.venv/bin/python" "$@"; else python3 "$@"; fi
}

# The containers of the composed deployment, one a line: id, service, state, and what the engine says of it.
containers() {
    docker ps -a --filter "label=com.docker.compose.project=${COMPOSE_PROJECT_NAME:-sietch}" \
        --filter "label=com.docker.compose.oneoff=False" \
        --format '{{.ID}} {{.Label "com.docker.compose.service"}} {{.State}} {{.Status}}'
}

# ready SECONDS: return when every container is well, else say which is not, and what it said last.
ready() {
    local deadline=$((SECONDS + $1)) wrong
    while :; do
        wrong="$(containers | awk '$2 == "migrate" && $3 == "exited" && $5 == "(0)" { next }
            $3 != "running" || /\((unhealthy|health: starting)\)/ { print }')"
        [ -n "$wrong" ] || [ -z "$(containers)" ] || return 0
        if [ "$SECONDS" -ge "$deadline" ]; then
            echo "not ready after $1 s:" >&2
            echo "$wrong" | while read -r id service state said; do
                echo "--- $service: $state, $said; its last lines:" >&2
                docker logs --tail 8 "$id" >&2 || true
            done
            return 1
        fi
        sleep 1
    done
}
