import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";

/** A database server whose network cable can be pulled: connections stay open, and nothing arrives any more. */
async function pullableCable(serverUrl: string) {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let pulled = false;
  const relay = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => pulled || to.write(bytes));
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const url = new URL(serverUrl);
  url.port = String((relay.address() as { port: number }).port);
  return {
    url: url.href,
    pull: () => {
      pulled = true;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => relay.close(resolve));
    },
  };
}

test("an unresponsive database and hanging services do not keep the daemon from stopping within 5 s", async () => {
  const [database, detector, model] = await Promise.all([testDatabase(), detectorStandIn(), languageModelStandIn()]);
  const cable = await pullableCable(database.url);
  const folder = temporaryFolder("stop");
  const daemon = await serveHomesec({
    ...{ DATA_DIR: folder.path, DATABASE_URL: cable.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
    BATCH_IDLE_TIMEOUT_SECONDS: "1",
  });
  try {
    await model.setMode("hang");
    await renameIn(join(folder.path, "cameras", "yard", "1.jpg"), await uniqueJpeg());
    await eventually(() => model.requests > 0);
    await detector.setMode("hang");
    const before = detector.requests;
    await renameIn(join(folder.path, "cameras", "yard", "2.jpg"), await uniqueJpeg());
    await eventually(() => detector.requests > before);
    cable.pull();
    const startedAt = performance.now();
    daemon.kill("SIGTERM");
    expect(await daemon.exit).toEqual({ code: 1, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  } finally {
    daemon.kill("SIGKILL");
    await daemon.exit;
    await Promise.all([cable.close(), detector.close(), model.close()]);
    await Promise.all([database.close(), folder.remove()]);
  }
});
