import type { Sql } from "../../platform/database/database.ts";
import type { SessionIdentity } from "./singletons-repository.ts";

/** A running homesec process that may hold claims. */
export interface ProcessRow {
  readonly processId: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  /** Within which `pid` is the number of one process only; null where that is not known. */
  readonly machine?: string | null;
}

/** What a daemon that shares its database with others says of itself with each heartbeat. */
export interface ProcessStatement {
  readonly roles: readonly string[];
  readonly singletons: readonly string[];
  readonly session: SessionIdentity | undefined;
  readonly report: Readonly<Record<string, unknown>>;
}

/** A living daemon as the others see it. */
export interface PeerRow {
  readonly processId: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly startedAt: Date;
  readonly roles: readonly string[];
  readonly singletons: readonly string[];
  readonly report: unknown;
}

/** A process whose heartbeat is older than this is gone. */
const processGoneAfterMs = 15_000;
/** So long before that, what it holds is taken from it. */
const silentAfterMs = 8_000;
/** One that has lost its session too is gone much earlier: a living one beats every second. */
const lostGoneAfterMs = 3_000;

/**
 * Registers this process, or renews its heartbeat. By the clock of the database, the only one that all processes share:
 * of two machines whose clocks differ, one would take the other for dead.
 */
export async function beatProcess(sql: Sql, process: ProcessRow, statement?: ProcessStatement): Promise<void> {
  const { processId, host, pid, version, machine = null } = process;
  await sql`
    insert into processes (process_id, host, pid, version, machine, started_at, heartbeat_at, roles, singletons, session_pid, session_started_at, report)
    values (
      ${processId}, ${host}, ${pid}, ${version}, ${machine}, now(), now(), ${[...(statement?.roles ?? [])]}::text[],
      ${[...(statement?.singletons ?? [])]}::text[], ${statement?.session?.pid ?? null}, ${statement?.session?.startedAt ?? null}::text::timestamptz,
      ${statement ? sql.json(statement.report as never) : null}
    )
    on conflict (process_id) do update
    set heartbeat_at = excluded.heartbeat_at, roles = excluded.roles, singletons = excluded.singletons, session_pid = excluded.session_pid,
      session_started_at = excluded.session_started_at, report = excluded.report
  `;
}

/** Everybody else who is registered on this machine. */
export async function otherProcessesOnMachine(
  sql: Sql,
  machine: string,
  processId: string,
): Promise<readonly { readonly processId: string; readonly pid: number }[]> {
  return await sql<{ processId: string; pid: number }[]>`
    select p.process_id as "processId", p.pid
    from processes p
    where p.machine = ${machine}
      and p.process_id <> ${processId}
  `;
}

/** The daemons that share this database and live, the oldest first: those that have roles, and gave a sign of life. */
export async function livingPeers(sql: Sql): Promise<readonly PeerRow[]> {
  return await sql<PeerRow[]>`
    select p.process_id as "processId", p.host, p.pid, p.version, p.started_at as "startedAt", p.roles, p.singletons, p.report
    from processes p
    where p.roles <> '{}'
      and p.heartbeat_at > now() - ${`${processGoneAfterMs} ms`}::interval
    order by p.started_at, p.process_id
  `;
}

/**
 * Removes processes: those named, all whose heartbeat stopped, or lies in the future since the clock was set back, and, when `sessionsTell`, those that fell
 * silent a moment ago and whose session is gone too. What they had claimed is freed by `freeAbandonedJobs`.
 */
export async function removeProcesses(sql: Sql, processIds: readonly string[], sessionsTell = false): Promise<number> {
  const gone = await sql`
    delete from processes p
    where p.process_id = any (${[...processIds]}::uuid[])
      or abs(extract(epoch from now() - p.heartbeat_at)) * 1000 > ${processGoneAfterMs}
      or ${sessionsTell}
        and extract(epoch from now() - p.heartbeat_at) * 1000 > ${lostGoneAfterMs}
        and p.session_pid is not null
        and not exists (
          select 1
          from pg_stat_activity a
          where a.pid = p.session_pid and a.backend_start = p.session_started_at
        )
  `;
  return gone.count;
}

/**
 * Ends the sessions of daemons that have given no sign of life for so long that they count as gone, so that what one of them held can be had by others: it is
 * stopped, or its machine sleeps, and its connection stands. When it goes on it finds its session gone. Returns how many there were.
 */
export async function endSilentSessions(sql: Sql): Promise<number> {
  const ended = await sql`
    select pg_terminate_backend(a.pid)
    from processes p
    join pg_stat_activity a on a.pid = p.session_pid and a.backend_start = p.session_started_at
    where a.usename = current_user
      and extract(epoch from now() - p.heartbeat_at) * 1000 > ${silentAfterMs}
  `;
  return ended.count;
}

/** Removes every process but this one: right when nobody else can be using the database. */
export async function removeOtherProcesses(sql: Sql, processId: string): Promise<number> {
  const gone = await sql`
    delete from processes p
    where p.process_id <> ${processId}
  `;
  return gone.count;
}
