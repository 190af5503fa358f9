import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Verification, verifyPack } from "../../../src/admin/evidence/verify.ts";
import { readDirectory, readFileIn } from "../../../src/platform/archive/read-zip.ts";
import { zip } from "../../../src/platform/archive/zip.ts";
import { cli } from "../../support/cli.ts";
import { cleanEnvironment } from "../../support/homesec-process.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { uniqueJpeg } from "../../support/pictures.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { atSecond, type Stored, storedIn } from "../explain/stored.ts";

const program = join(import.meta.dirname, "../../../dist/bin/homesec.js");

let desk: Desk;
let stored: Stored;
let folder: ReturnType<typeof temporaryFolder>;
let eventId: number;
let pack: Buffer;
let path: string;

/** The files of a pack by their names. */
async function filesOf(bytes: Buffer): Promise<Map<string, Buffer>> {
  const source = { size: bytes.length, read: async (at: number, length: number) => bytes.subarray(at, at + length) };
  const files = new Map<string, Buffer>();
  for (const file of await readDirectory(source)) {
    const parts: Buffer[] = [];
    for await (const part of readFileIn(source, file)) parts.push(part);
    files.set(file.name, Buffer.concat(parts));
  }
  return files;
}

async function collected(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
}

const make = async (id: number): Promise<Buffer> =>
  await collected((await desk.askStream("getEvidencePack", { params: { event_id: String(id) } })).content.stream);

const packed = (files: ReadonlyMap<string, Buffer>): Promise<Buffer> =>
  collected(zip([...files].map(([name, bytes]) => ({ name, parts: [bytes], isPlain: true as const }))));

/** Comparing the bytes themselves takes a test runner minutes. */
const digests = (files: ReadonlyMap<string, Buffer>) =>
  [...files].map(([name, bytes]) => [name, createHash("sha256").update(bytes).digest("hex")]);

/** Verifies bytes as a file. */
async function verifyBytes(bytes: Buffer, key?: string): Promise<Verification> {
  const file = join(folder.path, "changed.zip");
  await writeFile(file, bytes);
  return await verifyPack(file, { key });
}

/** Stores a picture with its file, as the ledger has it. */
async function picture(name: string): Promise<number> {
  const image = await stored.image({ name });
  const file = join(desk.cameraRoot, "yard", name);
  const bytes = await uniqueJpeg();
  await writeFile(file, bytes);
  const { size, mtimeNs } = await stat(file, { bigint: true });
  await desk.db.query(
    (sql) => sql`
      update images set size_bytes = ${Number(size)}, modified_ns = ${mtimeNs.toString()}::text::bigint,
        sha256 = ${createHash("sha256").update(bytes).digest()}
      where image_id = ${image}`,
  );
  return image;
}

beforeAll(async () => {
  folder = temporaryFolder("evidence");
  desk = await openDesk();
  desk.at(atSecond(60));
  stored = storedIn(desk);
  await stored.camera("yard");
  eventId = await stored.event({ images: [await picture("one <b>.jpg"), await picture("two.jpg"), await picture("gone.jpg")], score: 72 });
  await rm(join(desk.cameraRoot, "yard", "gone.jpg"));
  const rule = await stored.rule("People at night");
  await stored.alert(eventId, rule, { status: "delivered" });
  pack = await make(eventId);
  path = join(folder.path, "pack.zip");
  await writeFile(path, pack);
});
afterAll(() => desk.close());

