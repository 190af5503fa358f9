import { mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startBinary } from "../support/cli.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type HomesecProcess, serveHomesec } from "../support/homesec-process.ts";
import { type NetworkShare, networkShare, sharesInstalled } from "../support/network-share.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../support/upstream.ts";

/** Cameras on real network shares whose servers go away: more shares than this process has threads. */
describe.skipIf(!sharesInstalled)("network shares", () => {
  const names = ["nas1", "nas2", "nas3", "nas4", "nas5"] as const;
  let database: TestDatabase;
  let detector: StandIn;
  let model: StandIn;
  let folder: ReturnType<typeof temporaryFolder>;
  let shares: NetworkShare[] = [];
  let daemon: (HomesecProcess & { readonly url: string }) | undefined;
  beforeAll(async () => {
    [detector, model] = await Promise.all([detectorStandIn(), languageModelStandIn()]);
  });
  afterAll(async () => {
    await Promise.all([detector.close(), model.close()]);
  });
  beforeEach(async () => {
    database = await testDatabase();
    folder = temporaryFolder("hung-shares");
    shares = await Promise.all(names.map((name) => networkShare(served(name), join(cameraRoot(), name))));
    await mkdir(join(cameraRoot(), "yard"), { recursive: true });
  });
  afterEach(async () => {
    daemon?.kill("SIGKILL");
    await daemon?.exit;
    daemon = undefined;
    await Promise.all(shares.map((share) => share.unmount()));
    await folder.remove();
    await database.close();
  });

  const cameraRoot = (): string => join(folder.path, "cameras");
  /** The folder on the server. */
  const served = (name: string): string => join(folder.path, "server", name);
  const env = () => ({
    ...{ DATA_DIR: join(folder.path, "data"), CAMERA_ROOT: cameraRoot(), DATABASE_URL: database.url },
    ...{ DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
    ...{ BATCH_WINDOW_SECONDS: "2", BATCH_IDLE_TIMEOUT_SECONDS: "1", HEALTH_CACHE_TTL_SECONDS: "0" },
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies freely
  const ask = async (path: string, init?: RequestInit): Promise<any> => await (await fetch(`${daemon?.url}${path}`, init)).json();
  const processed = async (camera: string): Promise<number> => (await ask(`/api/images?camera_id=${camera}&status=processed`)).items.length;
  const statusOf = async (camera: string): Promise<string | undefined> =>
    (await ask("/api/cameras")).cameras.find((one: { camera_id: string }) => one.camera_id === camera)?.status;

  test("that all hang at once stop no other work; when they respond again, their new pictures are processed", {
    timeout: 180_000,
  }, async () => {
    let hooks = 0;
    const receiver = createServer((request, response) => {
      hooks += 1;
      request.resume();
      response.end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    try {
      daemon = await serveHomesec(env());
      const headers = { "content-type": "application/json" };
      const url = `http://localhost:${(receiver.address() as AddressInfo).port}/`;
      const hook = await ask("/api/outbound-webhooks", {
        method: "POST",
        headers,
        body: JSON.stringify({ name: "n", url, event_types: ["alert_fired"] }),
      });
      for (const name of names) await renameIn(join(served(name), "1.jpg"), await uniqueJpeg());
      for (const name of names)
        await eventually(async () => (await processed(name)) === 1, { timeoutMs: 40_000, what: `the picture of ${name}` });

      const { items } = await ask("/api/detections");
      const pictures = names.map((name) => items.find((one: { camera_id: string }) => one.camera_id === name).id as number);
      for (const share of shares) share.hang();
      for (const name of names) {
        await eventually(async () => (await statusOf(name)) === "error", { timeoutMs: 60_000, what: `the error of ${name}` });
      }
      const before = hooks;
      for (const n of [1, 2, 3]) {
        await renameIn(join(cameraRoot(), "yard", `${n}.jpg`), await uniqueJpeg());
        await eventually(async () => (await processed("yard")) === n, { what: `picture ${n} of the local camera` });
      }
      await ask(`/api/outbound-webhooks/${hook.id}/test`, { method: "POST", headers, body: JSON.stringify({ event_type: "alert_fired" }) });
      await eventually(() => hooks > before, { what: "a webhook, for which a name is looked up" });
      const startedAt = performance.now();
      expect((await fetch(`${daemon.url}/api/system/health`)).status).toBe(200);
      expect(performance.now() - startedAt).toBeLessThan(2_000);
      const answers = await Promise.all(pictures.map((id) => fetch(`${daemon?.url}/api/detections/${id}/image`)));
      expect(answers.map(({ status }) => status)).toEqual(names.map(() => 503));
      expect(await answers[0]?.json()).toMatchObject({ detail: expect.stringContaining("does not answer; bring it back") });
      expect(await ask(`/api/images/explain?path=${join(cameraRoot(), "yard", "1.jpg")}`)).toMatchObject({ subject: { type: "image" } });
      expect(performance.now() - startedAt).toBeLessThan(12_000);

      for (const name of names) await renameIn(join(served(name), "2.jpg"), await uniqueJpeg());
      for (const share of shares) share.answer();
      for (const name of names)
        await eventually(async () => (await processed(name)) === 2, { timeoutMs: 60_000, what: `the later picture of ${name}` });
      expect((await fetch(`${daemon.url}/api/detections/${pictures[0]}/image`)).status).toBe(200);
    } finally {
      receiver.close();
    }
  });

  test("that hang delay neither the start nor the stop of the daemon, and the doctor names them and checks the rest", {
    timeout: 180_000,
  }, async () => {
    for (const share of shares) share.hang();
    daemon = await serveHomesec(env());
    await renameIn(join(cameraRoot(), "yard", "1.jpg"), await uniqueJpeg());
    await eventually(async () => (await processed("yard")) === 1, { timeoutMs: 40_000, what: "the picture of the local camera" });
    for (const name of names) {
      expect(daemon.output()).toMatch(new RegExp(`cameras/${name}","msg":"a folder in the camera root does not answer`));
    }

    const { stdout } = await startBinary(["doctor", "-o", "json", "--url", daemon.url], { env: env() });
    const { checks } = JSON.parse(stdout) as { checks: readonly { id: string; status: string; finding: string | null }[] };
    const of = (id: string) => checks.find((check) => check.id === id);
    expect(of("mounts")?.finding).toContain(join(cameraRoot(), "nas1"));
    expect([of("database")?.status, of("data-folder")?.status, of("camera-folders")?.status]).toEqual(["ok", "ok", "skipped"]);

    const startedAt = performance.now();
    daemon.kill("SIGTERM");
    const { code, signal } = await daemon.exit;
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    // the test is over and ends the daemon by signal, since a hanging share would delay an orderly end
    expect([code, signal]).toEqual([null, "SIGTERM"]);
  });
});
