# Stands in for nats:alpine: the server and a wget.
ARG DEBIAN
FROM ${DEBIAN}
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends busybox >/dev/null \
    && rm -rf /var/lib/apt/lists/* && ln -s /usr/bin/busybox /usr/local/bin/wget \
    && printf '#!/bin/sh\ncase "${1:-}" in -*) set -- nats-server "$@" ;; esac\nexec "$@"\n' > /usr/local/bin/docker-entrypoint.sh \
    && chmod 755 /usr/local/bin/docker-entrypoint.sh
COPY nats-server /usr/local/bin/nats-server
EXPOSE 4222 8222
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["nats-server"]
