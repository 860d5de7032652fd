# Stands in for jaegertracing/jaeger: the newest traces, shown by deploy/traces/standin.py. It is not Jaeger.
ARG SIETCH_IMAGE=sietch:local
FROM ${SIETCH_IMAGE}
COPY traces /app/deploy/traces
HEALTHCHECK NONE
EXPOSE 4318 16686
ENTRYPOINT ["/usr/bin/python3", "-m", "deploy.traces.standin"]
CMD []
