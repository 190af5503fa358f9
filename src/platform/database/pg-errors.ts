import { Problem } from "../../contract/problem.ts";

/**
 * The database is unreachable, is starting or was lost during the work. Work inside a transaction took no effect; a single statement may
 * have. Callers should try again later.
 */
export class DatabaseUnavailable extends Problem {
  override name = "DatabaseUnavailable";

  constructor(reason: string, options: { readonly cause?: unknown } = {}) {
    const fix = isRefusedForGood(options.cause)
      ? "correct DATABASE_URL"
      : isOutOfRoom(options.cause)
        ? "free some space, then homesec continues automatically"
        : "try again in a moment";
    super("unavailable", `The database is not available: ${reason}; ${fix}`, options);
  }
}

/** The connection was lost during COMMIT: the transaction took effect as a whole or not at all, and the caller cannot know which. */
export class OutcomeUnknown extends DatabaseUnavailable {
  override name = "OutcomeUnknown";

  constructor(options: { readonly cause?: unknown } = {}) {
    super("the connection was lost while the change was being committed, so it may or may not have taken effect", options);
  }
}

/** Tells whether a row with this key already exists. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === "23505";
}

/**
 * Tells whether the database rejects the data: a value of a wrong type, a broken constraint, a reference to a missing row, or a value
 * that is too large.
 */
export function isDataRefused(error: unknown): boolean {
  return /^(22|23|42|54)/.test(codeOf(error) ?? "");
}

/** Tells whether another transaction held a lock for longer than the permitted wait. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/**
 * Tells whether the connection is lost or temporarily refused: the server disappeared, is starting or stopping, or has no connection
 * left.
 */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true;
  const code = codeOf(error);
  return code !== undefined && (lossCodes.has(code) || code.startsWith("08"));
}

/** Tells whether the server's disk or memory is full, or its disk fails. The statement took no effect, and the caller is not at fault. */
export function isOutOfRoom(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && roomCodes.has(code);
}

/** Tells whether a connection attempt may succeed in a moment: some server errors, and the system's errors when no server runs. */
export function isWorthReconnecting(error: unknown): boolean {
  const code = codeOf(error);
  return isConnectionLoss(error) || (code !== undefined && absenceCodes.has(code));
}

/** Tells whether the server rejects the user, the password or the database, so that waiting does not help. */
function isRefusedForGood(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && (code.startsWith("28") || code === "3D000");
}

const lossCodes = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "CONNECT_TIMEOUT",
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "57P05", // idle_session_timeout
  "25P03", // idle_in_transaction_session_timeout
  "53300", // too_many_connections
]);

const roomCodes = new Set([
  "53100", // disk_full
  "53200", // out_of_memory
  "58030", // io_error
]);

const absenceCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  "EAGAIN",
]);

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : undefined;
}
