import { spawnSync } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { Problem } from "../../src/contract/problem.ts";
import type { Host } from "../host.ts";

/** Asks questions on the terminal, line by line. */
export interface Dialogue {
  /** Resolves to the trimmed answer. Throws `Problem("invalid")` if the input ends. */
  ask(question: string): Promise<string>;
  /** The same without showing what is typed, for secrets. */
  askHidden(question: string): Promise<string>;
  /** Ends the dialogue, and a hidden question with it. */
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
  const ask = async (question: string): Promise<string> => {
    stderr.write(question);
    const { value, done } = await lines.next();
    if (done === true) throw new Problem("invalid", "no answer; nothing was changed");
    return value.trim();
  };
  return {
    ask,
    async askHidden(question) {
      setEcho(stdin, false);
      try {
        return await ask(question);
      } finally {
        setEcho(stdin, true);
        stderr.write("\n");
      }
    },
    close: () => {
      // After Ctrl-C a hidden question is still open
      setEcho(stdin, true);
      reader.close();
    },
  };
}

/** Switches the display of typed text. The terminal's own editing stays, unlike in raw mode. */
function setEcho(stdin: Host["stdin"], isOn: boolean): void {
  if (stdin.isTTY !== true || (stdin as { readonly fd?: number }).fd !== 0) return;
  const { status } = spawnSync("stty", [isOn ? "echo" : "-echo"], { stdio: ["inherit", "ignore", "ignore"] });
  if (status !== 0 && !isOn) throw new Problem("conflict", "the terminal cannot hide what is typed: `stty -echo` fails; install coreutils");
}
