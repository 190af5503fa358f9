import { pluralize } from "../../../base/text/format.ts";
import type { CallResult } from "../../../monitoring/upstream/call.ts";
import { createEmbedder, type Embedding } from "../../../monitoring/upstream/embedder.ts";
import { createEnricher } from "../../../monitoring/upstream/enricher.ts";
import { createVision } from "../../../monitoring/upstream/vision.ts";
import { type Check, NotPossible, type Outcome } from "../check.ts";
import { answered, clientOptions, examplePicture, faulty, findService, refused, type Service, unanswered } from "../upstreams.ts";

const box = { x: 40, y: 40, width: 80, height: 120 } as const;

const vision: Check = {
  id: "vision",
  group: "upstream",
  title: "Vision service",
  severity: "warning",
  finds: "The vision service cannot be reached, or its answer to a small picture is wrong",
  fix: "Start it, correct VISION_URL, or set VISION_EXTRACTION_ENABLED=false",
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

/** Minimum cosine similarity of two vectors of the same picture. */
const minSimilarity = 0.99;

const embedder: Check = {
  id: "embedder",
  group: "upstream",
  title: "Embedder",
  severity: "warning",
  finds: "The embedder cannot be reached, answers without a vector, or gives two different vectors for one picture",
  fix: "Start it, correct EMBEDDER_URL, or set REID_ENABLED=false",
  async run(examination, signal) {
    const { reidEnabled, embedderUrl } = await examination.settings();
    if (!reidEnabled) throw new NotPossible("switched off (REID_ENABLED=false)");
    const service = await findService(examination, "embedder", embedderUrl);
    const client = createEmbedder({ url: () => service.url, ...clientOptions(examination, service) });
    try {
      const picture = await examplePicture();
      const [one, other] = await Promise.all([client.embed(picture, box, signal), client.embed(picture, box, signal)]);
      return await outcomeOf(service, one, async (first) => {
        if (other.kind === "answered" && similarity(first, other.value) < minSimilarity)
          return faulty(service, "it gives two different vectors for one picture: homesec cannot recognise people or objects again");
        return await answered(service, `vectors of ${first.length} numbers`);
      });
    } finally {
      await client.close();
    }
  },
};

function similarity(one: Embedding, other: Embedding): number {
  return one.length === other.length ? one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0) : 0;
}

const enrichment: Check = {
  id: "enrichment",
  group: "upstream",
  title: "Enrichment service",
  severity: "warning",
  finds: "The enrichment service cannot be reached, or its answer to an example is wrong",
  fix: "Start it, or correct ENRICHMENT_URL",
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

async function outcomeOf<T>(service: Service, result: CallResult<T>, judge: (value: T) => Promise<Outcome>): Promise<Outcome> {
  if (result.kind === "refused") return refused(service, result.detail);
  return result.kind === "unavailable" ? await unanswered(service, result) : await judge(result.value);
}

export const enrichmentChecks: readonly Check[] = [vision, embedder, enrichment];
