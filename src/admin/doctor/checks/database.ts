import { within } from "../../../base/lifecycle/lifecycle.ts";
import { Broken, type Check, Found, finding, NotPossible, ok } from "../check.ts";
import { type ServerFacts, serverFacts } from "../doctor-repository.ts";
import type { Examination } from "../examination.ts";
import { reasonOf } from "../wording.ts";

/** The oldest that is tried. */
const oldestVersion = 15;
const toleranceMs = 5_000;
const answerMs = 5_000;
/** What commands and backups need beside the daemon. */
const spareConnections = 5;

const database: Check = {
  id: "database",
  group: "database",
  title: "Database",
  severity: "error",
  finds: "The database does not answer, or refuses the login",
  remedy: "Start it, or correct DATABASE_URL",
  async run(examination) {
    const { databaseUrl } = examination.config();
    const db = await examination.database().catch((error: unknown) => {
      if (!(error instanceof Broken)) throw error;
      const [what = "", ...how] = error.message.split("; ");
      throw new Found(finding(what, how.join("; ") || "Why it does not run stands in DATA_DIR/logs/postgres.log"));
    });
    try {
      const begun = examination.clock.monotonic();
      await within(answerMs, () => db.query((sql) => sql`select 1 as one`), new Error(`no answer within ${answerMs / 1000} s`));
      return ok(
        `${databaseUrl === undefined ? "embedded" : "DATABASE_URL"}, ${Math.max(1, Math.round(examination.clock.monotonic() - begun))} ms`,
      );
    } catch (error) {
      return finding(
        `The database does not answer: ${reasonOf(error).replace(/^The database is not available: /, "")}`,
        databaseUrl === undefined
          ? "homesec serve starts it; why it does not run stands in DATA_DIR/logs/postgres.log"
          : "Start the server, or correct DATABASE_URL (host, port, user, password, database)",
      );
    }
  },
};

const version: Check = {
  id: "database-version",
  group: "database",
  title: "Version of the database",
  severity: "warning",
  finds: `PostgreSQL is older than ${oldestVersion}, which homesec was not tried with`,
  remedy: "Move the data to a newer PostgreSQL with homesec db backup and restore",
  async run(examination) {
    const { version } = await factsOf(examination);
    const major = Math.floor(version / 10_000);
    if (major >= oldestVersion) return ok(String(major));
    return finding(
      `PostgreSQL ${major} is older than ${oldestVersion}, the oldest that homesec was tried with`,
      "homesec db backup home.backup; then set DATABASE_URL to a newer server, and homesec db restore home.backup",
    );
  },
};

const migrations: Check = {
  id: "migrations",
  group: "database",
  title: "Schema of the database",
  severity: "error",
  finds: "The schema is older than this program, newer, or was changed",
  remedy: "homesec db migrate, or the version of homesec that fits",
  async run(examination) {
    const { applied, pending, refusal } = await examination.migrations();
    if (refusal !== null) {
      const [what, ...how] = refusal.split("; ");
      return finding(what ?? refusal, how.join("; "));
    }
    if (applied.length === 0) throw new NotPossible("the database is empty; the first start of homesec makes its tables");
    if (pending.length === 0) return ok(applied.at(-1)?.name ?? "");
    return finding(
      `The database was made by an older homesec: ${pending.length === 1 ? pending[0]?.name : `${pending.length} migrations`} ${pending.length === 1 ? "is" : "are"} still to be applied`,
      "homesec db backup before.backup && homesec db migrate; or start the daemon, which does it",
    );
  },
};

const clock: Check = {
  id: "database-clock",
  group: "database",
  title: "Clock of the database",
  severity: "warning",
  finds: "The clocks of this machine and of the database differ by more than 5 s",
  remedy: "Let both follow a time server",
  async run(examination) {
    const db = await examination.database();
    const before = examination.clock.now().getTime();
    const { now } = await db.query(serverFacts).catch((cause: unknown) => {
      throw new NotPossible("the database does not answer", { cause });
    });
    const after = examination.clock.now().getTime();
    // it looked at its clock at some time in between
    const aheadMs = now.getTime() - Math.min(Math.max(now.getTime(), before), after);
    if (Math.abs(aheadMs) <= toleranceMs) return ok();
    return finding(
      `The clock of the database is ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? "ahead" : "behind"}`,
      "Let both machines follow a time server: sudo timedatectl set-ntp true",
    );
  },
};

