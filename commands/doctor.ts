import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { idOf, list } from "./input/options.ts";

export const doctor = defineCommand({
  name: "doctor",
  summary: "Check the installation and suggest fixes",
  description: `Check everything that homesec depends on, from the disk to the mail server, and print a fix for each finding.
Works with and without a daemon, changes nothing, sends no message to anyone, and ends within ten seconds. A daemon on another machine
(--url, HOMESEC_URL) checks itself, with its own settings. Checks that cannot run are skipped, with the reason. The exit code is 0 without
findings and 7 with findings. docs/doctor.md lists all checks.`,
  options: {
    only: idOf("check", list("id", "Run only these checks, such as smtp,webhook-targets")),
    skip: idOf("check", list("id", "Skip these checks")),
  },
  examples: [
    { command: "homesec doctor", note: "check everything" },
    { command: "homesec doctor --only smtp,detector,language-model", note: "after a change of the services" },
    { command: "homesec doctor --skip camera-mounts -o json", note: "for scripts, without a known finding" },
    { command: "homesec --url http://nas.local:8000 doctor", note: "a daemon on another machine" },
    { command: "homesec doctor --direct", note: "while no daemon runs" },
  ],
  prints: async () => (await import("./doctor/print.ts")).view,
  async run({ options: { only, skip } }, io) {
    const [{ askDaemon }, { chooseChecks }, { isElsewhere }, { checkHere, examine }, { printDaemon, printReport }] = await Promise.all([
      import("./doctor/ask-daemon.ts"),
      import("./doctor/choose.ts"),
      import("./doctor/elsewhere.ts"),
      import("./doctor/examine.ts"),
      import("./doctor/print.ts"),
    ]);
    const chosen = await chooseChecks(only, skip);
    const begun = io.host.clock.monotonic();
    const examined = await examine(io);
    try {
      const elsewhere = await isElsewhere(io, examined.examination);
      const report = elsewhere ? await askDaemon(io, chosen) : await checkHere(io.host, chosen, examined.examination, begun);
      await printReport(io.output, report);
      if (elsewhere) printDaemon(io.output, report, (await io.endpoint()).url);
      return report.findings > 0 ? exitCodes.findings : exitCodes.ok;
    } finally {
      await examined.close();
      // exit although a lookup or a disk access may still hang: its check timed out
      io.host.leave();
    }
  },
});
