import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Log } from "../../../base/log/log.ts";
import { Problem } from "../../../contract/problem.ts";
import { type Account, barrierTo } from "../account.ts";
import type { Binaries } from "../embedded-binaries.ts";
import { startGuarded } from "./guarded-process.ts";

export const superuser = "homesec";
export const maintenanceDatabase = "postgres";

/**
 * Lets the server's account pass through the data folder: its group may enter but not list it. Throws `Problem` if a parent folder blocks
 * the account.
 */
export async function openTheWay(dataDir: string, account: Account): Promise<void> {
  if (!account.foreign) return;
  const { uid, mode } = await stat(dataDir);
  if ((mode & 0o070) === 0 && (await barrierTo(dataDir, account)) === dataDir) {
    await chown(dataDir, uid, account.gid);
    await chmod(dataDir, mode | 0o010);
  }
  const barrier = await barrierTo(dataDir, account);
  if (barrier !== undefined) {
    throw new Problem(
      "unavailable",
      `PostgreSQL runs as user ${account.name}, which cannot enter ${barrier} on the path to the data folder ${dataDir}; use a data folder such as /var/lib/homesec (DATA_DIR), or run chmod o+x ${barrier}, or set DATABASE_URL`,
    );
  }
}

/** Creates the database cluster if there is none. It gets its name only when complete, so that a kill halfway does no harm. */
export async function ensureCluster(dataDir: string, binaries: Binaries, account: Account, log: Log): Promise<string> {
  const cluster = join(dataDir, "postgres");
  for (const name of await readdir(dataDir)) {
    if (name.startsWith("postgres.new-")) await rm(join(dataDir, name), { recursive: true, force: true });
  }
  if (await isCluster(cluster)) return cluster;
  const unfinished = join(dataDir, `postgres.new-${randomBytes(4).toString("hex")}`);
  await mkdir(unfinished, { mode: 0o700 });
  if (account.foreign) await chown(unfinished, account.uid, account.gid);
  log.info({ folder: cluster }, "Creating a new database");
  const initdb = await startGuarded(
    binaries.initdb,
    [
      ...["--pgdata", unfinished, "--username", superuser, "--encoding", "UTF8"],
      ...["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", "--locale", "C"],
      // Only its owner may enter the socket's folder
      ...["--auth-local", "trust", "--auth-host", "scram-sha-256"],
    ],
    { account, lastSignal: "TERM", cwd: dirname(unfinished) },
  );
  let said = "";
  initdb.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const outcome = await initdb.ended;
  if (outcome !== "exit code 0") {
    await rm(unfinished, { recursive: true, force: true });
    if (outcome === "exit code 126" || outcome === "exit code 127") {
      throw new Problem(
        "unavailable",
        `The embedded PostgreSQL cannot run on this system (${said.trim()}); set DATABASE_URL to a PostgreSQL server`,
      );
    }
    if (said.includes("could not look up effective user ID")) {
      throw new Problem(
        "unavailable",
        `The embedded PostgreSQL does not run as a user without a name (number ${account.uid}); run homesec as a user of this system (in a container: of its image), or set DATABASE_URL to a PostgreSQL server`,
      );
    }
    throw new Error(`initdb could not create a database in ${dataDir} (${outcome}): ${said.trim()}`);
  }
  await rename(unfinished, cluster);
  return cluster;
}

async function isCluster(folder: string): Promise<boolean> {
  try {
    return (await stat(join(folder, "PG_VERSION"))).isFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
