import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, it } from "vitest";
import { releases } from "../../releases/fixture.ts";
import { cli } from "../../support/cli.ts";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { type MailServer, mailServer } from "../../support/mail-server.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { detectorStandIn } from "../../support/upstream.ts";

const run = promisify(execFile);
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

function folderHere(): string {
  const folder = temporaryFolder("another-home");
  ends.push(() => folder.remove());
  return folder.path;
}

async function databaseHere(): Promise<TestDatabase> {
  const database = await testDatabase();
  ends.push(() => database.close());
  return database;
}

const until = (check: () => Promise<unknown>) =>
  eventually(
    async () => {
      await check();
      return true;
    },
    { timeoutMs: 30_000 },
  );

interface Place {
  readonly database: TestDatabase;
  readonly cameraRoot: string;
  readonly extraRoot: string;
}

/** A homesec that detects a person in each picture and sends mails through this server. */
async function homesec({ database, cameraRoot, extraRoot }: Place, mail: Pick<MailServer, "port">): Promise<TestDaemon> {
  const detector = await detectorStandIn();
  ends.push(() => detector.close());
  const daemon = await testDaemon({
    env: {
      ...{ DATABASE_URL: database.url, CAMERA_ROOT: cameraRoot, CAMERA_EXTRA_ROOTS: extraRoot, DETECTOR_URL: detector.url },
      ...{ BATCH_WINDOW_SECONDS: "2", BATCH_IDLE_TIMEOUT_SECONDS: "1", SMTP_HOST: "127.0.0.1", SMTP_PORT: String(mail.port) },
      ...{ SMTP_FROM_ADDRESS: "homesec@example.org", DEFAULT_EMAIL_RECIPIENTS: "me@example.org" },
    },
  });
  ends.push(() => daemon.stop());
  return daemon;
}

