import { existsSync } from "node:fs";
import { mkdir, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { cleanUpAt, pastDesks } from "./stored-past.ts";

const open = pastDesks();

describe("empty folders", () => {
  it("empty folders: with DELETE_IMAGES those of past days go, and no other", async () => {
    const { desk, past } = await open({ DELETE_IMAGES: "true" });
    const yard = join(desk.cameraRoot, "yard");
    const dayOf = (days: number): string => past.ago(days).toISOString().slice(0, 10);
    const make = async (path: string, days: number): Promise<string> => {
      const folder = join(yard, path);
      await mkdir(folder, { recursive: true });
      await utimes(folder, past.ago(days), past.ago(days));
      return folder;
    };
    const gone = [await make(`${dayOf(5)}/14/07`, 5), await make(`${dayOf(5)}/14/08`, 5), await make(`${dayOf(5)}/15`, 5)];
    const stay = [
      await make(`${dayOf(0)}/14`, 2),
      await make("alarm", 40),
      await make(`${dayOf(4)}/09`, 0),
      await make(`${dayOf(4)}/@eaDir`, 4),
    ];
    const full = await make(`${dayOf(6)}/10`, 6);
    await writeFile(join(full, "index.idx"), "x");
    await symlink(desk.outside, join(yard, `${dayOf(7)}`));
    await cleanUpAt(desk);
    expect(gone.filter(existsSync)).toEqual([]);
    expect(existsSync(join(yard, dayOf(5)))).toBe(false);
    expect([...stay, full, yard, desk.outside].filter((path) => !existsSync(path))).toEqual([]);
  });

  it("empty folders: those left by deleted pictures go one day later", async () => {
    const { desk, past } = await open({ DELETE_IMAGES: "true" });
    const day = past.ago(40).toISOString().slice(0, 10);
    await mkdir(join(desk.cameraRoot, "yard", day, "14"), { recursive: true });
    const picture = await past.picture(40, { name: `${day}/14/a.jpg` });
    expect(await cleanUpAt(desk)).toMatchObject({ images_deleted: 1 });
    const folder = dirname(picture.path);
    expect(existsSync(folder)).toBe(true);
    await utimes(folder, past.ago(2), past.ago(2));
    await cleanUpAt(desk);
    expect(existsSync(dirname(folder))).toBe(false);
    expect(existsSync(join(desk.cameraRoot, "yard"))).toBe(true);
  });

  it("empty folders: all stay without DELETE_IMAGES, in a dry run, and in the folder of a deleted camera", async () => {
    for (const [env, dryRun] of [
      [{}, false],
      [{ DELETE_IMAGES: "true" }, true],
    ] as const) {
      const { desk, past } = await open(env);
      const folder = join(desk.cameraRoot, "yard", "2020-01-05", "14");
      await mkdir(folder, { recursive: true });
      await utimes(folder, past.ago(30), past.ago(30));
      await cleanUpAt(desk, dryRun);
      expect(existsSync(folder)).toBe(true);
    }
    const { desk, past } = await open({ DELETE_IMAGES: "true" });
    const folder = join(desk.cameraRoot, "yard", "2020-01-05");
    await mkdir(folder, { recursive: true });
    await utimes(folder, past.ago(30), past.ago(30));
    await desk.ask("deleteCamera", { params: { camera_id: "yard" } });
    await cleanUpAt(desk);
    expect(existsSync(folder)).toBe(true);
  });
});
