import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { calledAs } from "../host.ts";
import { canAsk } from "../input/dialogue.ts";
import type { Io } from "../io.ts";
import type { Setup } from "./questions.ts";

export const setup = defineCommand({
  name: "setup",
  summary: "Set up camera, alerts and rule, step by step",
  description:
    "Asks step by step for a camera, mail, chat or phone, and a rule, and sends a test message. Shows what exists and changes only what you change, so you can run it again at any time. Writes mail settings to .env in the working folder, or to the file of --config; run it in the folder where you start `homesec serve`. Needs a terminal. Exits with 1 if a test message fails, and with 130 if you stop it with Ctrl-C; what it saved until then stays. In a script use `homesec cameras add`, `homesec channels add`, `homesec webhooks add`, `homesec rules add` and `homesec notifications test`.",
  examples: [
    { command: "homesec setup", note: "everything for the first alert" },
    { command: "sudo homesec setup --config /etc/homesec.env", note: "with the settings of the service" },
  ],
  endsOnSignal: true,
  async run(_, io) {
    if (io.global.direct) throw new Problem("invalid", "setup needs the daemon; remove --direct and start one with `homesec serve`");
    if (!canAsk(io.host)) {
      throw new Problem(
        "invalid",
        "setup asks its questions on a terminal; in a script use `homesec cameras add`, `homesec channels add`, `homesec webhooks add`, `homesec rules add` and `homesec notifications test`, and set the SMTP_ variables (docs/configuration.md)",
      );
    }
    const { openSetup, Stopped } = await import("./questions.ts");
    const dialogue = openSetup(io);
    try {
      return await runSteps(dialogue);
    } catch (error) {
      if (!(error instanceof Stopped)) {
        if (dialogue.saved.length > 0) dialogue.say(`Saved before this error: ${dialogue.saved.join("; ")}.`);
        throw error;
      }
      dialogue.say(`\nStopped. ${savedText(dialogue)}`);
      return exitCodes.interrupted;
    } finally {
      dialogue.close();
    }
  },
});

async function runSteps(setup: Setup): Promise<number> {
  const [{ waitForDaemon }, { askForCameras }, { askForChannels, testChannels }, { askForRules }] = await Promise.all([
    import("./daemon.ts"),
    import("./cameras.ts"),
    import("./channels.ts"),
    import("./rule.ts"),
  ]);
  setup.say("Enter keeps the value in [brackets]. Ctrl-C stops; what is saved stays saved.");
  await waitForDaemon(setup);
  const camera = await askForCameras(setup);
  const isChanged = await askForChannels(setup);
  await askForRules(setup);
  const hasArrived = await testChannels(setup, isChanged);
  setup.say(`\nDone. ${savedText(setup)}`);
  setup.say(nextSteps(setup.io, camera));
  return hasArrived ? exitCodes.ok : exitCodes.failure;
}

function savedText({ saved }: Setup): string {
  return saved.length === 0 ? "Nothing was changed." : `Saved: ${saved.join("; ")}.`;
}

function nextSteps({ host }: Io, camera: string | undefined): string {
  const called = calledAs(host);
  const lines = camera === undefined ? [] : [`  ${called} trigger picture.jpg --camera ${camera}    tries it with a picture of yours`];
  return [...lines, `  ${called} live    shows cameras, events and alerts`].join("\n");
}