// biome-ignore lint/suspicious/noExplicitAny: replies of any route
async function ask(daemon: TestDaemon, path: string, body?: object): Promise<any> {
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${daemon.url}${path}`, body && { method: "POST", headers, body: JSON.stringify(body) });
  expect(reply.ok, await reply.clone().text()).toBe(true);
  return await reply.json();
}

const eventsOf = async (daemon: TestDaemon): Promise<readonly { id: number; camera_id: string }[]> =>
  (await ask(daemon, "/api/events?limit=100")).items;

it("restore: on another machine with another CAMERA_ROOT nothing is repeated, and only what happens then is alerted", {
  timeout: 120_000,
}, async () => {
  const folder = folderHere();
  const extraRoot = join(folder, "extra");
  const old: Place = { database: await databaseHere(), cameraRoot: join(folder, "old"), extraRoot };
  const there: Place = { database: await databaseHere(), cameraRoot: join(folder, "new home/cameras"), extraRoot };
  const command = (place: Place, ...args: string[]) =>
    cli(args, {
      env: {
        ...{
          DATABASE_URL: place.database.url,
          DATA_DIR: join(folder, "data"),
          CAMERA_ROOT: place.cameraRoot,
          CAMERA_EXTRA_ROOTS: extraRoot,
        },
      },
      cwd: folder,
    });

  const oldMail = await mailServer();
  let daemon = await homesec(old, oldMail);
  await ask(daemon, "/api/alerts/rules", { name: "Anybody", severity: "high", cooldown_seconds: 0, channels: ["email"] });
  const upload = async (place: Place, path: string) => await renameIn(join(place.cameraRoot, path), await uniqueJpeg());
  await upload(old, "Front door/1.jpg");
  await renameIn(join(extraRoot, "shed/1.jpg"), await uniqueJpeg());
  await ask(daemon, "/api/cameras", { name: "Shed", folder_path: join(extraRoot, "shed") });
  await until(async () => expect(oldMail.mails).toHaveLength(2));
  await until(async () => expect((await ask(daemon, "/api/alerts?status=delivered")).items).toHaveLength(2));
  await oldMail.close();
  await upload(old, "Front door/2.jpg");
  await until(async () => expect((await ask(daemon, "/api/alerts?status=pending")).items).toHaveLength(1));
  const cameras = (await ask(daemon, "/api/cameras")).cameras as { camera_id: string; folder_path: string }[];
  const events = await eventsOf(daemon);
  const backup = join(folder, "home.backup");
  expect(await command(old, "db", "backup", backup)).toMatchObject({ code: 0 });
  await daemon.stop();
  // Uploaded after the backup
  await upload(old, "Front door/3.jpg");
  await run("mkdir", ["-p", join(folder, "new home")]);
  await run("cp", ["-a", old.cameraRoot, there.cameraRoot]);

  const restored = await command(there, "db", "restore", backup);
  expect(restored, restored.err).toMatchObject({ code: 0 });
  expect(restored.out).toContain(`they were in ${old.cameraRoot}`);
  expect(restored.err).toContain("1 outstanding message is held back");
  expect(restored.err).not.toContain("--former-camera-root");

  const mail = await mailServer();
  ends.push(() => mail.close());
  daemon = await homesec(there, mail);
  // The picture from after the backup is history, too
  await until(async () => expect(await eventsOf(daemon)).toHaveLength(events.length + 1));
  const moved = cameras.map((camera) => camera.folder_path.replace(old.cameraRoot, there.cameraRoot));
  expect(((await ask(daemon, "/api/cameras")).cameras as typeof cameras).map(({ folder_path }) => folder_path)).toEqual(moved);
  expect((await ask(daemon, "/api/cameras")).count).toBe(2);
  expect((await ask(daemon, "/api/images?limit=100")).pagination.total).toBe(4);
  const [late] = await eventsOf(daemon);
  await until(async () => {
    const { out } = await command(there, "--direct", "explain", "event", String(late?.id));
    expect(out).toContain("it was over before the database was restored");
  });
  for (const { id } of events) {
    const { detections } = await ask(daemon, `/api/events/${id}`);
    const reply = await fetch(`${daemon.url}/api/detections/${detections[0].id}/thumbnail`);
    expect(reply.status).toBe(200);
    expect(detections[0].file_path).toContain(detections[0].camera_id === "shed" ? extraRoot : there.cameraRoot);
  }
  expect(mail.mails).toHaveLength(0);

  await upload(there, "Front door/4.jpg");
  await until(async () => expect(mail.mails).toHaveLength(1));
  expect(await command(there, "--direct", "dlq", "requeue", "deliver")).toMatchObject({ code: 0 });
  await until(async () => expect(mail.mails).toHaveLength(2));
  expect(await eventsOf(daemon)).toHaveLength(events.length + 2);
});

it("restore: the cameras of a backup of an older version get the same folders below CAMERA_ROOT", async () => {
  const folder = folderHere();
  for (const release of releases) {
    const database = await databaseHere();
    const env = { DATABASE_URL: database.url, DATA_DIR: join(folder, "data"), CAMERA_ROOT: join(folder, "new") };
    const restored = await cli(["db", "restore", release.backup], { env, cwd: folder });
    expect(restored, restored.err).toMatchObject({ code: 0 });
    const { out } = await cli(["--direct", "cameras", "list", "-o", "json"], { env, cwd: folder });
    const listed = JSON.parse(out) as { cameras: { folder_path: string }[] };
    expect(listed.cameras.length).toBeGreaterThan(0);
    const inRoot = listed.cameras.filter(({ folder_path }) => !folder_path.startsWith("/nowhere/"));
    for (const camera of inRoot) expect(camera.folder_path).toContain(join(folder, "new/"));
  }
});

it("restore: on a terminal it says what the backup is and what it replaces, and asks what to send", async () => {
  const folder = folderHere();
  const [from, to] = [await databaseHere(), await databaseHere()];
  await from.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/srv/old/yard')`);
  await to.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('gate', 'Gate', 'gate')`);
  const command = (database: TestDatabase, root: string, input: string | undefined, ...args: string[]) => {
    const env = { DATABASE_URL: database.url, DATA_DIR: join(folder, "data"), CAMERA_ROOT: root };
    return cli(args, { env, cwd: folder, ...(input !== undefined && { terminal: 200, input }) });
  };
  await command(from, "/srv/old", undefined, "db", "backup", "home.backup");
  const restore = (input: string, ...more: string[]) => command(to, join(folder, "new"), input, "db", "restore", "home.backup", ...more);
  const declined = await restore("n\n");
  expect(declined).toMatchObject({ code: 2, err: expect.stringContaining("nothing was changed") });
  expect(declined.err).toMatch(
    /home\.backup was made just now \(.*\) on the machine .* by homesec 1\.2\.3, with its cameras in \/srv\/old\./,
  );
  expect(declined.err).toContain(`Here the cameras are in ${join(folder, "new")}, in folders of the same names.`);
  expect(declined.err).toContain("It replaces all data here: 1 camera and 0 events.");
  const held = await restore("y\n\n");
  expect(held).toMatchObject({ code: 0 });
  expect(held.err).toContain("Send the messages that were outstanding then");
  const holds = () => to.db.query((sql) => sql`select from restores`);
  expect(await holds()).toHaveLength(1);
  expect(await restore("y\ny\n")).toMatchObject({ code: 0 });
  expect(await holds()).toHaveLength(0);
  const unasked = await restore("", "--yes", "--send-outstanding");
  expect(unasked).toMatchObject({ code: 0 });
  expect(unasked.err).not.toContain("[y/N]");
  expect(await holds()).toHaveLength(0);
});
