import { join, resolve } from "node:path";
import { Problem } from "../../src/contract/problem.ts";
import { openDialogue } from "../input/dialogue.ts";
import type { Io } from "../io.ts";
import { harmless } from "../output/terminal-format.ts";
import { wrapping } from "../output/wrap.ts";

/** The user ended the dialogue with Ctrl-C or Ctrl-D. */
export class Stopped extends Error {
  override name = "Stopped";
}

/** The dialogue of `homesec setup`. Every question throws `Stopped` when the user ends it. */
export interface Setup {
  readonly io: Io;
  /** The file that gets the settings: `.env` in the working folder, or the file of `--config`. */
  readonly envFile: string;
  /** The changes so far, for the summary. */
  readonly saved: string[];
  /** Prints a text, wrapped to the terminal. */
  say(text: string): void;
  /** Asks for a text. Enter answers `initial`. Asks again while `check` returns what the answer must be. */
  text(question: string, initial?: string, check?: (answer: string) => string | undefined): Promise<string>;
  /** Asks for a secret, which is not shown. */
  secret(question: string): Promise<string>;
  yes(question: string, initial: boolean): Promise<boolean>;
  /** Asks for one of the choices. Resolves to its index; Enter answers `initial`, an index too. */
  choose(question: string, choices: readonly string[], initial: number): Promise<number>;
  /** Rejects with `Stopped` when the user presses Ctrl-C before `work` ends. */
  unlessStopped<T>(work: Promise<T>): Promise<T>;
  close(): void;
}

/** Opens the dialogue on the terminal. Close it at the end. */
export function openSetup(io: Io): Setup {
  const { signal, cwd, stderr } = io.host;
  const dialogue = openDialogue(io.host);
  const out = wrapping(stderr);
  const say = (line: string): void => void out.write(`${harmless(line)}\n`);

  async function unlessStopped<T>(work: Promise<T>): Promise<T> {
    let stop = (): void => {};
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(new Stopped());
    });
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
    try {
      return await Promise.race([work, stopped]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
  const ask = (kind: "ask" | "askHidden", question: string): Promise<string> =>
    unlessStopped(
      dialogue[kind](question).catch((error: unknown) => {
        throw error instanceof Problem ? new Stopped() : error;
      }),
    );

  async function askText(question: string, initial = "", check: (answer: string) => string | undefined = () => undefined) {
    for (;;) {
      const answer = (await ask("ask", `${question}${initial === "" ? "" : ` [${harmless(initial)}]`} `)) || initial;
      const fault = check(answer);
      if (fault === undefined) return answer;
      say(`It must be ${fault}.`);
    }
  }
  return {
    io,
    envFile: settingsFile(io, cwd),
    saved: [],
    say,
    unlessStopped,
    text: askText,
    secret: (question) => ask("askHidden", `${question} `),
    async yes(question, initial) {
      const check = (answer: string) => (/^(y|yes|n|no)$/i.test(answer) ? undefined : "y or n");
      const answer = await askText(`${question} ${initial ? "[Y/n]" : "[y/N]"}`, "", (given) => (given === "" ? undefined : check(given)));
      return answer === "" ? initial : /^y/i.test(answer);
    },
    async choose(question, choices, initial) {
      choices.forEach((choice, at) => {
        say(`  ${at + 1}  ${choice}`);
      });
      const numbers = choices.map((_, at) => String(at + 1));
      const check = (answer: string) => (numbers.includes(answer) ? undefined : `a number from 1 to ${choices.length}`);
      return Number(await askText(question, String(initial + 1), check)) - 1;
    },
    close: () => dialogue.close(),
  };
}

/** `.env` takes precedence over the file of `--config`, so that it also serves beside a JSON file. */
function settingsFile({ global: { config } }: Io, cwd: string): string {
  return config === undefined || config.toLowerCase().endsWith(".json") ? join(cwd, ".env") : resolve(cwd, config);
}
