import { exitCodes } from "../exit-codes.ts";

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: "Success",
  failure: "Failure: the operation failed, or homesec has a bug",
  usage: "Usage error or invalid value",
  notFound: "Not found",
  authentication: "API key missing or wrong",
  conflict: "Conflict: it already exists or is deleted, a name or short id fits several, or another homesec uses the data folder",
  unreachable: "Daemon unreachable",
  findings:
    "Problems found by `health`, `doctor`, `selftest`, `cameras validate`, `webhooks health`, `evidence verify` or `evidence check`",
  unmet: "`rules test --expect`: an event does not match as expected",
  hungUp: "Terminal closed (SIGHUP); `serve` and `demo` exit with 0, or keep running if started without a terminal",
  interrupted: "Interrupted by Ctrl-C; `serve` and `demo` exit with 0",
  terminated: "Terminated by SIGTERM; `serve` and `demo` exit with 0",
};

/** Every exit code with its meaning. */
export const exitCodeMeanings: readonly (readonly [number, string])[] = Object.entries(meanings).map(([name, meaning]) => [
  exitCodes[name as keyof typeof exitCodes],
  meaning,
]);