describe("evidence pack: content", () => {
  test("contains originals as they arrived, thumbnails, the log and the clocks, and names what is gone with the reason", async () => {
    const files = await filesOf(pack);
    expect([...files.keys()]).toEqual([
      ...[
        "originals/0001-one__b_.jpg",
        "thumbnails/0001-one__b_-1-person.jpg",
        "originals/0002-two.jpg",
        "thumbnails/0002-two-1-person.jpg",
      ],
      ...["log.txt", "log.json", "clocks.txt", "public-key.pem", "index.html", "SHA256SUMS", "manifest.json", "seal.json", "seal.sig"],
    ]);
    expect(files.get("originals/0002-two.jpg")).toEqual(await readFile(join(desk.cameraRoot, "yard", "two.jpg")));
    const { manifest } = await verifyPack(path);
    expect(manifest?.files.slice(0, 3).map((file) => file.is_as_recorded)).toEqual([true, undefined, true]);
    expect(manifest?.missing).toMatchObject([
      { what: "original", reason: expect.stringMatching(/gone\.jpg, is gone from the disk$/), recorded: { sha256: expect.any(String) } },
      { what: "thumbnail", reason: expect.stringContaining("is gone from the disk") },
    ]);
    const page = String(files.get("index.html"));
    expect(page).toContain("one &lt;b&gt;.jpg");
    expect(page).not.toContain("<b>");
    // times as a person reads them in the zone of the home, with the exact ones beside them
    const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const written = new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "long", timeStyle: "medium" }).format(atSecond(60));
    expect(page).toContain(`made <time datetime="${atSecond(60).toISOString()}">${written.replace(" at ", ", ")}</time> <small>`);
    expect(page).toContain(`Times are those of ${zone}`);
    expect(page).not.toMatch(/<title>[^<]*\dZ/);
    expect(String(files.get("log.txt"))).toContain('was raised by rule "People at night"');
    expect(String(files.get("clocks.txt"))).toContain("homesec does not know how far this clock is off");
  });

  test("has the private zones of a camera black, and says that the picture is another one", async () => {
    const points = [
      { x: 0, y: 0 },
      { x: 0.5, y: 0 },
      { x: 0.5, y: 1 },
      { x: 0, y: 1 },
    ];
    const params = { camera_id: "yard", name: "window" };
    await desk.ask("setZone", { params, body: { points, private: true } });
    const bytes = await make(eventId);
    await desk.ask("deleteZone", { params });
    const original = (await filesOf(bytes)).get("originals/0001-one__b_.jpg") as Buffer;
    const { default: sharp } = await import("sharp");
    const { data, info } = await sharp(original).greyscale().raw().toBuffer({ resolveWithObject: true });
    expect(data[Math.floor(info.height / 2) * info.width + 10]).toBeLessThan(10);
    const { manifest, is_unchanged } = await verifyBytes(bytes);
    expect([is_unchanged, manifest?.files[0]?.is_as_recorded]).toEqual([true, false]);
    expect(manifest?.files[0]?.altered).toContain("private zones of the camera are black");
  });

  test("is listed with its size and SHA-256, and one that was cut off says so", async () => {
    const before = await desk.ask("listEvidencePacks", { query: `event_id=${eventId}` });
    const bytes = await make(eventId);
    for await (const _ of (await desk.askStream("getEvidencePack", { params: { event_id: String(eventId) } })).content.stream) break;
    const { items, pagination } = await desk.ask("listEvidencePacks", { query: `event_id=${eventId}` });
    expect(pagination.total).toBe(before.pagination.total + 2);
    const complete = items.find(({ sha256 }) => sha256 === createHash("sha256").update(bytes).digest("hex"));
    expect(complete).toMatchObject({ status: "complete", size_bytes: bytes.length, file_count: 13, event_id: eventId });
    expect(items.filter(({ status }) => status === "cut_off")).toMatchObject([{ sha256: null, finished_at: null }]);
  });

  test("shares that ended long ago stay listed when another one is made, and the command names the packs beside them", async () => {
    const share = () => desk.ask("createShare", { params: { event_id: String(eventId) }, body: { expires_in_seconds: 60 } });
    const { id } = await share();
    desk.at(atSecond(90 * 86_400));
    await share();
    const { items } = await desk.ask("listShares");
    desk.at(atSecond(60));
    expect(items.find((each) => each.id === id)).toMatchObject({ status: "ended", event_id: eventId });
    const listed = await cli(["shares", "list", "--direct"], { env: { DATABASE_URL: desk.url, DATA_DIR: desk.dataDir }, cwd: folder.path });
    expect([listed.code, listed.err]).toEqual([0, expect.stringMatching(/evidence packs? handed on, too: homesec evidence list/)]);
  });

  test("packs at most 2,000 detections, and says how many it leaves out", async () => {
    const id = await stored.event({ images: [await picture("three.jpg")], score: 50 });
    await desk.db.query(
      (sql) => sql`
        insert into detections (camera_id, event_id, file_path, detected_at, object_type, confidence)
        select 'yard', ${id}, 'yard/away.jpg', ${atSecond(2)}, 'person', 0.5
        from generate_series(1, 2000)`,
    );
    const bytes = await make(id);
    expect((await verifyBytes(bytes)).is_unchanged).toBe(true);
    expect(String((await filesOf(bytes)).get("log.txt"))).toContain(
      "1 more detections of this event are not in this pack: it has a limit.",
    );
  });

  test("packs an incident of a camera, which has no pictures, and refuses an unknown event", async () => {
    const [row] = await desk.db.query(
      (sql) => sql<[{ id: number }]>`
        insert into events (camera_id, kind, started_at, ended_at, summary, analysis_status)
        values ('yard', 'camera_health', ${atSecond(1)}, ${atSecond(9)}, 'Camera yard is offline', 'completed')
        returning event_id as id`,
    );
    const bytes = await make(row.id);
    expect((await verifyBytes(bytes)).is_unchanged).toBe(true);
    expect(String((await filesOf(bytes)).get("index.html"))).toContain("Incident");
    await expect(desk.askStream("getEvidencePack", { params: { event_id: "999" } })).rejects.toMatchObject({ kind: "not_found" });
  });
});

