import { join } from "node:path";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { type HomesecProcess, serveHomesec } from "../../support/homesec-process.ts";
import { copyIn, renameIn } from "../../support/pictures.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { Tmux, tmuxInstalled } from "../../support/tmux.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../../support/upstream.ts";
import { type Screenshot, Xterm, xtermInstalled } from "../../support/xterm.ts";

const program = join(import.meta.dirname, "../../../dist/bin/homesec.js");

describe.skipIf(!tmuxInstalled)("homesec live in a real terminal (needs tmux)", () => {
  const folder = temporaryFolder("live");
  let database: TestDatabase;
  let upstreams: StandIn[];
  let daemon: HomesecProcess & { readonly url: string };
  let terminal: Tmux;

  const serve = async (port: string): Promise<void> => {
    daemon = await serveHomesec({
      ...{ DATABASE_URL: database.url, DATA_DIR: join(folder.path, "data"), CAMERA_ROOT: join(folder.path, "cameras"), PORT: port },
      ...{ DETECTOR_URL: upstreams[0]?.url ?? "", LANGUAGE_MODEL_URL: upstreams[1]?.url ?? "" },
      ...{ BATCH_WINDOW_SECONDS: "1", BATCH_IDLE_TIMEOUT_SECONDS: "1" },
    });
  };

  beforeAll(async () => {
    [database, ...upstreams] = await Promise.all([testDatabase(), detectorStandIn(), languageModelStandIn()]);
    await serve("0");
    await post("/api/alerts/rules", { name: "Somebody", severity: "high", object_types: ["person"] });
  });
  afterAll(async () => {
    daemon?.kill("SIGTERM");
    await daemon?.exit;
    await Promise.all(upstreams.map((upstream) => upstream.close()));
    await database.close();
    await folder.remove();
  });
  beforeEach(async () => {
    terminal = await Tmux.open(80, 24, { HOMESEC_URL: daemon.url, COLORTERM: "truecolor" });
  });
  afterEach(() => terminal.close());

  async function post(path: string, body: unknown): Promise<unknown> {
    const response = await fetch(`${daemon.url}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.ok).toBe(true);
    return await response.json();
  }

  const live = async (): Promise<void> => {
    await terminal.run(`echo before the view; exec 3>&1; '${process.execPath}' '${program}' live; echo "ended with $?"`);
    await terminal.shows("● connected");
  };

  /** Expects the terminal as it was before the view. */
  const expectRestored = async (code: number): Promise<void> => {
    const screen = await terminal.shows(`ended with ${code}`);
    expect(screen).toContain("before the view");
    expect(screen).not.toContain("homesec live ");
    expect([await terminal.variable("alternate_on"), await terminal.variable("cursor_flag"), await terminal.variable("wrap_flag")]).toEqual(
      ["0", "1", "1"],
    );
    // typed text is visible and works again
    await terminal.run("echo all $((20 + 22)) well");
    await terminal.shows("all 42 well");
  };

  it("live in tmux: follows a picture from the camera to the alert, shows it and acknowledges the alert", async () => {
    await live();
    expect([await terminal.variable("alternate_on"), await terminal.variable("cursor_flag")]).toEqual(["1", "0"]);
    await copyIn(join(folder.path, "cameras", "yard", "a.jpg"));
    await terminal.shows(/yard +online/);
    await terminal.shows(/▸ .*medium 42/);
    await terminal.shows("1 open alert");

    await terminal.keys("Down", "Enter");
    const details = await terminal.shows("explanation");
    // A picture of 34 columns would be a mosaic
    expect(details).not.toContain("▀");
    expect(details).toMatch(/homesec detections image \d+/);
    expect(details.split("\n").length).toBeLessThanOrEqual(25);
    await terminal.resize(120, 40);
    await terminal.shows("▀▀▀▀▀▀▀▀");
    expect(await terminal.screen({ colours: true })).toMatch(/\[38;2;\d+;\d+;\d+m/);
    await terminal.resize(80, 24);
    await terminal.shows(/homesec detections image \d+/);
    await terminal.keys("End");
    await terminal.shows("+ done");
    await terminal.keys("a");
    await terminal.shows("Acknowledge the high alert “Somebody”");
    await terminal.keys("y");
    await terminal.shows("no open alerts");
    await terminal.keys("r", "Home");
    await terminal.shows(/reviewed +yes/);
    await terminal.keys("Escape");
    await terminal.shows("open alerts 0");
    await terminal.keys("q");
    await expectRestored(0);
  });

  it("live in tmux: filters, changes views and follows every size", async () => {
    await live();
    await terminal.keys(":", "sys", "Enter");
    await terminal.shows(/detector +healthy/);
    await terminal.keys("End");
    await terminal.shows("file_watcher");
    await terminal.keys("?");
    await terminal.shows("mark the event as reviewed");
    await terminal.keys("Escape", "/", "nobody-has-this", "Enter");
    await terminal.shows("no cameras match the filter");
    await terminal.keys("Escape");
    await terminal.resize(300, 100);
    const wide = await terminal.shows("log");
    expect(wide.split("\n").some((line) => line.length > 250)).toBe(true);
    await terminal.resize(100, 20);
    const small = await terminal.shows(/^ homesec live(?![\s\S]*what happens)[\s\S]*q quit\s*$/);
    expect(small.split("\n")[0]).toContain("homesec live");
    await terminal.keys("C-c");
    await expectRestored(130);
  });

  it("live in tmux: uses the last column", async () => {
    await live();
    const titles = async () => (await terminal.screen()).split("\n").filter((line) => /^[━─]/.test(line));
    await expect.poll(async () => (await titles()).map((title) => title.length)).toEqual([80, 80, 80]);
    await terminal.keys("q");
    await expectRestored(0);
  });

  it.skipIf(!xtermInstalled)("live in xterm: shows the picture of a camera with its real pixels, by Sixel (needs xterm)", async () => {
    const quarter = (background: string) =>
      sharp({ create: { width: 320, height: 240, channels: 3, background } })
        .png()
        .toBuffer();
    const [red, green, blue, yellow] = await Promise.all(["#c02020", "#20a020", "#2020c0", "#c0c020"].map(quarter));
    const picture = await sharp({ create: { width: 640, height: 480, channels: 3, background: "black" } })
      .composite([
        { input: red, left: 0, top: 0 },
        { input: green, left: 320, top: 0 },
        { input: blue, left: 0, top: 240 },
        { input: yellow, left: 320, top: 240 },
      ])
      .jpeg()
      .toBuffer();
    // the first camera by name is selected
    await renameIn(join(folder.path, "cameras", "attic", "a.jpg"), picture);
    await expect.poll(async () => (await fetch(`${daemon.url}/api/cameras/attic/snapshot`)).ok, { timeout: 15_000 }).toBe(true);
    const xterm = await Xterm.open("210x60", [process.execPath, program, "live"], { HOMESEC_URL: daemon.url });
    try {
      const colours = [
        [192, 32, 32],
        [32, 160, 32],
        [32, 32, 192],
        [192, 192, 32],
      ] as const;
      let places: ReturnType<typeof placesOf>[] = [];
      const isWhole = async () => {
        const shot = await xterm.screenshot();
        places = colours.map((colour) => placesOf(shot, colour));
        return places.every(({ count }) => count > 10_000);
      };
      await expect.poll(isWhole, { timeout: 15_000 }).toBe(true);
      const [first, second, third, fourth] = places.map(({ x, y }) => ({ x, y }));
      if (!first || !second || !third || !fourth) throw new Error("a quarter is missing");
      // the quarters lie as in the picture, which keeps its shape
      const [across, down] = [second.x - first.x, third.y - first.y];
      expect(across / down).toBeCloseTo(4 / 3, 1);
      for (const off of [third.x - first.x, fourth.x - second.x, second.y - first.y, fourth.y - third.y])
        expect(Math.abs(off)).toBeLessThan(12);
      for (const { count } of places) expect(count / (across * down)).toBeGreaterThan(0.8);
      // one pixel of the terminal for one of the picture, not one for a cell
      expect(across).toBeGreaterThan(150);
    } finally {
      await xterm.close();
    }
  });

  it("live in tmux: restores the terminal on SIGTERM", async () => {
    await live();
    process.kill(await terminal.childPid(), "SIGTERM");
    await expectRestored(143);
  });

  it("live in tmux: shows that the daemon was killed, and everything that happened meanwhile after its restart", async () => {
    await live();
    await terminal.shows(/● connected +\w+[\s\S]* cameras \d/);
    const [, port = ""] = /:(\d+)$/.exec(daemon.url) ?? [];
    daemon.kill("SIGKILL");
    await daemon.exit;
    await terminal.shows(/reconnecting \(\d+ s\) +was \w+/);
    await terminal.shows(/cameras \d+, \d+ s old/);
    // Nothing looks as if it were current
    expect((await terminal.screen({ colours: true })).split("\n").slice(1).join("\n")).not.toMatch(/\[(?:[\d;]*;)?3[2356]m/);
    // uploaded while the view was closed
    await copyIn(join(folder.path, "cameras", "garage", "b.jpg"), 1);
    await serve(port);
    await terminal.shows("● connected", 30_000);
    await terminal.shows(/garage +online/);
    await terminal.shows(/medium 42 +! garage/, 30_000);
    // leaving works without the daemon
    daemon.kill("SIGKILL");
    await daemon.exit;
    await terminal.shows(/reconnecting/);
    await terminal.keys("q");
    await expectRestored(0);
    await serve(port);
  }, 120_000);
});

/** The number of pixels of nearly a colour, and their middle. */
function placesOf(
  { width, data }: Screenshot,
  colour: readonly number[],
): { readonly count: number; readonly x: number; readonly y: number } {
  let [count, x, y] = [0, 0, 0];
  for (let at = 0; at < data.length; at += 3) {
    if (colour.some((value, channel) => Math.abs(value - (data[at + channel] ?? 0)) > 12)) continue;
    count += 1;
    x += (at / 3) % width;
    y += Math.floor(at / 3 / width);
  }
  return { count, x: x / count, y: y / count };
}
