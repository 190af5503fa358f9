import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cli } from "../support/cli.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { freePort } from "../support/free-port.ts";
import { type HomesecProcess, startHomesec } from "../support/homesec-process.ts";
import { mailServer } from "../support/mail-server.ts";
import { gotifyServer, pushoverServer } from "../support/phones/services.ts";
import { receiver } from "../support/receiver.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { Tmux, tmuxInstalled } from "../support/tmux.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../support/upstream.ts";

const program = join(import.meta.dirname, "../../dist/bin/homesec.js");
const hint = /No mail, chat or phone gets your alerts yet\. To get the first one: homesec setup --url/;

it("setup: exits with the usage code without a terminal and names the commands that do the same", async () => {
  const { code, out, err } = await cli(["setup"]);
  expect([code, out]).toEqual([2, ""]);
  for (const command of ["cameras add", "webhooks add", "rules add", "notifications test"]) expect(err).toContain(`homesec ${command}`);
});

describe.skipIf(!tmuxInstalled)("homesec setup in a real terminal (needs tmux)", () => {
  const login = { user: "me@example.org", password: "right #1 pass" };
  let folder: ReturnType<typeof temporaryFolder>;
  let database: TestDatabase;
  let upstreams: StandIn[];
  let port: number;
  let daemon: HomesecProcess | undefined;
  let terminal: Tmux;

  beforeEach(async () => {
    folder = temporaryFolder("setup");
    [database, port, ...upstreams] = await Promise.all([testDatabase(), freePort(), detectorStandIn(), languageModelStandIn()]);
    terminal = await Tmux.open(80, 24, { PORT: String(port), DATA_DIR: join(folder.path, "data") });
    await terminal.run(`cd '${folder.path}'`);
  });
  afterEach(async () => {
    await terminal.close();
    daemon?.kill("SIGTERM");
    await daemon?.exit;
    daemon = undefined;
    await Promise.all([database, ...upstreams].map((each) => each.close()));
    await folder.remove();
  });

  /** Starts the daemon in the folder, where it reads and watches `.env`. */
  async function serve(): Promise<void> {
    const env = {
      ...{ DATABASE_URL: database.url, DATA_DIR: join(folder.path, "data"), PORT: String(port), LOG_FORMAT: "json" },
      ...{ DETECTOR_URL: upstreams[0]?.url ?? "", LANGUAGE_MODEL_URL: upstreams[1]?.url ?? "" },
      ...{ VISION_EXTRACTION_ENABLED: "false", REID_ENABLED: "false" },
    };
    daemon = startHomesec(["serve"], env, folder.path);
    await daemon.printed(/What to do next:[\s\S]*health .*\n/, 120_000);
  }
  const setup = (): Promise<void> => terminal.run(`clear; '${process.execPath}' '${program}' setup; echo "ended with $?"`);
  /** Waits for a question at the end of the screen and answers it. */
  async function answer(question: RegExp, text: string): Promise<string> {
    const screen = await terminal.shows(new RegExp(`${question.source}\\s*$`), 40_000);
    await terminal.run(text);
    return screen;
  }
  const get = async (path: string): Promise<unknown> => (await fetch(`http://127.0.0.1:${port}/api/${path}`)).json();
  const envFile = (): Promise<string> => readFile(join(folder.path, ".env"), "utf8");
  const everything = async () => ({
    file: await envFile(),
    changed: (await stat(join(folder.path, ".env"))).mtimeMs,
    cameras: ((await get("cameras")) as { cameras: { camera_id: string; updated_at: string }[] }).cameras.map(
      ({ camera_id, folder_path }: { camera_id: string; folder_path?: string }) => [camera_id, folder_path],
    ),
    rules: await get("alerts/rules"),
    webhooks: await get("outbound-webhooks"),
  });

  it("setup: leads from nothing to a test mail, shows the answer to a wrong password, and a second run changes nothing", async () => {
    const server = await mailServer({ tls: "offered", login });
    await writeFile(join(folder.path, ".env"), "# my settings\nRETENTION_DAYS=14   # two weeks\n", { mode: 0o644 });
    await setup();
    const first = await answer(/Which folder\? \[[^\]]*\]/, join(folder.path, "uploads"));
    expect(first).toContain(`No homesec daemon answers at http://127.0.0.1:${port}`);
    await terminal.shows("Waiting for it");
    await serve();
    expect(daemon?.output()).toMatch(hint);

    await answer(/Add a camera\? \[Y\/n\]/, "");
    await answer(/Name, such as Front door .*\?/, "Yard");
    await answer(/Upload folder .*\?/, "");
    const added = await answer(/Add another camera\? \[y\/N\]/, "y");
    expect(added.replaceAll("\n", "")).toContain(join(folder.path, "uploads", "yard"));
    await answer(/Name, such as Front door .*\?/, "Yard");
    await answer(/Upload folder .*\?/, "");
    const taken = await answer(/Name, such as Front door .*\?/, "");
    expect(taken).toContain("Not added: ");
    await answer(/Add another camera\? \[y\/N\]/, "");

    await answer(/How do you want to get alerts\? \[1\]/, "1");
    await answer(/SMTP server, such as smtp.example.com\?/, "127.0.0.1 x");
    expect(await answer(/SMTP server, such as smtp.example.com\?/, "127.0.0.1")).toContain("It must be a host name or an IP address.");
    await answer(/Port .*\? \[587\]/, String(server.port));
    await answer(/User name .*\?/, login.user);
    await answer(/Password, often an app password \(not shown\)\?/, "wrong-pass");
    await answer(/Sender address\? \[me@example.org\]/, "Home <home@example.org>");
    await answer(/Recipients, separated by commas\? \[home@example.org\]/, "me@example.org, you@example.org");
    await answer(/Set up more\? \[4\]/, "");
    await answer(/What do you want alerts about\? \[1\]/, "2");
    await answer(/Add another rule\? .* \[6\]/, "2");
    expect(await answer(/Add another rule\? .* \[6\]/, "")).toContain("The rule Person at night has these conditions already.");
    await answer(/Send a test message now\? \[Y\/n\]/, "");
    expect(await answer(/What now\? \[3\]/, "3")).toMatch(/FAILED\. [\s\S]*535/);
    await answer(/SMTP server, such as smtp.example.com\? \[127.0.0.1\]/, "");
    await answer(/Port .*\? \[\d+\]/, "");
    await answer(/User name .*\? \[me@example.org\]/, "");
    await answer(/Password, .*; Enter keeps the present one\)\?/, login.password);
    await answer(/Sender address\? \[Home <home@example.org>\]/, "");
    await answer(/Recipients, separated by commas\? \[.*\]/, "");
    const end = await terminal.shows("ended with 0", 40_000);
    expect(end).toMatch(/Sent\. [\s\S]*accepted for me@example\.org, you@example\.org/);
    expect(end.replaceAll(/\s+/g, " ")).toContain(`Saved: CAMERA_ROOT in ${folder.path}/.env; camera yard; the mail settings in`);
    expect(server.mails.map(({ to }) => to)).toEqual([["me@example.org", "you@example.org"]]);
    expect(await terminal.screen()).not.toMatch(/right #1|wrong-pass/);

    expect((await envFile()).split("\n")).toEqual([
      ...["# my settings", "RETENTION_DAYS=14   # two weeks", `CAMERA_ROOT=${join(folder.path, "uploads")}`, "SMTP_HOST=127.0.0.1"],
      ...[`SMTP_PORT=${server.port}`, "SMTP_USER=me@example.org", "SMTP_PASSWORD='right #1 pass'"],
      ...["SMTP_FROM_ADDRESS='Home <home@example.org>'", "DEFAULT_EMAIL_RECIPIENTS=me@example.org,you@example.org", ""],
    ]);
    expect((await stat(join(folder.path, ".env"))).mode & 0o777).toBe(0o600);
    expect(await get("alerts/rules")).toMatchObject({
      items: [{ name: "Person at night", object_types: ["person"], channels: ["email"], schedule: { start_time: "22:00" } }],
    });

    const before = await everything();
    await setup();
    await answer(/Add another camera\? \[y\/N\]/, "");
    await answer(/Set up more\? \[4\]/, "1");
    for (const question of [/SMTP server, .*/, /Port .*/, /User name .*/, /Password, .*/, /Sender address.*/, /Recipients.*/])
      await answer(question, "");
    expect(await answer(/Set up more\? \[4\]/, "")).toContain("The mail settings stay as they are.");
    await answer(/Add another rule\? .* \[6\]/, "");
    await answer(/Send a test message now\? \[y\/N\]/, "");
    expect(await terminal.shows("ended with 0")).toContain("Done. Nothing was changed.");
    expect(await everything()).toEqual(before);
    await server.close();
  }, 240_000);

  /** A channel whose token is too short at first, and then of another application. */
  async function channelWithWrongAnswers(): Promise<void> {
    const keys = { token: "a".repeat(30), user: "u".repeat(30) };
    const pushover = await pushoverServer(keys);
    const token = /Token of the application \(not shown\):/;
    await terminal.run(`clear; '${process.execPath}' '${program}' channels add pushover --server ${pushover.url}; echo "ended with $?"`);
    await answer(token, "short");
    await answer(/User key \(not shown\):/, keys.user);
    expect(await terminal.shows(/Not accepted[\s\S]*not shown\):\s*$/)).toContain("Must be 30 letters and\ndigits");
    await answer(token, "b".repeat(30));
    await answer(/Enter the settings again\? \[Y\/n\]/, "");
    await answer(token, keys.token);
    await answer(/User key \(not shown\):/, keys.user);
    await answer(/Did the message arrive\? \[Y\/n\]/, "");
    expect(await terminal.shows("ended with 0")).toContain("rules send to it with --channels push");
    expect(pushover.messages.map(({ picture }) => picture !== undefined)).toEqual([true]);
    await pushover.close();
  }

  it("setup: adds a chat once, shows its answer and corrects the address; Ctrl-C says what was saved", async () => {
    const gotify = await gotifyServer("right-token");
    const chat = await receiver(({ path }) => (path === "/hook/right" ? { status: 200 } : { status: 404, body: "no_such_hook" }));
    await writeFile(join(folder.path, ".env"), "");
    await serve();
    const start = async (): Promise<void> => {
      await setup();
      await answer(/Add .*camera\? .*/, "n");
    };
    await start();
    await answer(/How do you want to get alerts\? \[1\]/, "1");
    await answer(/SMTP server, .*\?/, "");
    await answer(/How do you want to get alerts\? \[1\]/, "2");
    await answer(/Which chat\? \[1\]/, "1");
    await answer(/Address \(not shown; .*\)\?/, "not an address");
    await terminal.shows("Not accepted: ");
    await answer(/Address \(not shown; .*\)\?/, `${chat.url}/wrong`);
    await answer(/Set up more\? \[4\]/, "3");
    await answer(/Which service\? \[1\]/, "4");
    await answer(/Address of the server .*\?/, gotify.url);
    await answer(/Token of the application \(not shown; .*\)\?/, "right-token");
    const added = await answer(/Set up more\? \[4\]/, "");
    expect(added).toContain("Added as the channel Gotify.");
    expect(added).toContain("Gotify: channel Gotify");
    await answer(/What do you want alerts about\? \[1\]/, "");
    await answer(/Add another rule\? .* \[6\]/, "");
    await answer(/Send a test message now\? \[Y\/n\]/, "");
    expect(await answer(/What now\? \[3\]/, "3")).toMatch(/FAILED\. [\s\S]*404/);
    await answer(/Address \(not shown; .*\)\?/, `${chat.url}/right`);
    expect(await terminal.shows("ended with 0", 40_000)).toContain("Sent. Slack: accepted with 200");
    expect(chat.received.map(({ path }) => path)).toEqual(["/hook/wrong", "/hook/right"]);
    expect(gotify.messages).toHaveLength(1);
    expect(await get("outbound-webhooks")).toMatchObject({
      total: 1,
      webhooks: [{ name: "Slack", url: `${chat.url}/right`, event_types: ["alert_fired"], integration_type: "chat_blocks" }],
    });

    const before = await everything();
    await start();
    await answer(/Set up more\? \[4\]/, "2");
    await answer(/Which chat\? \[1\]/, "5");
    await answer(/Address \(not shown; .*\)\?/, `${chat.url}/right`);
    expect(await answer(/Set up more\? \[4\]/, "1")).toContain("The webhook Slack has this address already.");
    await answer(/SMTP server, .*/, "mail.example.org");
    await answer(/Port .*/, "");
    await answer(/User name .*/, "me");
    await terminal.shows(/Password, .*\?\s*$/);
    await terminal.keys("half-a-secret", "C-c");
    const stopped = await terminal.shows("ended with 130");
    expect(stopped).toContain("Stopped. Nothing was changed.");
    expect(stopped).not.toContain("half-a-secret");
    expect(await everything()).toEqual(before);
    // typed text is visible again
    await terminal.run("echo all $((20 + 22)) well");
    await terminal.shows(/[$#] echo all [\s\S]*all 42 well/);

    await channelWithWrongAnswers();

    await setup();
    await answer(/Add .*camera\? .*/, "y");
    await answer(/Name, such as Front door .*\?/, "Garage");
    await answer(/Upload folder .*\?/, "");
    await terminal.shows(/Add another camera\? \[y\/N\]\s*$/);
    await terminal.keys("C-c");
    expect(await terminal.shows("ended with 130")).toContain("Stopped. Saved: camera garage.");
    await setup();
    await terminal.shows(/Add another camera\? \[y\/N\]\s*$/);
    await terminal.keys("C-d");
    expect(await terminal.shows("ended with 130")).toContain("Stopped. Nothing was changed.");
    await Promise.all([chat.close(), gotify.close()]);
  }, 240_000);
});
