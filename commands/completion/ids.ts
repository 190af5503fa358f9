import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Command } from "../command.ts";
import type { Host } from "../host.ts";
import type { IdKind } from "../input/options.ts";
import { openIo } from "../open-io.ts";

const timeoutMs = 1000;
const cacheMs = 10_000;

const Id = z.union([z.string(), z.number()]).transform(String);
const rows = (key: string, ...fields: readonly string[]) =>
  z
    .looseObject({ [key]: z.array(z.looseObject(Object.fromEntries(fields.map((field) => [field, Id])))) })
    .transform((body) => fields.flatMap((field) => body[key]?.map((row) => row[field])));
const Ids = z.array(z.string());

const cameras = { path: "/api/cameras?limit=200", rows: rows("cameras", "camera_id") };

/** The API path and fields for each kind of id; rules, webhooks, channels and recipients also by name. Camera ids are shorter than their names. */
const sources = {
  camera: cameras,
  cameraFilter: cameras,
  rule: { path: "/api/alerts/rules?limit=200", rows: rows("items", "name", "id") },
  webhook: { path: "/api/outbound-webhooks?limit=200", rows: rows("webhooks", "name", "id") },
  channel: { path: "/api/channels", rows: rows("channels", "name", "id") },
  recipient: { path: "/api/recipients", rows: rows("recipients", "name", "id") },
  alert: { path: "/api/alerts?limit=50", rows: rows("items", "id") },
  silence: { path: "/api/silences?limit=50", rows: rows("items", "id") },
  share: { path: "/api/shares?status=active&limit=50", rows: rows("items", "id") },
  event: { path: "/api/events?limit=50", rows: rows("items", "id") },
  detection: { path: "/api/detections?limit=50", rows: rows("items", "id") },
  entity: { path: "/api/entities?limit=50", rows: rows("items", "id") },
  deletedCamera: { path: "/api/cameras/deleted?limit=200", rows: rows("items", "camera_id") },
  deletedEvent: { path: "/api/events/deleted?limit=50", rows: rows("items", "id") },
} as const satisfies Partial<Record<IdKind, unknown>>;

/** The kind of id that an argument or option of this name takes, given the arguments before it. */
export function kindOfId(name: string, { name: command, arguments: own, options }: Command, before: readonly string[]): IdKind | undefined {
  if (command === "explain" && name === "which") return before[0] === "event" || before[0] === "alert" ? before[0] : undefined;
  return (own[name] ?? options[name])?.idOf;
}

/** The ids from the daemon, cached for 10 s, with a timeout of 1 s. Throws if it does not answer. */
export async function idsOf(kind: IdKind, words: readonly string[], host: Host): Promise<string[]> {
  // No request lists the deliveries of all webhooks
  if (kind === "delivery") return [];
  // Checks are built in
  if (kind === "check") return (await import("../../src/admin/doctor/checks.ts")).checks.map(({ id }) => id);
  const value = (flag: string): string | undefined => {
    const at = words.indexOf(flag);
    return at < 0 ? words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1) : words[at + 1];
  };
  const given = {
    url: value("--url"),
    apiKeyFile: value("--api-key-file"),
    config: value("--config"),
    caFile: value("--ca-file"),
    dataDir: value("--data-dir"),
  };
  const known = Object.fromEntries(Object.entries(given).filter(([, text]) => text !== undefined));
  const { url, apiKey, ca } = await openIo(host, { output: "id", color: false, ...known }).endpoint();
  const name = createHash("sha256")
    .update(JSON.stringify([url, kind, apiKey]))
    .digest("hex")
    .slice(0, 24);
  const folder = join(host.env["XDG_CACHE_HOME"] || join(host.home, ".cache"), "homesec");
  const file = join(folder, `completion-${name}.json`);
  const cached = await readCache(file, host).catch(() => undefined);
  if (cached) return cached;
  const headers = apiKey === undefined ? {} : (await import("../../src/contract/http-client.ts")).keyHeader(apiKey);
  const trusting = ca === undefined ? fetch : (await import("../../src/monitoring/upstream/http.ts")).fetchTrusting(ca);
  const response = await trusting(url + sources[kind].path, { headers, redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
  // Candidates are separated by newlines, and a leading dash would make an option
  const found = Ids.parse(sources[kind].rows.parse(await response.json())).filter((id) => !/^-|\p{Cc}/u.test(id));
  await writeCache(folder, file, found).catch(() => undefined);
  return found;
}

async function readCache(file: string, { clock }: Host): Promise<string[] | undefined> {
  const age = clock.now().getTime() - (await stat(file)).mtimeMs;
  return age >= 0 && age < cacheMs ? Ids.parse(JSON.parse(await readFile(file, "utf8"))) : undefined;
}

async function writeCache(folder: string, file: string, ids: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const part = `${file}.${randomBytes(4).toString("hex")}`;
  await writeFile(part, JSON.stringify(ids), { mode: 0o600 });
  await rename(part, file);
}
