import { pluralize } from "../../../base/text/format.ts";
import { createEmbedder } from "../../../monitoring/upstream/embedder.ts";
import { createEnricher } from "../../../monitoring/upstream/enricher.ts";
import { createVision } from "../../../monitoring/upstream/vision.ts";
import { type Check, NotPossible } from "../check.ts";
import type { Examination } from "../examination.ts";
import { answered, examplePicture, probeService } from "../upstreams.ts";

const box = { x: 40, y: 40, width: 80, height: 120 } as const;

const vision: Check = {
  id: "vision",
  group: "upstream",
  title: "Vision service",
  severity: "warning",
  finds: "The vision service cannot be reached, or its answer to a small picture is wrong",
  run: async (examination, signal) =>
    probeService(
      examination,
      { name: "vision", url: (await extraction(examination)).visionUrl, create: createVision },
      async (client) => client.extract(await examplePicture(), box, signal),
      ({ value }, service) => answered(service, attributesText(value.attributes)),
    ),
};

const embedder: Check = {
  id: "embedder",
  group: "upstream",
  title: "Embedder",
  severity: "warning",
  finds: "The embedder cannot be reached, or answers without a vector",
  run: async (examination, signal) => {
    const { reidEnabled, embedderUrl } = await examination.settings();
    if (!reidEnabled) throw new NotPossible("switched off (REID_ENABLED=false)");
    return await probeService(
      examination,
      { name: "embedder", url: embedderUrl, create: createEmbedder },
      async (client) => client.embed(await examplePicture(), box, signal),
      ({ value }, service) => answered(service, `vectors of ${value.length} numbers`),
    );
  },
};

/** An invented detection for the enrichment service. */
const exampleDetection = { id: 0, camera_id: "homesec-doctor", object_type: "person", confidence: 0.9, bbox: box };

const enrichment: Check = {
  id: "enrichment",
  group: "upstream",
  title: "Enrichment service",
  severity: "warning",
  finds: "The enrichment service cannot be reached, or its answer to an example is wrong",
  run: async (examination, signal) => {
    const detection = { ...exampleDetection, detected_at: examination.clock.now() };
    return await probeService(
      examination,
      { name: "enrichment", url: (await extraction(examination)).enrichmentUrl, create: createEnricher },
      (client) => client.enrich({ detection, attributes: { colour: "grey" }, embedding_match: null }, signal),
      ({ value }, service) => answered(service, attributesText(value)),
    );
  },
};

async function extraction(examination: Examination) {
  const settings = await examination.settings();
  if (!settings.visionExtractionEnabled) throw new NotPossible("switched off (VISION_EXTRACTION_ENABLED=false)");
  return settings;
}

function attributesText(attributes: object): string {
  return pluralize(Object.keys(attributes).length, "attribute");
}

export const serviceChecks: readonly Check[] = [vision, embedder, enrichment];
