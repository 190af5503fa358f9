import { pluralize } from "../../../base/text/pluralize.ts";
import { createEmbedder, type Embedding } from "../../../monitoring/upstream/embedder.ts";
import { createEnricher } from "../../../monitoring/upstream/enricher.ts";
import type { ServiceResult } from "../../../monitoring/upstream/service-client.ts";
import { createVision } from "../../../monitoring/upstream/vision.ts";
import { type Check, finding, NotPossible, type Outcome, ok } from "../check.ts";
import { answered, clientOptions, examplePicture, faulty, findService, refused, type Service, unanswered } from "../upstreams.ts";

const box = { x: 40, y: 40, width: 80, height: 120 } as const;

const vision: Check = {
  id: "vision",
  group: "upstream",
  title: "Vision service",
  severity: "warning",
  finds: "The vision service cannot be reached, or its answer to a small picture is not what was agreed",
  remedy: "Start it, correct VISION_URL, or VISION_EXTRACTION_ENABLED=false",
  async run(examination, signal) {
    const { visionExtractionEnabled, visionUrl } = await examination.settings();
    if (!visionExtractionEnabled) throw new NotPossible("switched off (VISION_EXTRACTION_ENABLED=false)");
    const service = await findService(examination, "vision", visionUrl);
    const client = createVision({ url: () => service.url, ...clientOptions(examination, service) });
    try {
      const result = await client.extract(await examplePicture(), box, signal);
      return await outcomeOf(service, result, ({ attributes }) =>
        answered(service, pluralize(Object.keys(attributes).length, "attribute")),
      );
    } finally {
      await client.close();
    }
  },
};

/** Below this the same picture would be taken for somebody else. */
const leastSameness = 0.99;

const embedder: Check = {
  id: "embedder",
  group: "upstream",
  title: "Embedder",
  severity: "warning",
  finds: "The embedder cannot be reached, its answer is no vector, or it gives two vectors for one picture",
  remedy: "Start it, correct EMBEDDER_URL, or REID_ENABLED=false",
  async run(examination, signal) {
    const { reidEnabled, embedderUrl } = await examination.settings();
    if (!reidEnabled) throw new NotPossible("switched off (REID_ENABLED=false)");
    const service = await findService(examination, "embedder", embedderUrl);
    const client = createEmbedder({ url: () => service.url, ...clientOptions(examination, service) });
    try {
      const picture = await examplePicture();
      const [one, other] = await Promise.all([client.embed(picture, box, signal), client.embed(picture, box, signal)]);
      return await outcomeOf(service, one, async (first) => {
        if (other.kind === "answered" && sameness(first, other.value) < leastSameness)
          return faulty(service, "it gives two vectors for one picture: nobody can be recognised again");
        return await answered(service, `vectors of ${first.length} numbers`);
      });
    } finally {
      await client.close();
    }
  },
};

function sameness(one: Embedding, other: Embedding): number {
  return one.length === other.length ? one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0) : 0;
}

const enrichment: Check = {
  id: "enrichment",
  group: "upstream",
  title: "Enrichment service",
  severity: "warning",
  finds: "The enrichment service cannot be reached, or its answer to an example is not what was agreed",
  remedy: "Start it, or correct ENRICHMENT_URL",
  async run(examination, signal) {
    const { visionExtractionEnabled, enrichmentUrl } = await examination.settings();
    if (!visionExtractionEnabled) throw new NotPossible("switched off (VISION_EXTRACTION_ENABLED=false)");
    const service = await findService(examination, "enrichment", enrichmentUrl);
    const client = createEnricher({ url: () => service.url, ...clientOptions(examination, service) });
    const detection = {
      id: 0,
      camera_id: "homesec-doctor",
      object_type: "person",
      confidence: 0.9,
      detected_at: examination.clock.now(),
      bbox: box,
    };
    try {
      const result = await client.enrich({ detection, attributes: { colour: "grey" }, embedding_match: null }, signal);
      return await outcomeOf(service, result, (attributes) => answered(service, pluralize(Object.keys(attributes).length, "attribute")));
    } finally {
      await client.close();
    }
  },
};

async function outcomeOf<T>(service: Service, result: ServiceResult<T>, judge: (value: T) => Promise<Outcome>): Promise<Outcome> {
  if (result.kind === "refused") return refused(service, result.detail);
  return result.kind === "unavailable" ? await unanswered(service, result) : await judge(result.value);
}

const unusedServices: Check = {
  id: "unused-services",
  group: "upstream",
  title: "Services that nobody asks",
  severity: "warning",
  finds: "A service has an address, but what it is for is switched off",
  remedy: "Switch it on, or remove the address",
  async run(examination) {
    const { visionExtractionEnabled, reidEnabled, visionUrl, embedderUrl, enrichmentUrl } = await examination.settings();
    const unused = [
      ...(visionUrl !== null && !visionExtractionEnabled ? (["VISION_URL"] as const) : []),
      ...(enrichmentUrl !== null && !visionExtractionEnabled ? (["ENRICHMENT_URL"] as const) : []),
      ...(embedderUrl !== null && !reidEnabled ? (["EMBEDDER_URL"] as const) : []),
    ];
    if (unused.length === 0) return ok();
    const switches = [...new Set(unused.map((name) => (name === "EMBEDDER_URL" ? "REID_ENABLED" : "VISION_EXTRACTION_ENABLED")))];
    return finding(
      `${unused.join(" and ")} ${unused.length === 1 ? "is" : "are"} set, but nobody asks there: ${switches.join(" and ")} is off`,
      `Set ${switches.map((name) => `${name}=true`).join(" and ")}, or remove ${unused.join(" and ")}`,
    );
  },
};

export const enrichmentChecks: readonly Check[] = [vision, embedder, enrichment, unusedServices];
