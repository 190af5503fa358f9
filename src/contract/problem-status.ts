import type { ProblemKind } from "./problem.ts";

/** The HTTP status of each kind of problem. `unreachable` is met by clients only; a server in the middle would say 503. */
const statuses: Readonly<Record<ProblemKind, number>> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  media_type: 415,
  invalid: 422,
  rate_limited: 429,
  unavailable: 503,
  unreachable: 503,
};

/** The HTTP status that tells this kind of problem. */
export function statusOf(kind: ProblemKind): number {
  return statuses[kind];
}

/** The kind of problem that an HTTP status tells, or undefined when it is not one that the asker can do anything about. */
export function kindOf(status: number): ProblemKind | undefined {
  return (Object.keys(statuses) as ProblemKind[]).find((kind) => statuses[kind] === status);
}
