import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { type WatchedFiles, watchFiles } from "../../../daemon/reload/watch-files.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const folder = temporaryFolder("watch-files");
afterAll(() => folder.remove());

let watched: WatchedFiles | undefined;
afterEach(async () => {
  await watched?.close();
});

let count = 0;
const ownFolder = (): string => {
  count += 1;
  const path = join(folder.path, String(count));
  mkdirSync(path);
  return path;
};

/** Watches files and counts the reported changes. */
async function watching(...paths: string[]): Promise<{ readonly changes: () => number }> {
  let changes = 0;
  watched = await watchFiles({
    paths,
    log: silentLog,
    onChange: () => {
      changes += 1;
    },
  });
  // chokidar has read the folders by now
  await sleep(200);
  return { changes: () => changes };
}

/** Waits for this number of reported changes, and then checks whether another one follows. */
async function expectChanges({ changes }: { readonly changes: () => number }, expected: number): Promise<void> {
  await expect.poll(changes).toBe(expected);
  await sleep(700);
  expect(changes()).toBe(expected);
}

describe("watched files", () => {
  it("watch: a file written in place and one saved by renaming are each reported once", async () => {
    const path = join(ownFolder(), ".env");
    writeFileSync(path, "A=1");
    const seen = await watching(path);
    writeFileSync(path, "A=2");
    await expectChanges(seen, 1);
    writeFileSync(`${path}.swp`, "A=3");
    renameSync(`${path}.swp`, path);
    await expectChanges(seen, 2);
    // the new inode is watched too
    writeFileSync(path, "A=4");
    await expectChanges(seen, 3);
  });

  it("watch: a file written in several steps is reported once, after the last one", async () => {
    const path = join(ownFolder(), ".env");
    writeFileSync(path, "A=1");
    const seen = await watching(path);
    for (const text of ["", "A", "A=", "A=2"]) {
      writeFileSync(path, text);
      await sleep(150);
    }
    await expectChanges(seen, 1);
  });

  it("watch: a file whose folder does not exist yet is reported when it appears, and when it is deleted", async () => {
    const place = ownFolder();
    const path = join(place, "a/b/homesec.conf");
    const seen = await watching(path);
    mkdirSync(join(place, "a"));
    await sleep(200);
    mkdirSync(join(place, "a/b"));
    await sleep(1_200);
    writeFileSync(path, "A=1");
    await expectChanges(seen, 1);
    rmSync(path);
    await expectChanges(seen, 2);
  });

  it("watch: a link whose target changes is reported, both for the file itself (certbot) and for a folder on the way (Kubernetes)", async () => {
    const place = ownFolder();
    for (const version of ["one", "two"]) {
      mkdirSync(join(place, version));
      writeFileSync(join(place, version, "tls.crt"), "same text");
    }
    symlinkSync("one", join(place, "..data"));
    symlinkSync("..data/tls.crt", join(place, "tls.crt"));
    symlinkSync("one/tls.crt", join(place, "cert.pem"));
    const ofFolder = await watching(join(place, "tls.crt"));
    symlinkSync("two", join(place, "..data_tmp"));
    renameSync(join(place, "..data_tmp"), join(place, "..data"));
    await expectChanges(ofFolder, 1);
    writeFileSync(join(place, "two/tls.crt"), "other text");
    await expectChanges(ofFolder, 2);
    await watched?.close();
    const ofFile = await watching(join(place, "cert.pem"));
    symlinkSync("two/tls.crt", join(place, "cert.new"));
    renameSync(join(place, "cert.new"), join(place, "cert.pem"));
    await expectChanges(ofFile, 1);
  });

  it("watch: a folder replaced by another one of the same name is followed", async () => {
    const place = ownFolder();
    for (const name of ["conf", "next"]) {
      mkdirSync(join(place, name));
      writeFileSync(join(place, name, "homesec.conf"), name);
    }
    const path = join(place, "conf/homesec.conf");
    const seen = await watching(path);
    renameSync(join(place, "conf"), join(place, "old"));
    renameSync(join(place, "next"), join(place, "conf"));
    await expectChanges(seen, 1);
    writeFileSync(path, "changed");
    await expectChanges(seen, 2);
  });

  it("watch: other files in the folder are not reported", async () => {
    const place = ownFolder();
    const path = join(place, ".env");
    writeFileSync(path, "A=1");
    const seen = await watching(path);
    writeFileSync(join(place, "other"), "x");
    await expectChanges(seen, 0);
  });
});
