# The program is linked with DuckDB, which needs cgo; it also brings PostgreSQL
# for installations that name no DATABASE_URL.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    go build -trimpath -ldflags "-s -w" -o /out/service ./cmd/service

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="service" \
      org.opencontainers.image.description="Dashboards published by AI clients, read by the members of a workspace" \
      org.opencontainers.image.licenses="Apache-2.0" \
      io.modelcontextprotocol.server.name="com.example/service"
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libstdc++6 postgresql \
    && rm -rf /var/lib/apt/lists/* /var/lib/postgresql /etc/postgresql \
    && useradd --system --home-dir /var/lib/service --create-home service
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
