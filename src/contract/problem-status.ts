import type { ProblemKind } from "./problem.ts";

/** The HTTP status of each kind of problem. Only clients meet `unreachable`; a proxy would send 503. */
const statuses: Readonly<Record<ProblemKind, number>> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  media_type: 415,
  invalid: 422,
  rate_limited: 429,
  unavailable: 503,
  unreachable: 503,
};

/** Returns the HTTP status of a kind of problem. */
export function statusOf(kind: ProblemKind): number {
  return statuses[kind];
}

/** Returns the kind of problem for an HTTP status, or undefined when the caller cannot fix it. */
export function kindOf(status: number): ProblemKind | undefined {
  return (Object.keys(statuses) as ProblemKind[]).find((kind) => statuses[kind] === status);
}
