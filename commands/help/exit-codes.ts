import { exitCodes } from "../exit-codes.ts";

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: "Done",
  failure: "Failed: what was asked for could not be done, or homesec itself is at fault",
  usage: "Wrong usage, or a value that is not allowed",
  notFound: "What was named does not exist",
  authentication: "The API key is missing or wrong",
  conflict: "Not in this state: it exists already, is deleted already, another homesec has the data folder",
  unreachable: "No daemon answers",
  findings: "`health`, `doctor`, `selftest`, `cameras validate`, `webhooks health`: something is not well",
  unmet: "`rules test --expect`: an event is judged otherwise than expected",
  hungUp: "Its terminal was closed (SIGHUP); `serve` and `demo` stop cleanly and end with 0, and go on when they were started without one",
  interrupted: "Ended by Ctrl-C; `serve` and `demo` stop cleanly and end with 0",
  terminated: "Ended by SIGTERM; `serve` and `demo` end with 0",
};

/** Every exit code and what it tells a script. */
export const exitCodeMeanings: readonly (readonly [number, string])[] = Object.entries(meanings).map(([name, meaning]) => [
  exitCodes[name as keyof typeof exitCodes],
  meaning,
]);
