import { createInterface } from "node:readline/promises";
import { Problem } from "../../src/contract/problem.ts";
import type { Host } from "../host.ts";

/** Questions to the person at the terminal, line by line. */
export interface Dialogue {
  /** The line that was typed, without spaces around it. Throws `Problem("invalid")` when the person ends the input instead. */
  ask(question: string): Promise<string>;
  close(): void;
}

/** Whether there is somebody who can be asked. */
export function canAsk({ stdin, stderr }: Host): boolean {
  return stderr.isTTY === true && stdin.isTTY === true;
}

/** Questions go to the standard error output: the standard output is for results. */
export function openDialogue({ stdin, stderr }: Host): Dialogue {
  // lines that are typed before they are asked for are kept; the terminal itself does the editing
  const reader = createInterface({ input: stdin, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  return {
    async ask(question) {
      stderr.write(question);
      const { value, done } = await lines.next();
      if (done === true) throw new Problem("invalid", "no answer; nothing was done");
      return value.trim();
    },
    close: () => reader.close(),
  };
}
