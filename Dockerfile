# homesec in a container (docs/containers.md). A test checks this file and carries out its steps without Docker; no image was ever built.

FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
# Install scripts create the links of PostgreSQL's libraries, which no user may create in the finished image.
RUN npm ci && npm prune --omit=dev --ignore-scripts

FROM node:22-bookworm-slim
# ffmpeg reads videos, and tini reaps orphans of PostgreSQL. npm and yarn are not needed at run time.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ffmpeg tini tzdata \
  && rm -rf /var/lib/apt/lists/* /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* /usr/local/bin/yarn*
WORKDIR /opt/homesec
COPY --from=build /src/package.json /src/LICENSE /src/README.md /src/CHANGELOG.md ./
COPY --from=build /src/node_modules ./node_modules
COPY --from=build /src/dist ./dist
COPY --from=build /src/migrations ./migrations
COPY --from=build /src/mail-templates ./mail-templates
COPY --from=build /src/demo ./demo
COPY --from=build /src/models ./models
# /config holds the configuration, and only /data is writable. The database needs a user with a name: `node`, 1000.
RUN ln -s /opt/homesec/dist/bin/homesec.js /usr/local/bin/homesec \
  && mkdir -p /config /cameras /data \
  && chown node:node /data \
  && chmod 700 /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8000 DATA_DIR=/data CAMERA_ROOT=/cameras
USER 1000:1000
WORKDIR /config
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
# The container is unhealthy even if only one part fails, such as a detector that is away, but not because of one incomplete file. The
# first start creates a database.
HEALTHCHECK --interval=30s --timeout=20s --start-period=60s --retries=3 CMD homesec health --parts-only --quiet --output id > /dev/null || exit 1
ENTRYPOINT ["tini", "--", "node", "/opt/homesec/dist/bin/homesec.js"]
CMD ["serve"]
