# Stands in for grafana/grafana: our own dashboards drawn by deploy/grafana/standin. It is not Grafana.
ARG DEBIAN
ARG PYTHON_RUN_IMAGE
FROM ${DEBIAN} AS parts
COPY grafana /standin/deploy/grafana
# The dashboards are those that compose mounts, as for Grafana itself.
RUN rm -rf /standin/deploy/grafana/dashboards && ln -s /etc/grafana/dashboards /standin/deploy/grafana/dashboards

FROM ${PYTHON_RUN_IMAGE}
COPY --from=parts /standin /standin
WORKDIR /standin
EXPOSE 3000
ENTRYPOINT ["/usr/bin/python3", "-B", "-m", "deploy.grafana.standin", "--host", "0.0.0.0", "--prometheus", "http://prometheus:9090"]
