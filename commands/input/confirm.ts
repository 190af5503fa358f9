import { Problem } from "../../src/contract/problem.ts";
import type { Io } from "../io.ts";
import { canAsk, openDialogue } from "./dialogue.ts";
import { flag } from "./options.ts";

/** The option of commands that delete something. */
export const yesOption = { yes: flag("Skip the confirmation") };

/** Asks for confirmation. Throws `Problem("invalid")` if the user declines or there is no terminal. */
export async function confirm(io: Io, { yes }: { readonly yes: boolean }, question: string): Promise<void> {
  if (yes) return;
  if (!canAsk(io.host)) throw new Problem("invalid", `${question} Not a terminal; add --yes to confirm`);
  const dialogue = openDialogue(io.host);
  try {
    const answer = await dialogue.ask(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer)) throw new Problem("invalid", "cancelled; nothing was changed");
  } finally {
    dialogue.close();
  }
}
