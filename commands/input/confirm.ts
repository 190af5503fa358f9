import { Problem } from "../../src/contract/problem.ts";
import type { Io } from "../io.ts";
import { canAsk, openDialogue } from "./dialogue.ts";
import { flag } from "./options.ts";

/** The option of commands that destroy something. */
export const yesOption = { yes: flag("Do it without asking") };

/** Lets go on when the person agrees. Throws `Problem("invalid")` when not, and where nobody can be asked. */
export async function confirm(io: Io, { yes }: { readonly yes: boolean }, question: string): Promise<void> {
  if (yes) return;
  if (!canAsk(io.host)) throw new Problem("invalid", `${question} Nobody can be asked here; say --yes to do it`);
  const dialogue = openDialogue(io.host);
  try {
    const answer = await dialogue.ask(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer)) throw new Problem("invalid", "nothing was done");
  } finally {
    dialogue.close();
  }
}
