import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { commandLineVariables, environmentVariables } from "../../src/platform/config/environment-variables.ts";
import { parseConfig } from "../../src/platform/config/parse.ts";
import { type VariableName, variable, variableNames } from "../../src/platform/config/variables.ts";
import { copiesOf, environmentOf, reachesTheBuild, readDockerfile, type Stage, textsOf } from "./dockerfile.ts";
import { filesBelow, manifest, read, root } from "./project.ts";

const [build, image] = readDockerfile(read("Dockerfile")) as [Stage, Stage];
const ignore = read(".dockerignore");
const own = environmentOf(image);
const known = [...variableNames, ...Object.keys(commandLineVariables), ...Object.keys(environmentVariables), "NODE_ENV"];
const isKnown = (name: string): boolean => known.includes(name);
const last = (name: string): string | undefined => textsOf(image, name).at(-1);

describe("Dockerfile", () => {
  it("Dockerfile: builds and runs on the same base image with a supported Node.js", () => {
    expect(build.image).toBe(image.image);
    const [, major] = /^node:(\d+)-bookworm-slim$/.exec(image.image) ?? [];
    expect(Number(major)).toBeGreaterThan(20);
    expect(manifest.engines.node).toBe(">=20.19");
  });

  it("Dockerfile: copies every file the build needs, and no file with data or secrets", () => {
    expect(copiesOf(build)).toEqual([{ from: undefined, sources: ["."], target: "." }]);
    const needed = ["package.json", "package-lock.json", ".npmrc", "tsconfig.json"];
    const sources = ["bin", "commands", "daemon", "src", "web", "migrations", "mail-templates", "demo", "models"].flatMap(filesBelow);
    expect([...needed, ...sources].filter((path) => !existsSync(join(root, path)) || !reachesTheBuild(ignore, path))).toEqual([]);
    const secret = [".env", "homesec.env", ".git/config", "node_modules/x", "dist/x.js", "test/x.ts", "data/secret.key", "cameras/x.jpg"];
    expect(secret.filter((path) => reachesTheBuild(ignore, path))).toEqual([]);
    for (const line of ignore.split("\n").filter((rule) => rule.startsWith("!")))
      expect(existsSync(join(root, line.slice(1))), line).toBe(true);
  });

  it("Dockerfile: puts the whole program into the image, and no sources", () => {
    const workdir = textsOf(build, "WORKDIR").at(-1);
    const copied = copiesOf(image).flatMap(({ from, sources }) => {
      expect(from).toBe(build.name);
      return sources.map((source) => source.replace(`${workdir}/`, ""));
    });
    const made = ["node_modules", "dist"];
    expect(copied.filter((path) => !made.includes(path) && !reachesTheBuild(ignore, path))).toEqual([]);
    const included = manifest.files.filter((path) => !path.startsWith("!"));
    const reads = included
      .map((path) => path.split("/")[0] ?? "")
      .filter((path) => !["docs", "packaging", "CONTRIBUTING.md", "SECURITY.md"].includes(path));
    expect(copied.toSorted()).toEqual([...new Set([...reads, "LICENSE", "README.md", "node_modules", "package.json"])].toSorted());
    for (const { sources, target } of copiesOf(image)) {
      if (sources.length === 1) expect(sources[0]?.replace(`${workdir}/`, "./")).toBe(target);
    }
  });

  it("Dockerfile: installs no build tools", () => {
    const installed = /install --yes --no-install-recommends ([\w -]+?) &&/.exec(textsOf(image, "RUN").join(" && "))?.[1]?.trim();
    expect(installed?.split(" ")).toEqual(["ffmpeg", "tini", "tzdata"]);
  });

  it("Dockerfile: runs the program as a user other than root, and passes signals on", () => {
    expect(last("USER")).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const names = image.instructions.map(({ name }) => name);
    expect(names.lastIndexOf("RUN")).toBeLessThan(names.indexOf("USER"));
    const program = `/opt/homesec/${manifest.bin.homesec}`;
    expect(JSON.parse(last("ENTRYPOINT") ?? "")).toEqual(["tini", "--", "node", program]);
    expect(JSON.parse(last("CMD") ?? "")).toEqual(["serve"]);
    expect(last("STOPSIGNAL")).toBe("SIGTERM");
    expect(textsOf(image, "RUN").join()).toContain(`ln -s ${program} /usr/local/bin/homesec`);
    expect(textsOf(image, "WORKDIR")).toEqual(["/opt/homesec", "/config"]);
  });

  it("Dockerfile: checks its health with homesec, and exits with 0 or 1", () => {
    expect(last("HEALTHCHECK")).toMatch(/ CMD homesec health [\w\s>/-]+ \|\| exit 1$/);
  });

  it("Dockerfile: sets only known variables with valid values, and no secret", () => {
    const { NODE_ENV, ...variables } = own;
    expect(NODE_ENV).toBe("production");
    expect(Object.keys(variables).filter((name) => !isKnown(name) || variable(name as VariableName).secret)).toEqual([]);
    const { config } = parseConfig({ env: variables, isRoot: false, home: "/home/node", cwd: "/config" });
    expect([config.dataDir, config.cameraRoot, `${config.port}`]).toEqual([last("VOLUME"), "/cameras", last("EXPOSE")]);
    expect(textsOf(image, "RUN").join()).toContain("mkdir -p /config /cameras /data && chown node:node /data");
    expect(image.instructions.filter(({ name }) => name === "ARG")).toEqual([]);
  });
});

