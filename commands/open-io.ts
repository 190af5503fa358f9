import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { typable } from "../src/base/text/format.ts";
import type { ClientReply } from "../src/contract/client.ts";
import { createHttpClient } from "../src/contract/http-client.ts";
import { Problem } from "../src/contract/problem.ts";
import type { Routes } from "../src/contract/routes/index.ts";
import { loadRoute, planOf } from "../src/contract/routes/plans.ts";
import type { AnyRequest } from "../src/contract/validate.ts";
import type { Database } from "../src/platform/database/database.ts";
import { readingReason } from "../src/platform/disk/file-reason.ts";
import { type Close, openDatabaseOf, openDirectClient, openOwnDatabaseOf } from "./direct.ts";
import { calledAs, type Host } from "./host.ts";
import type { GlobalOptions, Io } from "./io.ts";
import type { Output } from "./output/output.ts";
import { harmless, plainLines } from "./output/terminal-format.ts";
import { wrapping } from "./output/wrap.ts";

/** An `Io` that can be closed. */
export interface OpenIo extends Io {
  close(): Promise<void>;
}

/** Creates the `Io` of a command. Opens each resource on first use. */
export function openIo(host: Host, global: GlobalOptions): OpenIo {
  const closers: Close[] = [];
  const onClose = (close: Close): number => closers.push(close);
  let call: Promise<Io["call"]> | undefined;
  let database: Promise<Database> | undefined;

  const io: OpenIo = {
    host,
    global,
    output: createOutput(host, global),
    async call(operation, request) {
      call ??= global.direct ? openDirectCall(io, onClose) : openHttpCall(io);
      return await (await call)(operation, request);
    },
    async endpoint() {
      const url = (await daemonUrl(io)).replace(/\/+$/, "");
      return { url, isGiven: givenUrl(io) !== "", apiKey: await apiKey(host, global), ca: await trustedCertificates(io) };
    },
    async configuration(flags = {}) {
      const { loadConfig } = await import("../src/platform/config/load.ts");
      return loadConfig({
        flags: { ...flags, ...(global.dataDir === undefined ? {} : { DATA_DIR: global.dataDir }) },
        env: host.env,
        configPath: global.config,
        isRoot: host.isRoot,
        home: host.home,
        cwd: host.cwd,
      });
    },
    database() {
      database ??= openDatabaseOf(io, onClose);
      return database;
    },
    ownDatabase: () => openOwnDatabaseOf(io, onClose),
    async close() {
      for (const close of closers.splice(0).reverse()) await close();
    },
  };
  return io;
}

function createOutput(host: Host, global: GlobalOptions): Output {
  const { stdout, stderr } = host;
  const called = calledAs(host);
  const noColour = !global.color || (host.env["NO_COLOR"] ?? "") !== "" || host.env["TERM"] === "dumb";
  // Tables already escape control characters. Data for programs stays unchanged unless it goes to a terminal
  const escaped = (text: string): string => (stdout.isTTY === true && global.output !== "table" ? plainLines(text) : text);
  return {
    format: global.output,
    fields: fieldNames(global.fields),
    terminal: {
      get now() {
        return host.clock.now();
      },
      colour: stdout.isTTY === true && !noColour,
      width: stdout.isTTY === true ? stdout.columns || 80 : Number.POSITIVE_INFINITY,
      called,
    },
    write: (text) => stdout.write(escaped(text)),
    writeThrough: (text, until) =>
      new Promise((resolve) => {
        const stopWaiting = (): void => resolve(false);
        if (until.aborted) return stopWaiting();
        until.addEventListener("abort", stopWaiting);
        stdout.write(escaped(text), (error) => {
          if (error) return;
          until.removeEventListener("abort", stopWaiting);
          resolve(true);
        });
      }),
    note: (text) => {
      if (!global.quiet) wrapping(stderr).write(`${harmless(typable(text, called))}\n`);
    },
  };
}

function fieldNames(text: string | undefined): readonly string[] | undefined {
  const names = text?.split(",").flatMap((name) => name.trim() || []);
  return names !== undefined && names.length > 0 ? names : undefined;
}

/** Timeout for a daemon that accepts a request but does not answer. */
const timeoutMs = 30_000;

async function openDirectCall(io: Io, onClose: (close: Close) => void): Promise<Io["call"]> {
  const client = await openDirectClient(io, onClose);
  return async (operation, request) => await client.call(await loadRoute(operation), request);
}

async function openHttpCall(io: Io): Promise<Io["call"]> {
  const { url, apiKey, ca } = await io.endpoint();
  const trusting = ca === undefined ? undefined : (await import("../src/monitoring/upstream/http.ts")).fetchTrusting(ca);
  const onWait = (ms: number): void => io.output.note(`rate limit reached; continuing in ${Math.ceil(ms / 1000)} s`);
  const client = createHttpClient({ url, apiKey, fetch: trusting, timeoutMs, onWait });
  return async (operation, request) => {
    const plan = await planOf(operation);
    if (plan === undefined) return await client.call(await loadRoute(operation), request);
    return (await client.callPlanned(plan, request as AnyRequest, () => loadRoute(operation))) as ClientReply<Routes[typeof operation]>;
  };
}

function givenUrl({ global, host }: Io): string {
  return global.url ?? host.env["HOMESEC_URL"] ?? "";
}

async function daemonUrl(io: Io): Promise<string> {
  const given = givenUrl(io);
  if (given === "") {
    const { config } = await io.configuration();
    const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[config.host] ?? config.host;
    return `${config.tlsMode === "disabled" ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${config.port}`;
  }
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.search !== "" || url.hash !== "") {
    const where = io.global.url === undefined ? "HOMESEC_URL" : "--url";
    throw new Problem("invalid", `${where} ${JSON.stringify(given)} must be an address such as http://127.0.0.1:8000`);
  }
  return given;
}

/** The certificates of --ca-file; without it, the self-signed certificate of the configured daemon. */
async function trustedCertificates(io: Io): Promise<string | undefined> {
  const { caFile } = io.global;
  const given = caFile ?? io.host.env["HOMESEC_CA_FILE"] ?? "";
  if (given !== "") return await readCertificates(resolve(io.host.cwd, given), caFile === undefined ? "HOMESEC_CA_FILE" : "--ca-file");
  if (givenUrl(io) !== "") return undefined;
  const { config } = await io.configuration();
  if (config.tlsMode !== "self_signed") return undefined;
  return await readCertificates(join(config.dataDir, "tls", "cert.pem"), "the daemon's own certificate").catch((error: unknown) => {
    // No daemon has run here yet, or that of another user: the connection attempt reports it
    if (error instanceof Problem) return undefined;
    throw error;
  });
}

async function readCertificates(path: string, name: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new Problem("invalid", `cannot read ${name} ${path}: ${readingReason(cause)}`, { cause });
  }
  if (!text.includes("-----BEGIN CERTIFICATE-----")) throw new Problem("invalid", `${name} ${path} contains no PEM certificate`);
  return text;
}

async function apiKey(host: Host, global: GlobalOptions): Promise<string | undefined> {
  if (global.apiKeyFile === undefined) return host.env["HOMESEC_API_KEY"]?.trim() || undefined;
  const { readText } = await import("./input/read-text.ts");
  const key = (await readText(host, "--api-key-file", global.apiKeyFile)).trim();
  if (key === "") throw new Problem("invalid", `--api-key-file ${global.apiKeyFile} is empty`);
  return key;
}
