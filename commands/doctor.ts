import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { list } from "./input/options.ts";

export const doctor = defineCommand({
  name: "doctor",
  summary: "Check the installation and suggest fixes",
  description: `Check everything that homesec depends on, from the disk to the mail server, and print a fix for each finding.
Works with and without a daemon, changes nothing, sends no message to anyone, and ends within ten seconds. Checks that cannot run are
skipped, with the reason. The exit code is 0 without findings and 7 with findings. docs/doctor.md lists all checks.`,
  options: {
    only: list("id", "Run only these checks, such as smtp,webhook-targets"),
    skip: list("id", "Skip these checks"),
  },
  examples: [
    { command: "homesec doctor", note: "check everything" },
    { command: "homesec doctor --only smtp,detector,language-model", note: "after a change of the services" },
    { command: "homesec doctor --skip camera-mounts -o json", note: "for scripts, without a known finding" },
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
      // exit although a lookup or a disk access may still hang: its check timed out
      io.host.leave();
    }
  },
});
