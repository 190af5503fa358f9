import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { noServices } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { Tmux, tmuxInstalled } from "../support/tmux.ts";

const program = join(import.meta.dirname, "../../dist/bin/homesec.js");

let folder = temporaryFolder("hang-up");
const terminals: Tmux[] = [];
afterEach(async () => {
  for (const terminal of terminals.splice(0)) await terminal.close().catch(() => {});
  await folder.remove();
  folder = temporaryFolder("hang-up");
});

/** Runs a command in a terminal; `ended` returns how it ended. With `hangup`, the command gets SIGHUP when the terminal closes. */
async function inTerminal(
  args: string,
  { hangup, env = {} }: { readonly hangup: boolean; readonly env?: Readonly<Record<string, string>> },
) {
  const terminal = await Tmux.open(100, 30, env);
  terminals.push(terminal);
  const file = join(folder.path, `end-of-${args.split(" ")[0]}`);
  // The recorder of the exit status ignores SIGHUP. It replaces the terminal's first shell, so that the shell does not
  // pass SIGHUP to the command either.
  const line = `trap '' HUP; node ${program} ${args}; echo "ended with $?" > ${file}`.replaceAll("'", `'\\''`);
  await terminal.run(`${hangup ? "" : "exec "}sh -c '${line}'`);
  const ended = (): Promise<string> => eventually(() => readFileSync(file, "utf8").trim(), { what: `the end of ${args}` });
  return { terminal, file, ended };
}

test.skipIf(!tmuxInstalled)(
  "when the terminal closes, the daemon and the live view stop cleanly",
  async () => {
    const daemon = await inTerminal("serve", { hangup: true, env: { DATA_DIR: folder.path, PORT: "0" } });
    const screen = await daemon.terminal.shows(/API\s+http:\/\/\S+/, 50_000);
    const url = /API\s+(http:\/\/\S+)/.exec(screen)?.[1] as string;
    for (const hangup of [true, false]) {
      const watching = await inTerminal(`live --url ${url}`, { hangup });
      await watching.terminal.shows("● connected", 30_000);
      await watching.terminal.close();
      expect(await watching.ended()).toBe("ended with 129");
      await rm(watching.file);
    }
    await daemon.terminal.close();
    expect(await daemon.ended()).toBe("ended with 0");
    expect(existsSync(join(folder.path, "homesec.pid"))).toBe(false);
  },
  90_000,
);

test.skipIf(!tmuxInstalled)(
  "a second SIGHUP, which the shell sends after that of the terminal, does not cut the stop short",
  async () => {
    const daemon = await inTerminal("serve", { hangup: true, env: { DATA_DIR: folder.path, PORT: "0" } });
    await daemon.terminal.shows(/API\s+http:\/\/\S+/, 50_000);
    const pid = Number(readFileSync(join(folder.path, "homesec.pid"), "utf8").split(/\s/)[0]);
    for (let at = 0; at < 20; at += 1) {
      try {
        process.kill(pid, "SIGHUP");
      } catch {
        break; // it has ended
      }
      await sleep(20);
    }
    expect(await daemon.ended()).toBe("ended with 0");
    expect(existsSync(join(folder.path, "homesec.pid"))).toBe(false);
  },
  90_000,
);

test("a daemon that was started without a terminal keeps running", async () => {
  const daemon = await serveHomesec({ ...noServices, DATA_DIR: folder.path });
  daemon.kill("SIGHUP");
  expect((await fetch(`${daemon.url}/health`)).status).toBe(200);
  daemon.kill("SIGTERM");
  expect(await daemon.exit).toEqual({ code: 0, signal: null });
});
