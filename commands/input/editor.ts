import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Problem } from "../../src/contract/problem.ts";
import type { Host } from "../host.ts";

/** A text in a temporary file that only its owner can read. */
export interface Draft {
  readonly file: string;
  /** Opens the editor. Resolves to the text, or to undefined if it did not change. Throws `Problem("invalid")` if the editor fails. */
  edit(): Promise<string | undefined>;
  /** Removes the file. */
  discard(): Promise<void>;
}

/** Creates a draft for the editor in VISUAL or EDITOR, or vi. */
export async function openDraft({ env }: Host, name: string, text: string): Promise<Draft> {
  const file = join(await mkdtemp(join(tmpdir(), "homesec-")), name);
  await writeFile(file, text, { mode: 0o600 });
  const editor = env["VISUAL"] || env["EDITOR"] || "vi";
  const discard = () => rm(dirname(file), { recursive: true, force: true });
  return {
    file,
    discard,
    async edit() {
      const exit = await run(editor, file, env);
      if (exit !== 0) {
        await discard();
        throw new Problem("invalid", `the editor ${editor} failed (${exit}), nothing was changed; set EDITOR to use another one`);
      }
      const written = await readFile(file, "utf8");
      return written === text ? undefined : written;
    },
  };
}

/** Runs the editor in a shell, since `editor` may have arguments, as in `code --wait`. */
function run(editor: string, file: string, env: Host["env"]): Promise<number | string | null> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit", env: { ...env } });
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
}
