import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Seen } from "./seen.ts";

const folder = join(import.meta.dirname, "../fixtures/releases");

/** The record of a release. */
export interface Release {
  readonly version: string;
  /** Its data, as `homesec db backup` writes it. */
  readonly backup: string;
  /** An `Evening`, as JSON. */
  readonly evening: string;
}

/** The replies that a person saw, and what is needed to continue. */
export interface Evening {
  /** Time of the backup. */
  readonly at: string;
  /** The day in UTC. */
  readonly day: string;
  /** The newest applied migration. */
  readonly schema: string;
  /** Key of the secrets, hexadecimal. */
  readonly key: string;
  readonly seen: Seen;
}

export function releaseFiles(version: string): Release {
  const own = join(folder, version);
  return { version, backup: join(own, "home.backup"), evening: join(own, "evening.json") };
}

/** All records, oldest first. */
export const releases: readonly Release[] = readdirSync(folder)
  .filter((name) => /^\d+\.\d+\.\d+$/.test(name))
  .sort((left, right) => left.localeCompare(right, "en", { numeric: true }))
  .map(releaseFiles);

/** Camera root and webhook target of the recorded evening. */
export const recordedRoot = "/srv/cameras";
export const recordedTarget = "http://127.0.0.1:9/hook";
