# The program is linked with DuckDB, which needs cgo; it also brings PostgreSQL
# for installations that name no DATABASE_URL.
FROM golang:1.26.9-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
# Git is not in the context: make image says what is built. DuckDB's names, 7 MB, are exported for extensions that
# are loaded, and none is.
ARG COMMIT=""
ARG DATE=""
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    go build -trimpath -buildvcs=false -ldflags "-s -w -extldflags=-Wl,--no-export-dynamic \
      -X service/server.commit=${COMMIT} -X service/server.date=${DATE}" -o /out/service ./cmd/service

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="service" \
      org.opencontainers.image.description="Dashboards published by AI clients, read by the members of a workspace" \
      org.opencontainers.image.licenses="Apache-2.0" \
      io.modelcontextprotocol.server.name="com.example/service"
# Debian's PostgreSQL is the embedded one; pg_dump and pg_restore are also of version 16, which compose.yaml runs.
# What is deleted is not used: what PostgreSQL compiles expressions with (140 MB), most of its programs, what extensions
# are built with, Perl's modules, which are for Debian's wrappers around it, and the sources of locales.
# Pictures have letters without serifs in two weights. FONTS=all keeps the other fonts too: with serifs, SignWriting,
# Tangut, and bold Chinese, Japanese and Korean, which are drawn in the regular weight without.
ARG FONTS=sans
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates fonts-noto-cjk fonts-noto-core libstdc++6 \
         postgresql postgresql-common \
    && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y \
    && apt-get install -y --no-install-recommends postgresql-client-16 \
    && if [ "$FONTS" != all ]; then \
         find /usr/share/fonts -type f \( -name '*Serif*' -o -name '*-*Italic.*' -o -name '*Display*' \
           -o -name '*CJK-Bold.*' -o -name '*SignWriting*' \) \
           ! -regex '.*/NotoSerif\(Ahom\|Dogra\|NyiakengPuachueHmong\|Tibetan\|Yezidi\)-.*' -delete; \
       fi \
    && find /usr/lib/postgresql/*/bin -type f ! -regex '.*/\(postgres\|initdb\|pg_ctl\|pg_dump\|pg_isready\|pg_restore\|psql\)' -delete \
    && rm -rf /usr/lib/*/libLLVM-* /usr/lib/*/libz3.so.* /usr/lib/postgresql/*/lib/llvmjit* /usr/lib/postgresql/*/lib/bitcode \
         /usr/lib/postgresql/*/lib/pgxs /usr/share/postgresql/*/man /usr/share/perl/* /usr/lib/*/perl/* /usr/lib/*/libperl.so.* \
         /usr/share/i18n /usr/share/man /usr/share/locale \
         /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/lib/postgresql /etc/postgresql /var/log/apt /var/log/*.log \
    && ln -sf /usr/lib/postgresql/16/bin/psql /usr/bin/psql \
    && useradd --system --home-dir /var/lib/service --create-home service \
    && install -d -o service -g service -m 0700 /backups
COPY --from=build /out/service /usr/local/bin/service
USER service
ENV SERVICE_LISTEN_ADDR=0.0.0.0:8080 \
    SERVICE_OPS_ADDR=0.0.0.0:9090 \
    SERVICE_DATA_DIR=/var/lib/service
VOLUME /var/lib/service
EXPOSE 8080 9090
HEALTHCHECK --interval=15s --timeout=6s --start-period=30s CMD ["service", "healthcheck"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["service"]
CMD ["serve"]
