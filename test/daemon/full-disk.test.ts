import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { startHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder("full-disk");
afterAll(() => folder.remove());

test.skipIf(!existsSync("/dev/full"))(
  "a daemon whose output goes to a file on a full disk goes on, and its log files say what it does",
  async () => {
    const port = String(await freePort());
    const full = openSync("/dev/full", "w");
    const env = { DATA_DIR: folder.path, PORT: port, VISION_EXTRACTION_ENABLED: "false", REID_ENABLED: "false" };
    const daemon = startHomesec(["serve"], env, undefined, full);
    closeSync(full);
    const answers = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually(answers, { timeoutMs: 60_000, what: "an answer of the daemon" });
    daemon.kill("SIGTERM");
    expect(await daemon.exit).toEqual({ code: 0, signal: null });
    const [log = ""] = readdirSync(join(folder.path, "logs"));
    expect(readFileSync(join(folder.path, "logs", log), "utf8")).toContain('"level":"info"');
  },
  90_000,
);
