import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestDaemon } from "../../support/daemon.ts";
import { eventually } from "../../support/eventually.ts";
import { detectorStandIn, type StandIn } from "../../support/upstream.ts";
import { ask, type Running, running } from "./running.ts";

/** The product's default; tests switch it off where it does not matter. */
const enrichment = { VISION_EXTRACTION_ENABLED: "true", REID_ENABLED: "true" };
let world: Running;
let one: TestDaemon;
let two: TestDaemon;
let service: StandIn;

beforeAll(async () => {
  [world, service] = await Promise.all([running(), detectorStandIn()]);
  one = await world.start({ RETENTION_DAYS: "14", API_KEY_ENABLED: "false", ...enrichment });
  two = await world.start({ RETENTION_DAYS: "14", ...enrichment, API_KEY_ENABLED: "true", API_KEYS: "the-good-key" });
});
afterAll(async () => {
  await world.close();
  await service.close();
});

const path = "/api/system/config";
const key = { "X-API-Key": "the-good-key" };
const throughProxy = { "X-Forwarded-For": "192.168.1.77" };
const get = async (daemon: TestDaemon) => (await ask(daemon, `GET ${path}`, { headers: key })).body;
const patch = (daemon: TestDaemon, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  ask(daemon, `PATCH ${path}`, { body, headers });

describe("live configuration", () => {
  it("live configuration: contains all fields", async () => {
    expect(await get(one)).toEqual({
      batch_timeout_seconds: 90,
      batch_idle_timeout_seconds: 30,
      retention_days: 14,
      detection_confidence_threshold: 0.5,
      detector_second_opinion_below: 0,
      risk_score_thresholds: { low: 0, medium: 30, high: 60, critical: 80 },
      detector_url: expect.stringContaining("http://127.0.0.1:"),
      vision_url: null,
      embedder_url: null,
      enrichment_url: null,
      vision_extraction_enabled: true,
      reid_enabled: true,
      scene_change_enabled: true,
    });
  });

  it("live configuration: a changed field is returned, applies in every process and survives a restart", async () => {
    const { status, body } = await patch(one, { retention_days: 3, risk_score_thresholds: { high: 50 }, reid_enabled: false });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...(await get(one)),
      retention_days: 3,
      risk_score_thresholds: { low: 0, medium: 30, high: 50, critical: 80 },
      reid_enabled: false,
    });
    await eventually(async () => JSON.stringify(await get(two)) === JSON.stringify(body));
    const three = await world.start({ RETENTION_DAYS: "99", ...enrichment });
    expect(await get(three)).toEqual(body);
    expect((await patch(one, {})).body).toEqual(body);
    expect((await patch(one, body)).body).toEqual(body);
  });

  it.each([
    [{ risk_score_thresholds: { medium: 90 } }, ["body", "risk_score_thresholds"], "value_error"],
    [{ risk_score_thresholds: { low: 5 } }, ["body", "risk_score_thresholds"], "value_error"],
    [{ risk_score_thresholds: { critical: 101 } }, ["body", "risk_score_thresholds", "critical"], "less_than_equal"],
    [{ risk_score_thresholds: { extreme: 99 } }, ["body", "risk_score_thresholds", "extreme"], "extra_forbidden"],
    [{ retention_days: 0 }, ["body", "retention_days"], "greater_than_equal"],
    [{ retention_days: "x" }, ["body", "retention_days"], "int_parsing"],
    [{ batch_timeout_seconds: 1.5 }, ["body", "batch_timeout_seconds"], "int_parsing"],
    [{ detection_confidence_threshold: 1.01 }, ["body", "detection_confidence_threshold"], "less_than_equal"],
    [{ vision_extraction_enabled: "yes" }, ["body", "vision_extraction_enabled"], "bool_parsing"],
    [{ vision_url: "ftp://x" }, ["body", "vision_url"], "url_parsing"],
    [{ embedder_url: "http://user:pass@x" }, ["body", "embedder_url"], "url_parsing"],
    [{ enrichment_url: "" }, ["body", "enrichment_url"], "url_parsing"],
    [{ vision_url: "http://169.254.169.254/" }, ["body", "vision_url"], "value_error"],
    [{ vision_url: "http://[fe80::1]:9000" }, ["body", "vision_url"], "value_error"],
    [{ language_model_url: "http://127.0.0.1:1" }, ["body", "language_model_url"], "extra_forbidden"],
    [{ detector_url: "http://127.0.0.1:1,http://169.254.169.254/" }, ["body", "detector_url"], "value_error"],
    [{ detector_url: "http://127.0.0.1:1,elsewhere" }, ["body", "detector_url"], "url_parsing"],
  ])("live configuration: refuses %j with 422 and changes nothing", async (body, loc, type) => {
    const before = await get(one);
    const answer = await patch(one, { batch_idle_timeout_seconds: 77, ...body });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc, type }] } });
    expect(answer.body.detail).toHaveLength(1);
    expect(await get(one)).toEqual(before);
  });

  it("live configuration: null or a reset restores the configured value, in every process and after a restart", async () => {
    await patch(one, { retention_days: 3, batch_timeout_seconds: 11, risk_score_thresholds: { high: 50 }, scene_change_enabled: false });
    expect(await patch(one, { retention_days: null, reset: ["RISK_SCORE_THRESHOLDS", "scene_change_enabled"] })).toMatchObject({
      status: 200,
      body: {
        retention_days: 14,
        batch_timeout_seconds: 11,
        risk_score_thresholds: { low: 0, medium: 30, high: 60, critical: 80 },
        scene_change_enabled: true,
      },
    });
    await eventually(async () => (await get(two)).retention_days === (await get(one)).retention_days);
    // Earlier tests sent whole records back, which sets every value in them.
    await patch(one, { reset: ["vision_url"] });
    const other = await world.start({ RETENTION_DAYS: "99", ...enrichment, VISION_URL: service.url });
    expect(await get(other)).toMatchObject({ retention_days: 99, batch_timeout_seconds: 11, vision_url: service.url });
    // For an address, null means none.
    expect((await patch(other, { vision_url: null, batch_timeout_seconds: null })).body).toMatchObject({
      vision_url: null,
      batch_timeout_seconds: 90,
    });
    expect((await patch(other, { reset: ["vision_url"] })).body).toMatchObject({ vision_url: service.url });
    expect((await patch(other, { reset: ["vision_url"] }, throughProxy)).status).toBe(403);
  });

  it("live configuration: refuses to reset and change a field at once, or to reset a field that is not set", async () => {
    for (const [body, loc] of [
      [{ retention_days: 5, reset: ["retention_days"] }, ["body", "reset"]],
      [{ reset: ["language_model_url"] }, ["body", "reset", 0]],
    ] as const) {
      expect(await patch(one, body)).toMatchObject({ status: 422, body: { detail: [{ loc }] } });
    }
  });

  it("live configuration: accepts addresses only from this machine or with a key", async () => {
    const body = { vision_url: `${service.url}/` };
    const refused = await patch(one, body, throughProxy);
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining("vision_url") } });
    expect((await get(one)).vision_url).toBeNull();
    expect((await patch(two, body, throughProxy)).status).toBe(401);
    expect(await patch(two, body, { ...throughProxy, ...key })).toMatchObject({ status: 200, body: { vision_url: service.url } });
    await eventually(async () => (await get(one)).vision_url === service.url);
    // Any client may send an invalid address, or no change.
    expect((await patch(one, { ...(await get(one)), retention_days: 9 }, throughProxy)).status).toBe(200);
    expect(await patch(one, { vision_url: null })).toMatchObject({ status: 200, body: { vision_url: null } });
  });

  it("live configuration: a new address shows in the health of the services at once", async () => {
    const ai = async () => (await ask(one, "GET /api/system/health")).body.services.ai.details;
    await patch(one, { reid_enabled: false, vision_extraction_enabled: false });
    await eventually(async () => Object.keys(await ai()).toString() === "detector,language_model");
    const urls = { vision_url: service.url, embedder_url: "http://127.0.0.1:1", enrichment_url: service.url };
    await patch(one, { ...urls, reid_enabled: true, vision_extraction_enabled: true });
    const details = await eventually(async () => {
      const now = await ai();
      return Object.keys(now).length === 5 && now;
    });
    const well = { detector: "healthy", language_model: "healthy", vision: "healthy", enrichment: "healthy" };
    expect(details).toEqual({ ...well, embedder: "unhealthy" });
    await patch(one, { reid_enabled: false });
    await eventually(async () => Object.keys(await ai()).toString() === "detector,language_model,vision,enrichment");
    await patch(one, { vision_extraction_enabled: false });
    await eventually(async () => Object.keys(await ai()).toString() === "detector,language_model");
    expect((await ask(one, "GET /api/system/circuit-breakers")).body.breakers).toHaveLength(5);
  });
});
