import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { minuteMs } from "../../../base/clock/clock.ts";
import { within } from "../../../base/lifecycle/lifecycle.ts";
import { durationText, pluralize } from "../../../base/text/format.ts";
import { Problem } from "../../../contract/problem.ts";
import { installedServer } from "../../../platform/database/embedded-binaries.ts";
import { countDeadJobs } from "../../../work/jobs/dead-letters-repository.ts";
import { Broken, type Check, finding, NotPossible, type Outcome, ok, skipped } from "../check.ts";
import { overdueJobs, type ServerFacts, serverFacts } from "../doctor-repository.ts";
import { listed, reasonOf, splitFix } from "../wording.ts";

const answerTimeoutMs = 5_000;

const database: Check = {
  id: "database",
  group: "database",
  title: "Database",
  severity: "error",
  finds: "The database does not answer, or rejects the login",
  async run(examination) {
    const { databaseUrl } = examination.config();
    try {
      const db = await examination.database();
      const begun = examination.clock.monotonic();
      await within(
        answerTimeoutMs,
        () => db.query((sql) => sql`select 1 as one`),
        new Error(`no answer within ${answerTimeoutMs / 1000} s`),
      );
      const ms = Math.max(1, Math.round(examination.clock.monotonic() - begun));
      return ok(`${databaseUrl === undefined ? "embedded" : "DATABASE_URL"}, ${ms} ms`);
    } catch (error) {
      if (error instanceof Broken) {
        const [text, fix = "DATA_DIR/logs/postgres.log has the reason"] = splitFix(error.message);
        return finding(text, fix);
      }
      if (error instanceof NotPossible) throw error;
      return finding(
        `The database does not answer: ${reasonOf(error).replace(/^The database is not available: /, "")}`,
        databaseUrl === undefined
          ? "Start it with homesec serve; DATA_DIR/logs/postgres.log has the reason if it does not run"
          : "Start the server, or correct DATABASE_URL (host, port, user, password, database)",
      );
    }
  },
};

const migrations: Check = {
  id: "migrations",
  group: "database",
  title: "Schema of the database",
  severity: "error",
  finds: "The schema is older or newer than this program, or was changed",
  async run(examination) {
    const { applied, pending, refusal } = await examination.migrations();
    if (refusal !== null) {
      const [text, fix = ""] = splitFix(refusal);
      return finding(text, fix);
    }
    if (applied.length === 0) throw new NotPossible("the database is empty; the first start of homesec creates its tables");
    if (pending.length === 0) return ok(applied.at(-1)?.name ?? "");
    return finding(
      `An older homesec created the database: ${pending.length === 1 ? `${pending[0]?.name} is` : `${pending.length} migrations are`} not applied yet`,
      "homesec db backup before.backup && homesec db migrate; the daemon also migrates when it starts",
    );
  },
};

/** The oldest PostgreSQL that homesec is tested with. */
const minVersion = 15;
const clockToleranceMs = 5_000;

const server: Check = {
  id: "database-server",
  replaces: ["database-version", "database-clock", "database-connections", "database-encoding", "database-durability", "database-rights"],
  group: "database",
  title: "Database server",
  severity: "error",
  finds:
    "The database is not in UTF-8, or its user may not create tables. A warning when its clock is off by more than 5 s, or PostgreSQL is older than 15",
  async run(examination) {
    const db = await examination.database();
    const before = examination.clock.now().getTime();
    const facts = await db.query(serverFacts).catch((cause: unknown) => {
      throw new NotPossible("the database does not answer", { cause });
    });
    const after = examination.clock.now().getTime();
    // the server read its clock at some time in between
    const aheadMs = facts.now.getTime() - Math.min(Math.max(facts.now.getTime(), before), after);
    return [supportedVersion(facts), clockOffset(aheadMs), encoding(facts), rights(facts)];
  },
};

function supportedVersion({ version }: ServerFacts): Outcome {
  const major = Math.floor(version / 10_000);
  if (major >= minVersion) return ok(`PostgreSQL ${major}`);
  return finding(
    `PostgreSQL ${major} is older than ${minVersion}, the oldest version that homesec is tested with`,
    "homesec db backup home.backup; then set DATABASE_URL to a newer server, and homesec db restore home.backup",
    "warning",
  );
}

