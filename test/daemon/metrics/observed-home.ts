import { join } from "node:path";
import { Writable } from "node:stream";
import WebSocket from "ws";
import { createLog } from "../../../daemon/log.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { type Received, receiver } from "../../support/receiver.ts";
import { detectorStandIn, enrichmentStandIn, languageModelStandIn, visionStandIn } from "../../support/upstream.ts";

/** A line of the log. */
export type Line = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string };

/** A home with one occurrence of everything that is measured. */
export interface ObservedHome {
  readonly daemon: TestDaemon;
  /** The log lines that the daemon has written. */
  lines(): readonly Line[];
  /** Requests received by DEFAULT_WEBHOOK_URL and the outbound webhook. */
  readonly toPeople: readonly Received[];
  readonly toPrograms: readonly Received[];
  ask(path: string): Promise<unknown>;
  metrics(): Promise<string>;
  close(): Promise<void>;
}

const three = {
  detections: ["person", "dog", "car"].map((each) => ({ class: each, confidence: 0.9, bbox: { x: 10, y: 20, width: 60, height: 120 } })),
  inference_time_ms: 1,
  image_width: 768,
  image_height: 576,
};

/**
 * Creates two pictures of one event with an alert for a person and a program, a second program that does not answer, a vision service that
 * fails until its breaker opens, and a WebSocket client.
 */
export async function observedHome(): Promise<ObservedHome> {
  const [database, detector, model, vision, enrichment, people, program, dead] = await Promise.all([
    testDatabase(),
    detectorStandIn({ answer: () => three }),
    languageModelStandIn(),
    visionStandIn(),
    enrichmentStandIn(),
    receiver(),
    receiver(),
    receiver(() => ({ status: 500 })),
  ]);
  await vision.setMode("error");
  let text = "";
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  const daemon = await testDaemon({
    log: createLog({ level: "debug", format: "json", destination, clock: systemClock }),
    env: {
      ...{ DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
      ...{ VISION_EXTRACTION_ENABLED: "true", VISION_URL: vision.url, ENRICHMENT_URL: enrichment.url },
      ...{ DEFAULT_WEBHOOK_URL: people.url, BATCH_IDLE_TIMEOUT_SECONDS: "1", ENRICHMENT_WAIT_SECONDS: "0" },
    },
  });
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${daemon.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  };
  const told = { event_types: ["event_created", "alert_fired"] };
  await post("/api/alerts/rules", { name: 'Somebody "here"', severity: "high", risk_threshold: 30, channels: ["webhook"] });
  await post("/api/alerts/rules", { name: "Nobody", severity: "low", risk_threshold: 99 });
  await post("/api/outbound-webhooks", { name: "A program", url: program.url, ...told });
  await post("/api/outbound-webhooks", { name: "A dead one", url: dead.url, ...told });
  const socket = new WebSocket(`${daemon.url.replace("http", "ws")}/ws/events`);
  await new Promise((resolve) => socket.once("open", resolve));

  for (const name of ["a", "b"]) await renameIn(join(daemon.cameraRoot, "yard", `${name}.jpg`), await uniqueJpeg());
  await eventually(() => people.received.length > 0 && program.received.length > 1 && dead.received.length > 0, {
    timeoutMs: 40_000,
  });
  return {
    daemon,
    lines: () =>
      text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
    toPeople: people.received,
    toPrograms: program.received,
    ask: async (path) => await (await fetch(`${daemon.url}${path}`)).json(),
    metrics: async () => await (await fetch(`${daemon.url}/metrics`)).text(),
    close: async () => {
      socket.terminate();
      await daemon.stop();
      await Promise.all([detector, model, vision, enrichment, people, program, dead, database].map((each) => each.close()));
    },
  };
}
