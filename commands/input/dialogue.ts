import { createInterface } from "node:readline/promises";
import { Problem } from "../../src/contract/problem.ts";
import type { Host } from "../host.ts";

/** Asks questions on the terminal, line by line. */
export interface Dialogue {
  /** Resolves to the trimmed answer. Throws `Problem("invalid")` if the input ends. */
  ask(question: string): Promise<string>;
  close(): void;
}

/** Whether stdin and stderr are a terminal. */
export function canAsk({ stdin, stderr }: Host): boolean {
  return stderr.isTTY === true && stdin.isTTY === true;
}

/** Prints questions to stderr, since stdout is for results. */
export function openDialogue({ stdin, stderr }: Host): Dialogue {
  // Keeps lines typed ahead; the terminal does the editing
  const reader = createInterface({ input: stdin, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  return {
    async ask(question) {
      stderr.write(question);
      const { value, done } = await lines.next();
      if (done === true) throw new Problem("invalid", "no answer; nothing was changed");
      return value.trim();
    },
    close: () => reader.close(),
  };
}
