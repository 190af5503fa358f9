import { advisoryLocks, type Sql } from "../../platform/database/database.ts";

/** A session on the server. The server may later reuse its pid. */
export interface SessionIdentity {
  readonly pid: number;
  /** In the server's format, to the microsecond. */
  readonly startedAt: string;
}

/**
 * Makes the server detect within 5 s that the client's machine is gone, so that the session's locks become free, and returns the identity
 * of the session. On a unix socket these settings have no effect, and the server detects it at once.
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

/**
 * Locks those of the keys that no session holds, until this session ends, and returns them. The caller must not already hold any of the
 * keys.
 */
export async function lockSingletons(sql: Sql, keys: readonly string[]): Promise<readonly string[]> {
  const rows = await sql<{ key: string }[]>`
    select k.key
    from unnest(${[...keys]}::text[]) k (key)
    where pg_try_advisory_lock(${advisoryLocks.singletons}, hashtext(k.key))
  `;
  return rows.map(({ key }) => key);
}

/** Unlocks one key. */
export async function unlockSingleton(sql: Sql, key: string): Promise<void> {
  await sql`select pg_advisory_unlock(${advisoryLocks.singletons}, hashtext(${key}))`;
}
