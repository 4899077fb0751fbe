# The program is linked with DuckDB, which needs cgo; it also brings PostgreSQL
# for installations that name no DATABASE_URL.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
# Git is not in the context: make image says what is built.
ARG COMMIT=""
ARG DATE=""
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X service/server.commit=${COMMIT} -X service/server.date=${DATE}" \
      -o /out/service ./cmd/service

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="service" \
      org.opencontainers.image.description="Dashboards published by AI clients, read by the members of a workspace" \
      org.opencontainers.image.licenses="Apache-2.0" \
      io.modelcontextprotocol.server.name="com.example/service"
# What PostgreSQL compiles expressions with is 140 MB, and it does without: what is missing is not used.
# Debian's PostgreSQL is the embedded one; pg_dump and pg_restore are also of version 16, which compose.yaml runs.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates fonts-noto-cjk fonts-noto-core libstdc++6 \
         postgresql postgresql-common \
    && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y \
    && apt-get install -y --no-install-recommends postgresql-client-16 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/lib/postgresql /etc/postgresql /usr/share/man /usr/share/locale \
    && rm -rf /usr/lib/*/libLLVM-* /usr/lib/*/libz3.so.* /usr/lib/postgresql/*/lib/llvmjit* /usr/lib/postgresql/*/lib/bitcode \
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
