import { Problem } from "../../contract/problem.ts";

/**
 * The database cannot be reached, is starting up or went away in the middle. Nothing that was asked inside of a
 * transaction took effect; a lone statement may have. Trying again later is right.
 */
export class DatabaseUnavailable extends Problem {
  override name = "DatabaseUnavailable";

  constructor(reason: string, options: { readonly cause?: unknown } = {}) {
    const remedy = isRefusedForGood(options.cause)
      ? "correct DATABASE_URL"
      : isOutOfRoom(options.cause)
        ? "make room, it goes on by itself"
        : "try again in a moment";
    super("unavailable", `The database is not available: ${reason}; ${remedy}`, options);
  }
}

/** The connection was lost while COMMIT was under way: the transaction took effect as a whole or not at all, and nobody here knows which. */
export class OutcomeUnknown extends DatabaseUnavailable {
  override name = "OutcomeUnknown";

  constructor(options: { readonly cause?: unknown } = {}) {
    super("the connection was lost while the change was being committed, so it may or may not have taken effect", options);
  }
}

/** A row with this key exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === "23505";
}

/** The data is not what the database takes: a value that is none of its type, breaks a constraint, names what does not exist or is too large. */
export function isDataRefused(error: unknown): boolean {
  return /^(22|23|42|54)/.test(codeOf(error) ?? "");
}

/** Somebody else held a lock for longer than was to be waited. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** The connection is gone or was refused for now: the server went away, is starting or stopping, or has no connection left. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true;
  const code = codeOf(error);
  return code !== undefined && (lossCodes.has(code) || code.startsWith("08"));
}

/** The server is there, but its disk or its memory is full, or the disk fails. Nothing of the statement took effect, and nobody who asks is at fault. */
export function isOutOfRoom(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && roomCodes.has(code);
}

/** Answers of the server to a connection attempt that will be different in a moment, and what the system says when no server is there. */
export function isWorthReconnecting(error: unknown): boolean {
  const code = codeOf(error);
  return isConnectionLoss(error) || (code !== undefined && absenceCodes.has(code));
}

/** The server does not know this user, password or database: waiting does not help. */
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
