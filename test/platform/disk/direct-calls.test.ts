import { execFileSync } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { directCalls, mayCallDirectly, threadedCalls } from "../../../src/platform/disk/direct-calls.ts";
import { temporaryFolder } from "../../support/temporary.ts";

function folderWithPicture(): { readonly folder: string; readonly picture: string } {
  const { path: folder, remove } = temporaryFolder();
  onTestFinished(remove);
  return { folder, picture: join(folder, "picture.jpg") };
}

describe.each([
  ["direct", directCalls],
  ["threaded", threadedCalls],
])("%s file calls", (name, calls) => {
  it(`${name} file calls: read a file, and say its size and time`, async () => {
    const { picture } = folderWithPicture();
    await writeFile(picture, "0123456789");
    const { size, mtimeNs } = await calls.stat(picture);
    const file = await calls.open(await calls.realpath(picture));
    const bytes = Buffer.alloc(4);
    expect(await file.read(bytes, 0, 4, 3)).toMatchObject({ bytesRead: 4 });
    expect(bytes.toString()).toBe("3456");
    expect(await file.stat({ bigint: true })).toMatchObject({ size, mtimeNs });
    await file.close();
    await expect(calls.open(`${picture}x`)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it(`${name} file calls: open no link, and do not wait for a pipe`, async () => {
    const { folder, picture } = folderWithPicture();
    await writeFile(picture, "x");
    await symlink(picture, join(folder, "link"));
    await expect(calls.open(join(folder, "link"))).rejects.toMatchObject({ code: "ELOOP" });
    execFileSync("mkfifo", [join(folder, "pipe")]);
    const pipe = await calls.open(join(folder, "pipe"));
    expect((await pipe.stat({ bigint: true })).isFIFO()).toBe(true);
    await pipe.close();
  });
});

it.skipIf(process.platform !== "linux")("direct file calls: only on known disks of this machine", () => {
  expect(mayCallDirectly("/dev/shm")).toBe(true);
  for (const folder of ["/proc", "/sys", "/dev/pts"]) expect([folder, mayCallDirectly(folder)]).toEqual([folder, false]);
});
