import { Problem } from "../../src/contract/problem.ts";
import { type Dialogue, openDialogue } from "../input/dialogue.ts";
import { type Option, WrongValue } from "../input/options.ts";
import type { Io } from "../io.ts";
import { usableChannels } from "../notifications/config.ts";
import { plain } from "../output/terminal-format.ts";
import type { NewRule } from "./file.ts";
import { ruleBody, ruleOptions } from "./options.ts";

/** Asks the person at the terminal for a rule, step by step. An empty answer leaves a condition out. */
export async function askForRule(io: Io): Promise<NewRule> {
  const [cameras, labels, notifications] = await Promise.all([
    io.call("listCameras", { query: { limit: 1000 } }),
    io.call("listDetectionLabels", {}),
    io.call("getNotificationConfig", {}),
  ]);
  const known = (names: readonly string[]): string => (names.length === 0 ? "" : ` (${names.slice(0, 20).map(plain).join(", ")})`);
  const dialogue = openDialogue(io.host);
  const ask = <T>(option: Option<T | undefined>, question: string) => answerTo(dialogue, io, option, question);
  try {
    io.output.note("Enter alone leaves a condition out.");
    const name = await required(dialogue, io);
    const answers = {
      severity: await ask(ruleOptions.severity, "How grave are its alerts: low, medium, high or critical? [medium] "),
      riskThreshold: await ask(ruleOptions.riskThreshold, "From which risk score on, 0 to 100? [any] "),
      objectTypes: await ask(
        ruleOptions.objectTypes,
        `Which classes, with commas?${known(labels.labels.map(({ label }) => label))} [any] `,
      ),
      cameras: await ask(
        ruleOptions.cameras,
        `Which cameras, with commas?${known(cameras.cameras.map(({ camera_id }) => camera_id))} [all] `,
      ),
      schedule: await ask(ruleOptions.schedule, "When, such as mon-fri 22:00-06:00? [always] "),
      cooldown: await ask(ruleOptions.cooldown, "How long does an alert hold back others? [5m] "),
      channels: await ask(
        ruleOptions.channels,
        `How is it told: email, webhook?${known(usableChannels(notifications))} [only shown here] `,
      ),
    };
    const nothing = { kind: undefined, minConfidence: undefined, dedupKeyTemplate: undefined };
    return { ...ruleBody({ ...nothing, escalate: undefined, digest: undefined, enabled: undefined, ...answers, name }), name };
  } finally {
    dialogue.close();
  }
}

async function required(dialogue: Dialogue, io: Io): Promise<string> {
  for (let tries = 0; tries < 5; tries += 1) {
    const name = await dialogue.ask("What shall it be called? ");
    if (name !== "") return name;
    io.output.note("A rule needs a name.");
  }
  throw new Problem("invalid", "a rule needs a name; nothing was done");
}

/** The answer as its option reads it; asks again after one that it does not take. */
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
