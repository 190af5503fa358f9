import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { list } from "./input/options.ts";

export const doctor = defineCommand({
  name: "doctor",
  summary: "Look for what is wrong, and say how to mend it",
  description: `Looks at everything that homesec depends on, from the disk to the mail server, and says of each finding exactly what to do.
Works with and without a daemon, changes nothing, sends nothing to anybody, and ends within ten seconds. What cannot be looked at is
named with the reason. The exit code is 0 without findings, and 7 with some. docs/doctor.md lists all checks.`,
  options: {
    only: list("id", "Make only these checks, such as smtp,webhook-targets"),
    skip: list("id", "Leave these checks out"),
  },
  examples: [
    { command: "homesec doctor", note: "what is wrong here?" },
    { command: "homesec doctor --only smtp,detector,language-model", note: "after a change of the services" },
    { command: "homesec doctor --skip camera-mounts -o json", note: "for scripts, and without what is meant to be so" },
    { command: "homesec doctor --direct", note: "while no daemon runs" },
  ],
  prints: async () => (await import("./doctor/print.ts")).view,
  async run({ options: { only, skip } }, io) {
    const [{ chooseChecks }, { examine }, { printReports }, { runChecks }] = await Promise.all([
      import("./doctor/choose.ts"),
      import("./doctor/examine.ts"),
      import("./doctor/print.ts"),
      import("../src/admin/doctor/run-checks.ts"),
    ]);
    const chosen = await chooseChecks(only, skip);
    const { clock, version } = io.host;
    const begun = clock.monotonic();
    const examined = await examine(io);
    try {
      const reports = await runChecks(chosen, examined.examination);
      await printReports(io.output, reports, { version, checked_at: clock.now(), elapsed_ms: Math.round(clock.monotonic() - begun) });
      return reports.some(({ status }) => status === "finding") ? exitCodes.findings : exitCodes.ok;
    } finally {
      await examined.close();
      // a name server or a disk that gives no answer must not keep the program: the checks have given up on it
      io.host.leave();
    }
  },
});