describe("evidence verify: changes", () => {
  test("a changed byte in any file of a pack is found, with its range", async () => {
    const files = await filesOf(pack);
    const names = [...files.keys()];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        fc.integer({ min: 1, max: 255 }),
        async (name, where, flip) => {
          const bytes = Buffer.from(files.get(name) as Buffer);
          const at = Math.floor(where * bytes.length);
          bytes[at] = (bytes[at] as number) ^ flip;
          const { is_unchanged, findings } = await verifyBytes(await packed(new Map([...files, [name, bytes]])));
          expect(is_unchanged).toBe(false);
          const about = findings.filter(({ file, message }) => file === name || message.includes(name));
          expect(about.length, `${name} byte ${at}: ${JSON.stringify(findings)}`).toBeGreaterThan(0);
          const isIn = about.some(({ ranges, file }) => file !== name || ranges.some(({ from, to }) => from <= at && at <= to));
          expect(isIn, `${name} byte ${at}: ${JSON.stringify(findings)}`).toBe(true);
        },
      ),
      { numRuns: 60, examples: names.map((name) => [name, 0.5, 1] as [string, number, number]) },
    );
  });

  test("a changed picture is found to within 4 KiB", async () => {
    const name = "originals/0001-one__b_.jpg";
    const files = await filesOf(pack);
    const bytes = Buffer.from(files.get(name) as Buffer);
    bytes[5_000] = (bytes[5_000] as number) ^ 1;
    const { findings } = await verifyBytes(await packed(new Map([...files, [name, bytes]])));
    expect(findings).toMatchObject([{ file: name, kind: "changed", ranges: [{ from: 4_096, to: 8_191 }] }]);
  });

  test("a byte changed anywhere in the ZIP file itself is found, refused, or changes nothing in a file", async () => {
    const files = await filesOf(pack);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: pack.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const bytes = Buffer.from(pack);
        bytes[at] = (bytes[at] as number) ^ flip;
        const result = await verifyBytes(bytes).catch((error: Error) => error);
        if (result instanceof Error) expect(result.name).toBe("PackFault");
        else if (result.is_unchanged) expect(digests(await filesOf(bytes))).toEqual(digests(files));
        else expect(result.findings.length).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });

  test("missing, added, cut and longer files are named", async () => {
    const files = await filesOf(pack);
    files.delete("log.txt");
    files.set("originals/0003-more.jpg", Buffer.from("x"));
    files.set("clocks.txt", (files.get("clocks.txt") as Buffer).subarray(0, 100));
    files.set("public-key.pem", Buffer.concat([files.get("public-key.pem") as Buffer, Buffer.from("more")]));
    const { findings } = await verifyBytes(await packed(files));
    expect(findings.map(({ file, kind }) => `${file} ${kind}`).toSorted()).toEqual([
      ...["clocks.txt changed", "log.txt missing", "originals/0003-more.jpg added", "public-key.pem changed"],
    ]);
    expect(findings.find(({ file }) => file === "clocks.txt")?.message).toMatch(/bytes at the end are missing/);
  });

  test("a pack that was signed again by another home is found by --key", async () => {
    const other = await openDesk();
    const { public_key: ours } = await desk.ask("getEvidenceKey");
    const { public_key: theirs } = await other.ask("getEvidenceKey");
    await other.close();
    expect((await verifyPack(path, { key: ours })).is_unchanged).toBe(true);
    expect((await verifyPack(path, { key: theirs })).findings).toMatchObject([{ kind: "other_key" }]);
  });

  test("sha256sum and openssl check an unpacked pack", async () => {
    const unpacked = join(folder.path, "unpacked");
    for (const [name, bytes] of await filesOf(pack)) {
      await mkdir(dirname(join(unpacked, name)), { recursive: true });
      await writeFile(join(unpacked, name), bytes);
    }
    const run = (program: string, args: string) => spawnSync(program, args.split(" "), { cwd: unpacked, encoding: "utf8" });
    const sums = run("sha256sum", "-c --quiet SHA256SUMS");
    if (!sums.error) expect([sums.status, sums.stdout]).toEqual([0, ""]);
    const signature = run("openssl", "pkeyutl -verify -pubin -inkey public-key.pem -rawin -in seal.json -sigfile seal.sig");
    if (!signature.error) expect(signature.stdout).toContain("Signature Verified Successfully");
  });

  test("a pack from another ZIP program is unchanged, and unpacks with others", async () => {
    const python = spawnSync("python3", ["-c", repack, path, join(folder.path, "again.zip")], { encoding: "utf8" });
    if (python.error) return;
    expect(python.stderr).toBe("");
    expect((await verifyPack(join(folder.path, "again.zip"))).is_unchanged).toBe(true);
    const unzip = spawnSync("unzip", ["-tq", path], { encoding: "utf8" });
    if (!unzip.error) expect(unzip.stdout).toContain("No errors detected");
  });
});