function clockOffset(aheadMs: number): Outcome {
  if (Math.abs(aheadMs) <= clockToleranceMs) return ok();
  return finding(
    `The clock of the database is ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? "ahead" : "behind"}`,
    "Sync both machines with a time server: sudo timedatectl set-ntp true",
    "warning",
  );
}

function encoding({ encoding, database }: ServerFacts): Outcome {
  if (encoding === "UTF8") return ok();
  return finding(
    `The encoding of the database ${database} is ${encoding}: it cannot store names and texts with other letters`,
    "create database homesec encoding 'UTF8' template template0; set DATABASE_URL to it, and move the data with homesec db backup and restore",
  );
}

function rights({ mayMakeTables, user, database }: ServerFacts): Outcome {
  if (mayMakeTables) return ok();
  return finding(
    `The user ${user} may not create tables in the database ${database}, so homesec cannot migrate it`,
    `As its owner: grant create on schema public to "${user.replaceAll('"', '""')}"`,
  );
}

const versionTimeoutMs = 4_000;

/** The check of the embedded server's program; `find` returns its path. */
export function embeddedProgram(find: typeof installedServer = installedServer): Check {
  return {
    id: "embedded-postgres",
    group: "database",
    title: "Embedded PostgreSQL",
    severity: "error",
    reads: "data",
    finds: "The embedded PostgreSQL is not installed for this platform, or does not run here",
    async run(examination, signal) {
      const { databaseUrl, dataDir } = examination.config();
      if (databaseUrl !== undefined) return skipped("DATABASE_URL names another server");
      const otherServer = "or set DATABASE_URL to a PostgreSQL server";
      try {
        const { program, isComplete } = await find(dataDir);
        if (!isComplete) return skipped("the first start of homesec links its libraries");
        await access(program, constants.X_OK);
        return ok(await versionOf(program, signal));
      } catch (error) {
        if (error instanceof Problem) {
          const [text, fix = ""] = splitFix(error.message);
          return finding(text, fix);
        }
        const { code, message } = error as NodeJS.ErrnoException;
        return finding(
          `The embedded PostgreSQL does not run here: ${message.trim().split("\n").at(-1)}`,
          code === "ENOENT"
            ? `Install homesec again (npm ci), ${otherServer}`
            : `Install the missing libraries (ldd lists them), ${otherServer}`,
        );
      }
    },
  };
}

function versionOf(program: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, ["--version"], { timeout: versionTimeoutMs, signal }, (error, out) => (error ? reject(error) : resolve(out.trim())));
  });
}

const deadLetters: Check = {
  id: "dead-letters",
  replaces: ["analyses"],
  group: "database",
  title: "Dead letters",
  severity: "warning",
  finds: "Jobs failed for good and need a decision",
  async run(examination) {
    const dead = await (await examination.rows()).query(countDeadJobs);
    if (dead.length === 0) return ok("none");
    const [first] = dead;
    return finding(
      `${dead.map(({ queue, count }) => `${count} in ${queue}`).join(", ")} failed for good`,
      `homesec dlq list --queue ${first?.queue} shows why; then homesec dlq requeue ${first?.queue}, or homesec dlq purge ${first?.queue} --yes`,
    );
  },
};

const overdueMs = 15 * minuteMs;

const backlog: Check = {
  id: "backlog",
  group: "database",
  title: "Backlog",
  severity: "warning",
  finds: "Jobs have been ready for more than 15 minutes: the daemon does not run, or cannot keep up",
  async run(examination) {
    const now = examination.clock.now();
    const overdue = await (await examination.rows()).query((sql) => overdueJobs(sql, new Date(now.getTime() - overdueMs)));
    if (overdue.length === 0) return ok("no job waits for long");
    const daemon = await examination.lookForDaemon();
    const waiting = overdue.map(
      ({ queue, count, since }) =>
        `${pluralize(count, "job")} in ${queue}, the oldest for ${durationText(now.getTime() - since.getTime())}`,
    );
    return finding(
      `Waiting for more than 15 min: ${listed(waiting)}`,
      "client" in daemon || !daemon.asked
        ? "See what is slow: homesec health, homesec breakers list. To run more at once, raise DETECT_CONCURRENCY and ANALYZE_CONCURRENCY"
        : "Start the daemon with homesec serve; it then works through them",
    );
  },
};

export const databaseChecks: readonly Check[] = [database, migrations, server, embeddedProgram(), deadLetters, backlog];
