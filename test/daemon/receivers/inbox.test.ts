import { link, mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createInbox, type Inbox } from "../../../daemon/receivers/inbox.ts";
import { safeName } from "../../../daemon/receivers/safe-name.ts";
import type { KnownLogin } from "../../../src/monitoring/receivers/logins-repository.ts";
import { temporaryFolder } from "../../support/temporary.ts";

let folder: ReturnType<typeof temporaryFolder>;
let camera: string;
let login: KnownLogin;
let inbox: Inbox;

beforeEach(async () => {
  folder = temporaryFolder("inbox");
  camera = join(folder.path, "porch");
  await mkdir(camera);
  login = {
    cameraId: "porch",
    cameraName: "Porch",
    folderPath: camera,
    protocol: "ftp",
    username: "porch",
    hash: Buffer.alloc(32),
    mailRules: [],
    unmatchedCameraId: null,
  };
  inbox = createInbox({ roots: [folder.path], mostBytes: 1_000 });
});
afterEach(() => folder.remove());

const deliver = async (text: string, name: string, folders: readonly string[] = []): Promise<string> => {
  const upload = await inbox.begin(login);
  await upload.write(Buffer.from(text));
  return await upload.finish(name, folders);
};
const visible = async (): Promise<readonly string[]> =>
  (await readdir(camera, { recursive: true })).filter((name) => !name.startsWith(".")).sort();

it("inbox: a file appears whole under its name, and an equal name gets a number", async () => {
  const upload = await inbox.begin(login);
  await upload.write(Buffer.from("first "));
  expect(await visible()).toEqual([]);
  await upload.write(Buffer.from("part"));
  expect(await upload.finish("a.jpg")).toBe(join(camera, "a.jpg"));
  expect(await deliver("second", "a.jpg")).toBe(join(camera, "a-2.jpg"));
  expect(await visible()).toEqual(["a-2.jpg", "a.jpg"]);
  expect(await readFile(join(camera, "a.jpg"), "utf8")).toBe("first part");
  expect(await readdir(join(camera, ".homesec-uploads"))).toEqual([]);
});

it("inbox: a camera may use one name for all of its files", async () => {
  for (let number = 0; number < 104; number += 1) await deliver(`picture ${number}`, "snap.jpg");
  const names = await visible();
  expect(names).toHaveLength(104);
  expect(names).toEqual(expect.arrayContaining(["snap.jpg", "snap-2.jpg", "snap-99.jpg"]));
  expect(names.filter((name) => /^snap-[a-z]{8}\.jpg$/.test(name))).toHaveLength(5);
});

it("inbox: a file that the camera sends again is stored once, under its name or a numbered one", async () => {
  const send = async (text: string): Promise<string> => {
    const upload = await inbox.begin(login);
    await upload.write(Buffer.from(text));
    return await upload.finish("a.jpg", [], true);
  };
  const paths = [await send("first"), await send("other"), await send("other"), await send("first"), await send("longer")];
  expect(paths).toEqual(["a.jpg", "a-2.jpg", "a-2.jpg", "a.jpg", "a-3.jpg"].map((name) => join(camera, name)));
  expect(await visible()).toEqual(["a-2.jpg", "a-3.jpg", "a.jpg"]);
  expect(await readdir(join(camera, ".homesec-uploads"))).toEqual([]);
});

it("inbox: a path that the camera may not use is refused and leaves nothing, and numbers keep a name usable", async () => {
  const onlyEnds = (_camera: unknown, path: string) => (path.endsWith("_01.jpg") ? undefined : `not ${path}`);
  inbox = createInbox({ roots: [folder.path], mostBytes: 1_000, refusalOf: onlyEnds });
  await expect(deliver("first", "a.jpg", ["day"])).rejects.toMatchObject({ kind: "permanent", message: "not day/a.jpg" });
  expect(await visible()).toEqual([]);
  for (const text of ["first", "second"]) await deliver(text, "a_01.jpg");
  expect(await visible()).toEqual(["2-a_01.jpg", "a_01.jpg"]);
  await expect(inbox.rename(login, join(camera, "a_01.jpg"), "b.jpg", [])).rejects.toMatchObject({ message: "not b.jpg" });
  const upload = await inbox.begin(login);
  await upload.write(Buffer.from("third"));
  const held = await upload.hold("c.jpg");
  await expect(held.finish("c2.jpg")).rejects.toMatchObject({ message: "not c2.jpg" });
  await held.finish();
  expect(await visible()).toEqual(["2-a_01.jpg", "a_01.jpg", "c.jpg"]);
});

