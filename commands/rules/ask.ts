import { Problem } from "../../src/contract/problem.ts";
import { type Dialogue, openDialogue } from "../input/dialogue.ts";
import { allWebhooks } from "../input/find.ts";
import { type Option, WrongValue } from "../input/options.ts";
import type { Io } from "../io.ts";
import { usableChannels } from "../notifications/commands.ts";
import { plain } from "../output/terminal-format.ts";
import type { NewRule } from "./file.ts";
import { ruleBody, ruleOptions } from "./options.ts";

/** Asks for a rule on the terminal, step by step. An empty answer skips a condition. */
export async function askForRule(io: Io): Promise<NewRule> {
  const [cameras, labels, notifications, { modes }, { zones }, { channels }, webhooks] = await Promise.all([
    io.call("listCameras", { query: { limit: 1000 } }),
    io.call("listDetectionLabels", {}),
    io.call("getNotificationConfig", {}),
    io.call("listModes", {}),
    io.call("listAllZones", {}),
    io.call("listChannels", {}),
    allWebhooks(io, true),
  ]);
  const targets = [...usableChannels(notifications), ...[...channels, ...webhooks].map(({ name }) => name)];
  const known = (names: readonly string[]): string => (names.length === 0 ? "" : ` (${names.slice(0, 20).map(plain).join(", ")})`);
  const dialogue = openDialogue(io.host);
  const ask = <T>(option: Option<T | undefined>, question: string) => answerTo(dialogue, io, option, question);
  try {
    io.output.note("Press Enter to skip a condition.");
    const name = await required(dialogue, io);
    const severity = await ask(ruleOptions.severity, "Severity: low, medium, high or critical? [medium] ");
    const score = await ask(ruleOptions.risk_threshold, "Minimum risk score, 0 to 100? [any] ");
    const answers = {
      object_types: await ask(
        ruleOptions.object_types,
        `Classes, separated by commas?${known(labels.labels.map(({ label }) => label))} [any] `,
      ),
      cameras: await ask(
        ruleOptions.cameras,
        `Cameras, separated by commas?${known(cameras.cameras.map(({ camera_id }) => camera_id))} [all] `,
      ),
      ...(zones.length > 0 && {
        zones: await ask(ruleOptions.zones, `Zones, separated by commas?${known([...new Set(zones.map(({ name }) => name))])} [anywhere] `),
      }),
      schedule: await ask(ruleOptions.schedule, "Schedule, such as mon-fri 22:00-06:00? [always] "),
      modes: await ask(ruleOptions.modes, `Modes of the home, separated by commas?${known(modes.map(({ name }) => name))} [all but off] `),
      cooldown: await ask(ruleOptions.cooldown, "Cooldown between alerts? [5m] "),
      channels: await ask(ruleOptions.channels, `Channels: email, webhook, push or a name?${known(targets)} [none] `),
      ...(score === undefined && {
        immediate: await yes(dialogue, io, "Alert during the visit, within seconds and without the score? [y/N] "),
      }),
    };
    return { ...ruleBody({ ...answers, severity, risk_threshold: score }), name };
  } finally {
    dialogue.close();
  }
}

async function required(dialogue: Dialogue, io: Io): Promise<string> {
  for (let tries = 0; tries < 5; tries += 1) {
    const name = await dialogue.ask("Name of the rule? ");
    if (name !== "") return name;
    io.output.note("A rule needs a name.");
  }
  throw new Problem("invalid", "a rule needs a name; no rule was added");
}

/** Undefined for no, which is the default of a rule. */
async function yes(dialogue: Dialogue, io: Io, question: string): Promise<true | undefined> {
  for (;;) {
    const answer = (await dialogue.ask(question)).toLowerCase();
    if (/^y(es)?$/.test(answer)) return true;
    if (answer === "" || /^no?$/.test(answer)) return undefined;
    io.output.note("It must be y or n.");
  }
}

/** Parses the answer like the option; asks again until it is valid. */
async function answerTo<T>(dialogue: Dialogue, io: Io, option: Option<T | undefined>, question: string): Promise<T | undefined> {
  for (;;) {
    const answer = await dialogue.ask(question);
    if (answer === "") return undefined;
    try {
      return option.read({ texts: [answer], set: undefined, now: io.host.clock.now() });
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      io.output.note(`It must be ${error.message}.`);
    }
  }
}
