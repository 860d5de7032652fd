# Stands in for python:3.13-slim: a Python with pip.
ARG DEBIAN
FROM ${DEBIAN}
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 python3-pip >/dev/null \
    && rm -rf /var/lib/apt/lists/*
CMD ["python3"]