const connections: Check = {
  id: "database-connections",
  group: "database",
  title: "Connections of the database",
  severity: "error",
  finds: "The server lets in fewer connections than DATABASE_POOL_SIZE and commands need, or all are in use",
  remedy: "Raise max_connections, or lower DATABASE_POOL_SIZE",
  async run(examination) {
    const { databasePoolSize } = examination.config();
    const facts = await factsOf(examination);
    const usable = facts.maxConnections - facts.reservedConnections;
    const needed = databasePoolSize + spareConnections;
    const raise = `Raise max_connections on the server (alter system set max_connections = ${facts.maxConnections + needed}; restart it), or lower DATABASE_POOL_SIZE`;
    if (usable < needed)
      return finding(
        `The server lets in ${usable} connections, and homesec needs ${needed} (DATABASE_POOL_SIZE and ${spareConnections} for commands)`,
        raise,
      );
    if (facts.usedConnections >= usable)
      return finding(`All ${usable} connections of the server are in use`, `${raise}; who has them: select * from pg_stat_activity`);
    return ok(`${facts.usedConnections} of ${usable} in use`);
  },
};

const encoding: Check = {
  id: "database-encoding",
  group: "database",
  title: "Encoding of the database",
  severity: "error",
  finds: "The database is not in UTF-8: names and texts outside of its encoding cannot be stored",
  remedy: "create database ... encoding 'UTF8' template template0, and move there",
  async run(examination) {
    const { encoding, database } = await factsOf(examination);
    if (encoding === "UTF8") return ok();
    return finding(
      `The database ${database} is in ${encoding}: names and texts with other letters cannot be stored`,
      "create database homesec encoding 'UTF8' template template0; name it in DATABASE_URL, and move with homesec db backup and restore",
    );
  },
};

const durability: Check = {
  id: "database-durability",
  group: "database",
  title: "Safety of what is stored",
  severity: "error",
  finds: "fsync or full_page_writes is off: losing power may damage the database",
  remedy: "alter system set fsync = on",
  async run(examination) {
    const { fsync, fullPageWrites } = await factsOf(examination);
    const off = [fsync === "off" && "fsync", fullPageWrites === "off" && "full_page_writes"].filter((name) => name !== false);
    if (off.length === 0) return ok();
    return finding(
      `${off.join(" and ")} ${off.length === 1 ? "is" : "are"} off on the server: losing power may damage the database beyond repair`,
      `${off.map((name) => `alter system set ${name} = on`).join("; ")}; select pg_reload_conf()`,
    );
  },
};

const rights: Check = {
  id: "database-rights",
  group: "database",
  title: "Rights in the database",
  severity: "error",
  finds: "The user of DATABASE_URL may not make tables, or no schemas, which the self-test needs",
  remedy: "grant create on database and on schema",
  async run(examination) {
    const { mayMakeSchemas, mayMakeTables, user, database } = await factsOf(examination);
    if (!mayMakeTables)
      return finding(
        `The user ${user} may not make tables in the database ${database}: it cannot be brought up to date`,
        `As its owner: grant create on schema public to ${sqlName(user)}`,
      );
    if (!mayMakeSchemas)
      return finding(
        `The user ${user} may not make schemas in the database ${database}: homesec selftest fails`,
        `As its owner: grant create on database ${sqlName(database)} to ${sqlName(user)}`,
        "warning",
      );
    return ok();
  },
};

function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** One question serves all of them. */
const asked = new WeakMap<Examination, Promise<ServerFacts>>();

async function factsOf(examination: Examination): Promise<ServerFacts> {
  const db = await examination.database();
  const known = asked.get(examination) ?? db.query(serverFacts);
  asked.set(examination, known);
  try {
    return await known;
  } catch (cause) {
    throw new NotPossible("the database does not answer", { cause });
  }
}

export const databaseChecks: readonly Check[] = [database, version, migrations, clock, connections, encoding, durability, rights];
