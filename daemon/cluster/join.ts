import type { Clock } from "../../src/base/clock/clock.ts";
import { type Lifecycle, within } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { Database } from "../../src/platform/database/database.ts";
import type { ProcessRow } from "../../src/work/jobs/processes-repository.ts";
import type { Cluster } from "./cluster.ts";
import { singletonNames, workersOf } from "./merged.ts";
import { leave, takeOver } from "./own-process.ts";
import { peerName } from "./peers.ts";

/** Time limit for leaving: an unreachable database must not delay the stop. */
const leaveTimeoutMs = 500;

/**
 * Joins the daemons on the database: registers this one, resumes the work of its previous run, and claims free singletons. Registers how to
 * leave again.
 */
export async function join(
  { peers, singletons }: Cluster,
  options: { readonly db: Database; readonly own: ProcessRow; readonly clock: Clock; readonly log: Log; readonly lifecycle: Lifecycle },
): Promise<void> {
  const { db, own, clock, log, lifecycle } = options;
  const freed = await takeOver(db, own, peers.alone, clock.now());
  if (freed > 0) log.info({ freed }, "resumed unfinished jobs of an earlier run");
  if (!singletons) return;
  lifecycle.onStop("processes", () =>
    within(leaveTimeoutMs, () => leave(db, own)).catch((error: unknown) =>
      log.debug({ error: String(error) }, "could not remove this daemon from the database"),
    ),
  );
  lifecycle.onStop("singletons", () => singletons.stop());
  const ownNames = new Set(peers.roles.flatMap((role) => workersOf[role]));
  await singletons.start(singletonNames.filter((name) => ownNames.has(name)));
}

/**
 * Announces this daemon and its key to the others, and logs if one of them has another key: they could not decrypt each other's secrets.
 */
export async function introduce(
  cluster: Cluster,
  { db, keyPath, fingerprint, log }: { readonly db: Database; readonly keyPath: string; readonly fingerprint: string; readonly log: Log },
): Promise<void> {
  const { peers } = cluster;
  cluster.keyIs(fingerprint);
  if (peers.alone) return;
  await db.transaction((sql) => peers.beat(sql));
  const other = peers.others().find(({ report }) => report !== undefined && report.key !== null && report.key !== fingerprint);
  if (!other) return;
  log.warn(
    { key_file: keyPath },
    `the daemon on ${peerName(other)} uses the same database with another key file, so neither can decrypt webhook secrets that the other stored. Copy its key file (SECRET_KEY_PATH) to ${keyPath}, or set SECRET_KEY_PATH to the same file on both, and restart this daemon`,
  );
}
