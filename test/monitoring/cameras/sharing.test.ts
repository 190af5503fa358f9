import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

const create = (body: unknown) => desk.ask("createCamera", { body });
const of = (cameraId: string) => ({ params: { camera_id: cameraId } });

it("shared folder: cameras with different file patterns may share one, and no two with the same", async () => {
  const share = (name: string, file_pattern?: string) =>
    create({ name, folder_path: "nvr", ...(file_pattern !== undefined && { file_pattern }) });
  await share("Recorder");
  expect(await share("Gate", "ch01*")).toMatchObject({ file_pattern: "ch01*", folder_path: join(desk.cameraRoot, "nvr") });
  await share("Yard", "ch02*");
  for (const pattern of [undefined, "CH01*"])
    await expect(share("Other", pattern)).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringMatching(/or a file_pattern of its own$/),
    });
  for (const pattern of ["/ch01*", "*", "a//b"])
    await expect(share("Other", pattern)).rejects.toMatchObject({ kind: "invalid", items: [{ loc: ["body", "file_pattern"] }] });
  const change = (body: unknown) => desk.ask("updateCamera", { ...of("yard"), body });
  await expect(change({ file_pattern: "ch01*" })).rejects.toMatchObject({ kind: "conflict" });
  await expect(change({ file_pattern: null })).rejects.toMatchObject({ kind: "conflict" });
  expect(await change({ file_pattern: "ch03*", time_zone: "Asia/Kolkata" })).toMatchObject({
    file_pattern: "ch03*",
    time_zone: "Asia/Kolkata",
  });
  await expect(change({ time_template: "nonsense" })).rejects.toMatchObject({ items: [{ loc: ["body", "time_template"] }] });
});
