import type { ProblemKind } from "../src/contract/problem.ts";

/** The exit codes of all commands. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  authentication: 4,
  conflict: 5,
  unreachable: 6,
  findings: 7,
  unmet: 8,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

const byKind: Readonly<Record<ProblemKind, number>> = {
  invalid: exitCodes.usage,
  bad_request: exitCodes.usage,
  unauthorized: exitCodes.authentication,
  forbidden: exitCodes.authentication,
  not_found: exitCodes.notFound,
  gone: exitCodes.notFound,
  conflict: exitCodes.conflict,
  too_large: exitCodes.failure,
  media_type: exitCodes.failure,
  rate_limited: exitCodes.failure,
  unavailable: exitCodes.failure,
  unreachable: exitCodes.unreachable,
};

/** The exit code for a kind of problem. */
export function exitCodeOf(kind: ProblemKind): number {
  return byKind[kind];
}
