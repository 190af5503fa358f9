import { type ChannelField, channelForms } from "../../src/contract/channel-fields.ts";
import type { ChannelKindName } from "../../src/contract/constants.ts";
import { openDialogue } from "../input/dialogue.ts";
import type { Io } from "../io.ts";

/** Asks a question on the terminal. Resolves to the trimmed answer. */
export async function answer({ host }: Io, question: string): Promise<string> {
  const dialogue = openDialogue(host);
  try {
    return await dialogue.ask(question);
  } finally {
    dialogue.close();
  }
}

/** Asks a question whose answer is yes unless it begins with n. */
export async function isYes(io: Io, question: string): Promise<boolean> {
  return !/^n/i.test(await answer(io, question));
}

/** Asks for the settings of a channel, one after the other, each until there is an answer. Secrets are not shown. */
export async function answersTo({ host }: Io, fields: readonly ChannelField[]): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  if (fields.length === 0) return answers;
  const dialogue = openDialogue(host);
  try {
    for (const { name, label, isSecret } of fields) {
      for (let given = ""; given === ""; answers[name] = given) {
        given = isSecret ? await dialogue.askHidden(`${label} (not shown): `) : await dialogue.ask(`${label}: `);
      }
    }
  } finally {
    dialogue.close();
  }
  return answers;
}

/** Says in the message of a refusal what the questions call the settings, and their options. */
export function withFieldNames(message: string, kind: ChannelKindName): string {
  return channelForms[kind].fields.reduce((text, { name, label, isSecret }) => {
    const option = isSecret ? "--secret-file" : `--${name.replaceAll("_", "-")}`;
    return text.replaceAll(new RegExp(`(^|; )(?:settings\\.)?${name}: `, "g"), `$1${label} (${option}): `);
  }, message);
}
