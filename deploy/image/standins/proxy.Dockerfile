# Stands in for haproxy: Debian's, run by number as that image's account.
ARG DEBIAN
FROM ${DEBIAN}
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends haproxy >/dev/null \
    && rm -rf /var/lib/apt/lists/* && mkdir -p /usr/local/etc/haproxy /var/lib/haproxy && chown 99:99 /var/lib/haproxy
STOPSIGNAL SIGUSR1
USER 99:99
CMD ["haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
