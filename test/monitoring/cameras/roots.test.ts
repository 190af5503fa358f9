import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveInside } from "../../../src/monitoring/cameras/roots.ts";
import { isInside } from "../../../src/platform/disk/files.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const folder = temporaryFolder("roots");
const at = (path: string) => join(folder.path, path);
beforeAll(async () => {
  for (const path of ["root/cam", "root-twin", "else", "extra"]) await mkdir(at(path), { recursive: true });
  for (const path of ["root/cam/a.jpg", "root-twin/b.jpg", "else/c.jpg", "extra/d.jpg"]) await writeFile(at(path), "");
  await symlink(at("else/c.jpg"), at("root/cam/out.jpg"));
  await symlink(at("else"), at("root/out"));
  await symlink(at("extra/d.jpg"), at("root/cam/extra.jpg"));
  await symlink(at("root/cam"), at("root/same"));
  await symlink(at("root/loop"), at("root/loop"));
  await symlink(at("root"), at("root-link"));
});
afterAll(() => folder.remove());

describe("resolveInside", () => {
  it.each([
    ["root/cam/a.jpg", "inside", "root/cam/a.jpg"],
    ["root/same/a.jpg", "inside", "root/cam/a.jpg"],
    ["root-link/cam/a.jpg", "inside", "root/cam/a.jpg"],
    ["root/cam/extra.jpg", "inside", "extra/d.jpg"],
    ["root", "inside", "root"],
    ["root/cam/../../else/c.jpg", "outside", "else/c.jpg"],
    ["root/cam/out.jpg", "outside", "else/c.jpg"],
    ["root/out/c.jpg", "outside", "else/c.jpg"],
    ["root/out/missing.jpg", "outside", "else/missing.jpg"],
    ["root-twin/b.jpg", "outside", "root-twin/b.jpg"],
    ["else/none/none", "outside", "else/none/none"],
    ["root/cam/none.jpg", "missing", "root/cam/none.jpg"],
    ["root/cam/a.jpg/below", "missing", "root/cam/a.jpg/below"],
    ["root/loop", "unreadable", "root/loop"],
  ])("%s is %s", async (path, state, real) => {
    expect(await resolveInside([at("root-link"), at("extra"), at("no-such-root")], at(path))).toMatchObject({ state, path: at(real) });
  });

  it("knows the root of the disk", () => {
    expect(isInside("/", "/etc")).toBe(true);
    expect(isInside("/etc", "/")).toBe(false);
  });
});
