import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeSequence } from "../../../commands/events/tail-state.ts";
import { writeWatermark } from "../../../commands/events/watermark.ts";
import { writeWhole } from "../../../src/admin/backup/partial-file.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const folder = temporaryFolder("replaced-file");
afterAll(() => folder.remove());

const writers = {
  backup: (path: string) => writeWhole(path, async (file) => void (await file.writeFile("7\n"))),
  "--state": async (path: string) => writeSequence(path, 7),
  "--watermark": (path: string) => writeWatermark(path, new Date(7)),
};

test.each(Object.entries(writers))("replaced file: %s replaces the file behind a link, and the link stays", async (name, write) => {
  const place = join(folder.path, name);
  mkdirSync(join(place, "usb"), { recursive: true });
  writeFileSync(join(place, "usb", "file"), "old");
  symlinkSync(join("usb", "file"), join(place, "link"));
  await write(join(place, "link"));
  expect(lstatSync(join(place, "link")).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(place, "usb", "file"), "utf8")).not.toBe("old");
  await write(join(place, "new"));
  expect(lstatSync(join(place, "new")).isFile()).toBe(true);
});

test.each(Object.entries(writers))("replaced file: %s does not replace a device or a pipe", async (name, write) => {
  const pipe = join(folder.path, `${name}.pipe`);
  execFileSync("mkfifo", [pipe]);
  await expect(write(pipe)).rejects.toThrow("it is a device or a pipe; choose another place");
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});
