import { type ChildProcess, execFile, type SpawnOptions, spawn } from "node:child_process";

/** The user that runs a program; without ids the current one. */
export interface Person {
  readonly name: string;
  readonly ids: { readonly uid: number; readonly gid: number } | undefined;
}

/** Users that try an installation: the one who runs the test, and for root also the user with the fewest rights. */
export const people: readonly Person[] = [
  { name: "the current user", ids: undefined },
  ...(process.getuid?.() === 0 ? [{ name: "nobody", ids: { uid: 65_534, gid: 65_534 } }] : []),
];

export interface ShellOptions {
  readonly person: Person;
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Words in front of each command that carry it into another network. */
  readonly inside?: (cwd: string) => readonly string[];
}

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A started program; `said` has all that it has printed. */
export interface Started {
  readonly said: () => string;
  /** Ends it as a service manager does, and resolves with its exit code. */
  stop(): Promise<number | null>;
}

/** Runs programs as a person would in a terminal. */
export class Shell {
  readonly #options: ShellOptions;

  constructor(options: ShellOptions) {
    this.#options = options;
  }

  /** Runs a program to its end, for at most nine minutes: that is less than a test may take, and enough for npm on a busy machine. */
  run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    const [file, words, options] = this.#command(program, args, env);
    return new Promise((resolve) => {
      execFile(file, words, { ...options, maxBuffer: 10_000_000, timeout: 540_000 }, (error, out, err) => {
        resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, out, err });
      });
    });
  }

  /** Starts a program that keeps running. */
  start(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
    const [file, words, options] = this.#command(program, args, env);
    const child = spawn(file, words, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text: Buffer) => (said += text.toString()));
    return {
      said: () => said,
      stop: () => {
        child.kill("SIGTERM");
        return endOf(child);
      },
    };
  }

  #command(program: string, args: readonly string[], more: Readonly<Record<string, string>>): [string, string[], SpawnOptions] {
    const { person, cwd, env, inside = () => [] } = this.#options;
    const options = { cwd, env: { ...env, ...more } };
    const entering = inside(cwd);
    if (entering.length === 0) return [program, [...args], { ...options, ...person.ids }];
    // Only root may enter the network, so the user changes behind that
    const user = person.ids ? ["setpriv", `--reuid=${person.ids.uid}`, `--regid=${person.ids.gid}`, "--clear-groups", "--"] : [];
    const [file = program, ...words] = [...entering, ...user, program, ...args];
    return [file, words, options];
  }
}

function endOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once("exit", (code) => resolve(code)));
}

/** Asks again until the answer is yes; throws after 90 s. */
export async function until(ask: () => Promise<boolean>, what: string): Promise<void> {
  for (const giveUpAt = performance.now() + 90_000; !(await ask()); ) {
    if (performance.now() > giveUpAt) throw new Error(`no ${what} within 90 s`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
