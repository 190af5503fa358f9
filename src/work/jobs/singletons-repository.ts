import type { Sql } from "../../platform/database/database.ts";
import { advisoryLocks } from "../../platform/database/locks.ts";

/** A session on the server: its number may be given to another one later. */
export interface SessionIdentity {
  readonly pid: number;
  /** As the server writes it: to the microsecond. */
  readonly startedAt: string;
}

/**
 * Has the server notice within 5 s that the machine on the other end is gone, so that what the session holds can be had by others, and tells
 * which session this is. By a unix socket, where these settings mean nothing, it notices at once.
 */
export async function beginSession(sql: Sql): Promise<SessionIdentity> {
  const [row] = await sql<[SessionIdentity]>`
    select a.pid, a.backend_start::text as "startedAt",
      set_config('tcp_keepalives_idle', '2', false), set_config('tcp_keepalives_interval', '1', false),
      set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '5000', false)
    from pg_stat_activity a
    where a.pid = pg_backend_pid()
  `;
  return { pid: row.pid, startedAt: row.startedAt };
}

/** Takes, for as long as the session lives, those of the keys that no session holds. To be asked only for those not held already. Returns them. */
export async function takeSingletons(sql: Sql, keys: readonly string[]): Promise<readonly string[]> {
  const rows = await sql<{ key: string }[]>`
    select k.key
    from unnest(${[...keys]}::text[]) k (key)
    where pg_try_advisory_lock(${advisoryLocks.singletons}, hashtext(k.key))
  `;
  return rows.map(({ key }) => key);
}

/** Gives one back. */
export async function giveSingletonBack(sql: Sql, key: string): Promise<void> {
  await sql`select pg_advisory_unlock(${advisoryLocks.singletons}, hashtext(${key}))`;
}