const Service = z.strictObject({
  build: z.literal(".").optional(),
  image: z.string().regex(/^[\w./-]+:[\w.-]+$/),
  hostname: z.string().optional(),
  restart: z.literal("unless-stopped"),
  ports: z.array(z.string()).default([]),
  profiles: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  env_file: z.array(z.strictObject({ path: z.string(), required: z.literal(false) })).optional(),
  volumes: z.array(z.string()).default([]),
  shm_size: z.string().optional(),
  stop_grace_period: z
    .string()
    .regex(/^\d+s$/)
    .optional(),
  security_opt: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  healthcheck: z.strictObject({ test: z.array(z.string()), interval: z.string(), timeout: z.string(), retries: z.int() }).optional(),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal("service_healthy"), required: z.literal(false) })).optional(),
});

describe("compose.yaml", () => {
  const compose = z
    .strictObject({ name: z.literal("homesec"), services: z.record(z.string(), Service), volumes: z.record(z.string(), z.null()) })
    .parse(parse(read("compose.yaml")));
  const { homesec, ...engines } = compose.services;
  if (!homesec) throw new Error("compose.yaml has no service homesec");
  /** A text as Docker reads it without variables. */
  const unset = (text: string): string => text.replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1");

  it("compose.yaml: starts homesec alone, in this version, with everything built in", () => {
    expect(homesec.image).toBe(`homesec:${manifest.version}`);
    expect(homesec.profiles).toBeUndefined();
    expect(Object.keys(homesec.environment).filter((name) => !isKnown(name))).toEqual([]);
    const env = { ...own, ...Object.fromEntries(Object.entries(homesec.environment).map(([name, text]) => [name, unset(text)])) };
    const { config } = parseConfig({ env, isRoot: false, home: "/home/node", cwd: "/config" });
    expect([config.databaseUrl, config.redisUrl, config.detectorUrl]).toEqual([undefined, undefined, undefined]);
  });

  it("compose.yaml: publishes the port of the image to this machine only", () => {
    expect(homesec.ports).toEqual([`127.0.0.1:8000:${own["PORT"]}`]);
    expect(Object.values(engines).flatMap(({ ports }) => ports)).toEqual([]);
  });

  it("compose.yaml: keeps the data in a volume and mounts the cameras' folder read only", () => {
    expect(homesec.volumes.map(unset)).toEqual([`data:${own["DATA_DIR"]}`, `./cameras:${own["CAMERA_ROOT"]}:ro`]);
    const named = Object.values(compose.services).flatMap(({ volumes }) => volumes.map((volume) => unset(volume).split(":")[0] ?? ""));
    expect(Object.keys(compose.volumes).toSorted()).toEqual(named.filter((name) => /^\w+$/.test(name)).toSorted());
  });

  it("compose.yaml: leaves homesec more time to stop than it takes", () => {
    const unit = /TimeoutStopSec=(\d+)/.exec(read("packaging/homesec.service"))?.[1];
    expect(homesec.stop_grace_period).toBe(`${unit}s`);
  });

  it("compose.yaml: starts PostgreSQL and Valkey only with their profile, and homesec after them", () => {
    expect(Object.keys(homesec.depends_on ?? {}).toSorted()).toEqual(Object.keys(engines).toSorted());
    expect(Object.values(engines).map(({ profiles, healthcheck }) => [profiles, healthcheck !== undefined])).toEqual([
      [["engines"], true],
      [["engines"], true],
    ]);
  });

  it("compose.yaml: matches its page, docs/containers.md", () => {
    const page = read("docs/containers.md");
    expect(page).toContain("No image was ever built");
    const headings = new Set(
      [...read("docs/access.md").matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) => text.toLowerCase().replaceAll(" ", "-")),
    );
    const linked = [page, read("compose.yaml")].flatMap((text) => [...text.matchAll(/access\.md#([\w-]+)/g)].map(([, id]) => id));
    expect(linked).toEqual(["open-it-to-others", "open-it-to-others"]);
    expect(linked.filter((id) => !headings.has(id ?? ""))).toEqual([]);
    for (const [, service = ""] of page.matchAll(/docker compose exec (\w+)/g)) expect(Object.keys(compose.services)).toContain(service);
    const [, example = ""] = /```sh\n(COMPOSE_PROFILES[^`]+)```/.exec(page) ?? [];
    const { COMPOSE_PROFILES, POSTGRES_PASSWORD, ...variables } = Object.fromEntries(
      example
        .trim()
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    expect(engines["postgres"]?.profiles).toEqual([COMPOSE_PROFILES]);
    const { config } = parseConfig({ env: { ...own, ...variables }, isRoot: false, home: "/home/node", cwd: "/config" });
    const database = new URL(config.databaseUrl ?? "");
    const { POSTGRES_USER, POSTGRES_DB } = engines["postgres"]?.environment ?? {};
    expect([database.username, database.password, database.pathname]).toEqual([POSTGRES_USER, POSTGRES_PASSWORD, `/${POSTGRES_DB}`]);
    expect([database.hostname, new URL(config.redisUrl ?? "").hostname].every((host) => host in engines)).toBe(true);
  });
});