const repack = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as one, zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as other:
    assert one.testzip() is None
    for name in one.namelist(): other.writestr(name, one.read(name))
`;

describe("evidence verify: command", () => {
  test("needs nothing but the file: no settings, no data folder, no daemon", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, "evidence", "verify", path, "-o", "json"], {
      env: { ...cleanEnvironment({}), HOME: "/nonexistent" },
      cwd: folder.path,
    });
    expect(JSON.parse(stdout)).toMatchObject({ is_unchanged: true, event_id: eventId, findings: [], missing: [{}, {}] });
  });

  test("exits with 0, 7, 1 and 2", async () => {
    const changed = join(folder.path, "exit.zip");
    await writeFile(changed, await packed(new Map([...(await filesOf(pack)), ["log.txt", Buffer.from("nothing happened")]])));
    await writeFile(join(folder.path, "noise.zip"), "this is no archive");
    const code = async (...args: string[]) => (await cli(["evidence", "verify", ...args], { cwd: folder.path })).code;
    expect(
      await Promise.all([code("pack.zip"), code("exit.zip"), code("noise.zip"), code("pack.zip", "--key", "x"), code("none.zip")]),
    ).toEqual([...[0, 7, 1, 2, 2]]);
    expect((await cli(["evidence", "verify", "exit.zip"], { cwd: folder.path })).out).toMatch(/log\.txt: 0-\d+ of \d+ bytes differ/);
  });
});
