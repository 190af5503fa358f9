import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { StandInMode } from "../support/upstream.ts";
import { type House, house } from "./house.ts";

/** The ways a service can fail. A detector that hangs or drips is given 30 s for each picture. */
const modes = ["down", "hang", "slow", "reset", "garbage", "error"] as const satisfies readonly StandInMode[];
type Mode = (typeof modes)[number];
/** `npm run degraded` tries all faults in each row, `npm test` those that differ most. The row for both services combines the other two. */
const modesOfOne = process.env["DEGRADED_MATRIX"] === "all" ? modes : (["down", "hang", "garbage"] as const);
const modesOfBoth = process.env["DEGRADED_MATRIX"] === "all" ? modes : (["down", "hang"] as const);
const isLong = (mode: Mode): boolean => mode === "hang" || mode === "slow";

type Row = (home: House, mode: Mode) => Promise<void>;
type Named = { readonly id: number };

/** The breaker of a service is open: announced live, in the health reply, and in the list of breakers. */
async function announced(home: House, service: string): Promise<void> {
  await home.until("system/circuit-breakers", ({ breakers }) => breakers.some(named(service, "open")), 60_000);
  const { body: health, status } = await home.get("system/health");
  expect(status).toBe(503);
  expect(health.services.ai.details[service]).toBe("unhealthy");
  expect(health.recent_events).toContainEqual(expect.objectContaining({ service, event_type: "circuit_open" }));
  await eventually(() => told(home, service).includes("open"), { what: `a message that ${service} is left alone` });
}
const named = (service: string, state: string) => (breaker: { name: string; state: string }) =>
  breaker.name === service && breaker.state === state;
const told = (home: House, service: string): unknown[] =>
  home.heard.filter(({ type, data }) => type === "circuit_breaker" && data["name"] === service).map(({ data }) => data["state"]);

/** Everything recovers automatically, and that is announced too. */
async function recovered(home: House, ...services: readonly string[]): Promise<void> {
  await home.until("system/health", ({ status }) => status === "healthy");
  for (const service of services) {
    // A service is healthy when it answers the probe, and trusted once it has answered the trial.
    await eventually(async () => (await home.breaker(service)) === "closed", {
      what: `the breaker of ${service}, closed`,
      timeoutMs: 120_000,
    });
    await eventually(() => told(home, service).at(-1) === "closed", { what: `a message that ${service} is back` });
    const { recent_events } = (await home.get("system/health")).body;
    expect(recent_events).toContainEqual(expect.objectContaining({ service, event_type: "recovery" }));
  }
}

const judged =
  (count: number) =>
  ({ items }: { items: { analysis_status: string }[] }) =>
    items.filter(({ analysis_status }) => analysis_status === "completed").length === count;
const waiting = ({ items }: { items: { status: string; reason: string | null }[] }) =>
  items.filter(({ status }) => status === "deferred").length === 3;

/** detector up, language model down: detections are created; no risk analysis; batches queue up. */
const modelAway: Row = async (home, mode) => {
  await home.model.setMode(mode);
  await home.upload();
  const { items: events } = await home.until("events", ({ items }) => items.length === 3);
  for (const event of events) {
    expect(event).toMatchObject({
      risk_score: null,
      risk_level: null,
      reasoning: "",
      analysis_status: "pending",
      object_types: ["person"],
    });
  }
  expect((await home.get("detections")).body.pagination.total).toBe(3);
  await announced(home, "language_model");
  expect((await home.get("system/health")).body.status).toBe("degraded");
  expect((await home.get("system/health/ready")).status).toBe(200);
  // The last attempt may still be returning to the queue.
  await home.until("system/telemetry", ({ queues }) => queues.analysis_queue === 3);
  // A model that is known to be down is not called, and a request for it says so.
  expect(await home.post(`events/${events[0].id}/reanalyze`)).toMatchObject({ status: 503 });

  await home.model.setMode("ok");
  home.passHalfMinute();
  await home.until("events", judged(3));
  await recovered(home, "language_model");
};

/** detector down, language model up: no new detections; existing events can be re-analysed. */
const detectorAway: Row = async (home, mode) => {
  await home.upload();
  const { items: events } = await home.until("events", judged(3));
  await home.detector.setMode(mode);
  await home.upload();
  await announced(home, "detector");
  expect((await home.get("system/health")).body.status).toBe("degraded");
  // The pictures state what they wait for.
  await home.until("images?status=deferred", waiting);
  expect((await home.get("detections")).body.pagination.total).toBe(3);
  const asked = home.model.answered;
  expect(await home.post(`events/${events[0].id}/reanalyze`)).toMatchObject({ status: 202 });
  await eventually(() => home.model.answered === asked + 1);

  await home.detector.setMode("ok");
  home.passHalfMinute();
  await home.until("detections", ({ pagination }) => pagination.total === 6);
  await home.until("events", judged(6));
  await recovered(home, "detector");
};