it("inbox: a discarded file leaves nothing behind, and so does one that is too large", async () => {
  const upload = await inbox.begin(login);
  await upload.write(Buffer.from("half"));
  await upload.discard();
  const large = await inbox.begin(login);
  await expect(large.write(Buffer.alloc(1_001))).rejects.toMatchObject({ kind: "too_large" });
  await large.discard();
  expect(await visible()).toEqual([]);
  expect(await readdir(join(camera, ".homesec-uploads"))).toEqual([]);
});

it("inbox: parts that a killed daemon left are removed, and those in use are not", async () => {
  const upload = await inbox.begin(login);
  await upload.write(Buffer.from("half"));
  const parts = join(camera, ".homesec-uploads");
  await writeFile(join(parts, "of-another-run.part"), "half");
  await inbox.removeLeftovers(login, false);
  expect(await readdir(parts)).toHaveLength(2);
  await inbox.removeLeftovers(login, true);
  expect(await readdir(parts)).toHaveLength(1);
  await upload.discard();
  expect(await readdir(parts)).toEqual([]);
});

it("inbox: a file on hold gets its name later, or its default name after a kill", async () => {
  const hold = async (text: string, name: string) => {
    const upload = await inbox.begin(login);
    await upload.write(Buffer.from(text));
    return await upload.hold(name, ["day"]);
  };
  const named = await hold("1", "a.jpg");
  await hold("2", "b.jpg");
  await hold("3", "c.jpg");
  const discarded = await hold("4", "d.jpg");
  expect(await visible()).toEqual([]);
  expect(await named.finish("final.jpg", ["other"])).toBe(join(camera, "other/final.jpg"));
  await discarded.discard();
  // a kill between the two steps of a move leaves both names
  const [left] = (await readdir(camera, { recursive: true })).filter((name) => name.endsWith("c.jpg"));
  await link(join(camera, left ?? ""), join(camera, "c.jpg"));
  const parts = join(camera, ".homesec-uploads");
  for (const name of await readdir(parts)) await rename(join(parts, name), join(parts, `of-another-run-${name}`));
  await inbox.removeLeftovers(login, true);
  expect(await visible()).toEqual(["c.jpg", "day", "day/b.jpg", "other", "other/final.jpg"]);
  expect(await readdir(join(camera, ".homesec-uploads"))).toEqual([]);
});

it("inbox: a delivered file can be renamed, replaces none, and may be gone", async () => {
  const path = await deliver("1", "a.jpg");
  await deliver("2", "b.jpg");
  expect(await inbox.rename(login, path, "b.jpg", [])).toBe(join(camera, "b-2.jpg"));
  expect(await inbox.rename(login, path, "c.jpg", [])).toBe(path);
  expect(await visible()).toEqual(["b-2.jpg", "b.jpg"]);
  expect(await inbox.hasFolder(login, ["b.jpg"])).toBe(false);
  expect(await inbox.hasFolder(login, ["nowhere"])).toBe(false);
  expect(await inbox.hasFolder(login, [])).toBe(true);
});

it("inbox: folders of the camera are created, and none leads out of its folder", async () => {
  expect(await deliver("a", "1.jpg", ["2026-01-31", "am"])).toBe(join(camera, "2026-01-31/am/1.jpg"));
  expect(await deliver("b", "../../2.jpg", ["..", ".ssh"])).toBe(join(camera, "picture/ssh/_.._2.jpg"));
  await mkdir(join(folder.path, "elsewhere"));
  await symlink(join(folder.path, "elsewhere"), join(camera, "link"));
  await expect(deliver("c", "3.jpg", ["link"])).rejects.toMatchObject({ kind: "permanent" });
  expect(await readdir(join(folder.path, "elsewhere"))).toEqual([]);
});

it("inbox: a camera folder that is gone is a fault that passes", async () => {
  await writeFile(join(folder.path, "file"), "");
  const lost = { ...login, folderPath: join(folder.path, "gone") };
  await expect(inbox.begin(lost)).rejects.toMatchObject({ kind: "temporary", message: expect.stringContaining("does not exist") });
});

it("inbox: a safe name is one visible name that fits, whatever the camera sends", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (name) => {
      const safe = safeName(name);
      expect(safe).not.toMatch(/[/\\\0]|^[.~]|^$/);
      expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(255);
      expect(safeName(safe)).toBe(safe);
    }),
  );
});
