import type { Sql } from "../../platform/database/database.ts";
import type { SessionIdentity } from "./singletons-repository.ts";

/** A running homesec process that may hold claims. */
export interface ProcessRow {
  readonly processId: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  /** The machine or container whose processes `pid` distinguishes; null if unknown. */
  readonly machine?: string | null;
}

/** The state that a daemon on a shared database publishes with each heartbeat. */
export interface ProcessStatement {
  readonly roles: readonly string[];
  readonly singletons: readonly string[];
  readonly session: SessionIdentity | undefined;
  readonly report: Readonly<Record<string, unknown>>;
}

/** A live daemon as the others see it. */
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

/** A process whose heartbeat is older than this is dead. */
const processGoneAfterMs = 15_000;
/** After this time without a heartbeat, its session is ended, which frees its singletons. */
const silentAfterMs = 8_000;
/** A process whose session is gone too is dead after this much shorter time, since a live one sends a heartbeat every second. */
const lostGoneAfterMs = 3_000;

/**
 * Registers this process or renews its heartbeat. It uses the clock of the database, which all processes share: with their own clocks,
 * machines whose clocks differ would consider each other dead.
 */
export async function recordHeartbeat(sql: Sql, process: ProcessRow, statement?: ProcessStatement): Promise<void> {
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

/** Returns the other processes registered on this machine. */
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

/** Returns the live daemons that share this database, oldest first. A daemon is a process with roles. */
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
 * Removes the named processes and all whose heartbeat has stopped or, because the clock was set back, lies in the future. With
 * `sessionsTell`, it also removes processes that fell silent a moment ago and whose session is gone. `freeAbandonedJobs` then frees their
 * claims.
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
 * Ends the sessions of daemons whose heartbeat has stopped, so that other daemons can take over their singletons. Such a process may be
 * suspended, or its machine asleep, while its connection stays open; when it resumes, it finds its session closed. Returns the number of
 * sessions.
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

/** Removes all other processes. Only correct if no other process can be using the database. */
export async function removeOtherProcesses(sql: Sql, processId: string): Promise<number> {
  const gone = await sql`
    delete from processes p
    where p.process_id <> ${processId}
  `;
  return gone.count;
}
