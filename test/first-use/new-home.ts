import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { Tmux } from "../support/tmux.ts";

const program = join(import.meta.dirname, "../../dist/bin/homesec.js");

/** The shell waits for a command; the sign of root is another one. */
const prompt = /^[$#] ?\s*$(?![\s\S]*\S)/m;

/** A command as a page of docs/ has it, and as it is typed here: with the addresses of the stand-ins. */
export interface Typed {
  readonly line: string;
  /** The questions that it asks, each with what is typed. */
  readonly answers?: readonly (readonly [RegExp, string])[];
  /** Called once the command waits for something outside of the terminal. */
  readonly meanwhile?: readonly [RegExp, () => void] | undefined;
}

/** The machine of a new user: two terminals of 80 x 24 in one folder, with homesec on the path and running in the first. */
export interface NewHome {
  readonly url: string;
  readonly cameraRoot: string;
  /** Types a command into the second terminal, answers its questions and waits for its end. Returns the last screen. */
  type(command: Typed): Promise<string>;
  /** Stops homesec as a person does, and starts it again. */
  restart(): Promise<void>;
  /** Puts `.env` back to what it was at the start. */
  resetSettings(): Promise<void>;
  close(): Promise<void>;
}

/** Opens it. `env` has what these tests need to reach their stand-ins, beside what any user has. Close it at the end. */
export async function newHome(env: Readonly<Record<string, string>> = {}): Promise<NewHome> {
  const folder = temporaryFolder("first-use");
  const [database, port]: [TestDatabase, number] = await Promise.all([testDatabase(), freePort()]);
  const cameraRoot = join(folder.path, "cameras");
  await mkdir(cameraRoot);
  const settings = { PORT: String(port), DATABASE_URL: database.url, DATA_DIR: join(folder.path, "data"), CAMERA_ROOT: cameraRoot };
  const file = join(folder.path, ".env");
  const resetSettings = (): Promise<void> =>
    writeFile(
      file,
      `${Object.entries(settings)
        .map(([name, value]) => `${name}='${value}'\n`)
        .join("")}`,
    );
  await resetSettings();
  const open = async (): Promise<Tmux> => {
    const terminal = await Tmux.open(80, 24, env);
    await terminal.run(`cd '${folder.path}'; homesec() { '${process.execPath}' '${program}' "$@"; }; clear`);
    await terminal.shows(prompt);
    return terminal;
  };
  const [first, second] = await Promise.all([open(), open()]);
  const url = `http://127.0.0.1:${port}`;
  const isReady = async (): Promise<boolean> => (await fetch(`${url}/api/system/health/ready`).catch(() => undefined))?.status === 200;
  const serve = async (): Promise<void> => {
    await first.run("clear; homesec serve");
    await eventually(isReady, { timeoutMs: 60_000, what: "homesec serve" });
  };
  await serve();
  return {
    url,
    cameraRoot,
    resetSettings,
    type: (command) => typeInto(second, command),
    restart: async () => {
      await first.keys("C-c");
      await first.shows(prompt, 60_000);
      await serve();
    },
    close: async () => {
      await first.keys("C-c");
      await first.shows(prompt, 60_000);
      await Promise.all([first.close(), second.close()]);
      await database.close();
      await folder.remove();
    },
  };
}

async function typeInto(terminal: Tmux, { line, answers = [], meanwhile }: Typed): Promise<string> {
  await terminal.run(`clear; ${line}; echo "ended with $?"`);
  const atEnd = (question: RegExp): RegExp => new RegExp(`${question.source}\\s*$`);
  for (const [question, text] of answers) {
    await terminal.shows(atEnd(question), 60_000);
    await terminal.run(text);
    if (!meanwhile) continue;
    const [waits, act] = meanwhile;
    await terminal.shows(waits, 60_000);
    act();
  }
  return await terminal.shows(/ended with 0\s/, 60_000);
}
