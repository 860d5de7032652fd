# Stands in for gcr.io/distroless/python3-debian13: the same packages of Debian, unpacked, and nothing that runs them.
ARG DEBIAN
FROM ${DEBIAN} AS parts
WORKDIR /parts
RUN apt-get update -qq && apt-get download -qq base-files netbase tzdata media-types \
        libc6 libgcc-s1 libgomp1 libstdc++6 gcc-14-base zlib1g libssl3t64 libbz2-1.0 libexpat1 libffi8 liblzma5 libzstd1 \
        libncursesw6 libtinfo6 libreadline8t64 libsqlite3-0 libuuid1 \
        libpython3.13-minimal libpython3.13-stdlib libpython3-stdlib python3.13-minimal python3-minimal python3 \
    && mkdir -p /base/var/lib/dpkg/status.d && for package in *.deb; do \
        dpkg-deb -x "$package" /base && dpkg-deb -f "$package" >"/base/var/lib/dpkg/status.d/$(dpkg-deb -f "$package" Package)"; done \
    && rm -rf /base/usr/share/doc /base/usr/share/man /base/usr/share/lintian /base/usr/share/bash-completion \
    && mkdir -p -m 1777 /base/tmp && mkdir -p /base/etc/ssl/certs /base/home/nonroot /base/usr/local/bin \
    && cp -L /etc/ssl/certs/ca-certificates.crt /base/etc/ssl/certs/ \
    && chown 65532:65532 /base/home/nonroot \
    && printf 'root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' > /base/etc/passwd \
    && printf 'root:x:0:\nnogroup:x:65534:\nnonroot:x:65532:\n' > /base/etc/group \
    && chroot /base /usr/bin/python3 -c 'import ssl, sqlite3, uuid, zoneinfo, lzma, bz2, ctypes, readline'

FROM scratch
COPY --from=parts /base /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt LANG=C.UTF-8
USER 65532:65532
WORKDIR /home/nonroot
ENTRYPOINT ["/usr/bin/python3"]
