import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { signalChild } from "../../../src/base/lifecycle/signals.ts";
import { bundled } from "../../support/bundled.ts";

const module = JSON.stringify(await bundled("src/base/lifecycle/signals.ts"));

/** Runs code in a separate process group, so that the group of the tests survives. */
async function run(code: string): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { detached: true, stdio: "ignore" });
  return await new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));
}

test("signal a child: one that could not be started does not end this process", async () => {
  const code = `
    import { spawn } from "node:child_process";
    import { signalChild } from ${module};
    const child = spawn("/nonexistent/tool", []);
    child.once("error", () => process.exit(7));
    signalChild(child, "SIGKILL");`;
  expect(await run(code)).toEqual({ code: 7, signal: null });
});

test("signal a child: a running child gets the signal", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", (_code, signal) => resolve(signal)));
  signalChild(child, "SIGTERM");
  expect(await ended).toBe("SIGTERM");
});
