import type { Sql } from "../engines/database.ts";

/** A running homesec process that may hold claims. */
export interface ProcessRow {
  readonly processId: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
}

/** A process whose heartbeat is older than this is gone. */
const processGoneAfterMs = 15_000;

/**
 * Registers this process, or renews its heartbeat. By the clock of the database, the only one that all processes share:
 * of two machines whose clocks differ, one would take the other for dead.
 */
export async function beatProcess(sql: Sql, process: ProcessRow): Promise<void> {
  await sql`
    insert into processes (process_id, host, pid, version, started_at, heartbeat_at)
    values (${process.processId}, ${process.host}, ${process.pid}, ${process.version}, now(), now())
    on conflict (process_id) do update set heartbeat_at = excluded.heartbeat_at
  `;
}

/** Everybody else who is registered on this host. */
export async function otherProcessesOnHost(
  sql: Sql,
  host: string,
  processId: string,
): Promise<readonly { readonly processId: string; readonly pid: number }[]> {
  return await sql<{ processId: string; pid: number }[]>`
    select p.process_id as "processId", p.pid
    from processes p
    where p.host = ${host}
      and p.process_id <> ${processId}
  `;
}

/**
 * Removes processes: those named, and all whose heartbeat stopped, or lies in the future since the clock was set back.
 * What they had claimed is freed by `freeAbandonedJobs`.
 */
export async function removeProcesses(sql: Sql, processIds: readonly string[]): Promise<number> {
  const gone = await sql`
    delete from processes p
    where p.process_id = any (${[...processIds]}::uuid[])
      or abs(extract(epoch from now() - p.heartbeat_at)) * 1000 > ${processGoneAfterMs}
  `;
  return gone.count;
}

/** Removes every process but this one: right when nobody else can be using the database. */
export async function removeOtherProcesses(sql: Sql, processId: string): Promise<number> {
  const gone = await sql`
    delete from processes p
    where p.process_id <> ${processId}
  `;
  return gone.count;
}