/** Both down: the system is unhealthy, but nothing is lost and stored data is served. */
const bothAway: Row = async (home, mode) => {
  await home.upload();
  const { items: events } = await home.until("events", judged(3));
  await Promise.all([home.detector.setMode(mode), home.model.setMode(mode)]);
  await home.upload();
  for (const { id } of events as Named[]) expect((await home.post(`events/${id}/reanalyze`)).status).toBe(202);
  await announced(home, "language_model");
  await announced(home, "detector");
  const begun = performance.now();
  expect(await home.get("system/health")).toMatchObject({ status: 503, body: { status: "unhealthy" } });
  expect(performance.now() - begun).toBeLessThan(5_000);
  await home.until("images?status=deferred", waiting);
  // Earlier results stay available.
  expect((await home.get("events")).body.items).toMatchObject(Array(3).fill({ risk_score: 42, reasoning: "It was one person." }));

  await Promise.all([home.detector.setMode("ok"), home.model.setMode("ok")]);
  home.passHalfMinute();
  await home.until("detections", ({ pagination }) => pagination.total === 6);
  await home.until("events", judged(6));
  await recovered(home, "detector", "language_model");
};

async function inHouse(row: Row, mode: Mode): Promise<void> {
  const home = await house();
  try {
    await row(home, mode);
  } finally {
    await home.close();
  }
}

describe.each([
  {
    name: "the language model is away: events are stored and wait for their judgement",
    row: modelAway,
    faults: modesOfOne,
    longModes: false,
  },
  {
    name: "the detector is away: pictures wait, and stored events can be judged again",
    row: detectorAway,
    faults: modesOfOne,
    longModes: true,
  },
  { name: "both are away: unhealthy, and nothing is lost", row: bothAway, faults: modesOfBoth, longModes: true },
])("degraded: $name", { concurrent: true, timeout: 480_000 }, ({ row, faults, longModes }) => {
  // Faults that take half a minute on any machine start first, beside the others.
  const begun = new Map<Mode, Promise<unknown>>();
  beforeAll(() => {
    for (const mode of faults.filter((each) => longModes && isLong(each))) {
      begun.set(
        mode,
        inHouse(row, mode).catch((error: unknown) => error),
      );
    }
  });
  test.each(faults.toSorted((a, b) => Number(isLong(a)) - Number(isLong(b))))("%s", async (mode) => {
    const early = begun.get(mode);
    if (early === undefined) return await inHouse(row, mode);
    const failure = await early;
    if (failure !== undefined) throw failure;
  });
});

/** Combinations of faults of vision, embedder and enrichment. */
const faultsOfThree = modes.map((_, at) => [0, 1, 2].map((next) => modes[(at + next) % modes.length] as Mode));
/** Two combinations contain each fault once; `npm run degraded` tries each fault with each service. */
const triedFaults = process.env["DEGRADED_MATRIX"] === "all" ? faultsOfThree : [faultsOfThree[0] ?? [], faultsOfThree[3] ?? []];
const optionalServices = ["vision", "embedder", "enrichment"];

describe("degraded: an unavailable enrichment service lowers the quality; events are still created and analysed", {
  concurrent: true,
}, () => {
  test.each(triedFaults.map((faults) => [faults]))("%s", { timeout: 300_000 }, async (faults) => {
    const readTimeouts = { VISION_READ_TIMEOUT: "1", EMBEDDER_READ_TIMEOUT: "1", ENRICHMENT_READ_TIMEOUT: "1" };
    const home = await house({ optionalServices: true, env: readTimeouts });
    try {
      await Promise.all(home.optional.map((service, index) => service.setMode(faults[index] as Mode)));
      await home.upload();
      await home.until("events", judged(3));
      for (const service of optionalServices) await announced(home, service);
      const { body } = await home.get("system/health");
      expect(body.status).toBe("degraded");
      expect(body.services.ai.details).toMatchObject({ detector: "healthy", language_model: "healthy" });
      expect((await home.get("system/health/ready")).status).toBe(200);
      expect(home.optional.map(({ answered }) => answered)).toEqual([0, 0, 0]);

      // Postponed work resumes automatically.
      await Promise.all(home.optional.map((service) => service.setMode("ok")));
      home.passHalfMinute();
      await recovered(home, ...optionalServices);
      const before: Named[] = (await home.get("detections")).body.items;
      await home.upload();
      const { items } = await home.until("detections", ({ pagination }) => pagination.total === 6);
      for (const { id } of (items as Named[]).filter((detection) => !before.some((old) => old.id === detection.id))) {
        await home.until(`detections/${id}/enrichment`, ({ services, errors }) => {
          return errors.length === 0 && optionalServices.every((service) => services[service] === "completed");
        });
      }
      await home.until("events", judged(6));
    } finally {
      await home.close();
    }
  });
});
