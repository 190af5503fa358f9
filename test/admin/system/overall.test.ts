import { describe, expect, it } from "vitest";
import { type HealthFacts, overallStatus } from "../../../src/admin/system/overall.ts";

const well: HealthFacts = {
  databaseOk: true,
  storeOk: true,
  upstreams: [
    { name: "detector", healthy: true },
    { name: "language_model", healthy: true },
    { name: "vision", healthy: true },
  ],
  workers: [
    { critical: true, running: true },
    { critical: false, running: true },
  ],
  freeDiskShare: 0.5,
};
const down = (...names: string[]) => ({ upstreams: well.upstreams.map(({ name }) => ({ name, healthy: !names.includes(name) })) });
const starting = (...names: ("detector" | "language_model")[]) => names.map((name) => ({ name, healthy: false, starting: true as const }));

describe("overall health", () => {
  it.each<[string, Partial<HealthFacts>, string]>([
    ["all is well", {}, "healthy"],
    ["the database is down", { databaseOk: false }, "unhealthy"],
    ["detector and language model are down", down("detector", "language_model"), "unhealthy"],
    ["everything is down", { databaseOk: false, storeOk: false, ...down("detector", "language_model", "vision") }, "unhealthy"],
    ["the detector is down", down("detector"), "degraded"],
    ["the language model is down", down("language_model"), "degraded"],
    ["an enrichment service is down", down("vision"), "degraded"],
    ["detector and an enrichment service are down", down("detector", "vision"), "degraded"],
    ["detector and language model are starting", { upstreams: starting("detector", "language_model") }, "degraded"],
    [
      "the detector is down and the language model starting",
      { upstreams: [...down("detector").upstreams, ...starting("language_model")] },
      "degraded",
    ],
    ["all services are switched off", { upstreams: [] }, "healthy"],
    ["only the detector is switched on, and down", { upstreams: [{ name: "detector", healthy: false }] }, "degraded"],
    ["the store is down", { storeOk: false }, "degraded"],
    ["a critical worker is down", { workers: [{ critical: true, running: false }] }, "degraded"],
    ["another worker is down", { workers: [{ critical: false, running: false }] }, "healthy"],
    ["the disk is nearly full", { freeDiskShare: 0.049 }, "degraded"],
    ["the disk is just free enough", { freeDiskShare: 0.05 }, "healthy"],
    ["the disk cannot be told", { freeDiskShare: undefined }, "healthy"],
  ])("when %s", (_name, facts, expected) => {
    expect(overallStatus({ ...well, ...facts })).toBe(expected);
  });
});
