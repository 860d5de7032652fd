# Stands in for prom/prometheus: Debian's server, with the paths and account of that image.
ARG DEBIAN
FROM ${DEBIAN}
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends prometheus >/dev/null \
    && rm -rf /var/lib/apt/lists/* /var/lib/prometheus && mkdir /prometheus && chown 65534:65534 /prometheus

USER 65534:65534
WORKDIR /prometheus
EXPOSE 9090
ENTRYPOINT ["/usr/bin/prometheus"]
