import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Seen } from "./seen.ts";

const folder = join(import.meta.dirname, "../fixtures/releases");

/** What a release left behind. */
export interface Release {
  readonly version: string;
  /** Its data, as `homesec db backup` writes it. */
  readonly backup: string;
  /** An `Evening`, as JSON. */
  readonly evening: string;
}

/** What a person saw of the data, and what it takes to go on with it. */
export interface Evening {
  /** When the backup was made. */
  readonly at: string;
  /** The day in UTC. */
  readonly day: string;
  /** The newest migration that had been applied. */
  readonly schema: string;
  /** The key of the secrets, hexadecimal. */
  readonly key: string;
  readonly seen: Seen;
}

export function releaseFiles(version: string): Release {
  const own = join(folder, version);
  return { version, backup: join(own, "home.backup"), evening: join(own, "evening.json") };
}

/** All that were kept, oldest first. */
export const releases: readonly Release[] = readdirSync(folder)
  .filter((name) => /^\d+\.\d+\.\d+$/.test(name))
  .sort((left, right) => left.localeCompare(right, "en", { numeric: true }))
  .map(releaseFiles);

/** Where the cameras of the recorded evening uploaded, and where its webhooks went. */
export const recordedRoot = "/srv/cameras";
export const recordedTarget = "http://127.0.0.1:9/hook";
