import type { VariableName } from "./variables.ts";

/** Variables that are read and checked, but on which nothing acts in this version: who sets one is told so. */
export const notYet: ReadonlySet<VariableName> = new Set<VariableName>([
  "ENRICHMENT_WAIT_SECONDS",
  "DETECTOR_MODEL_PATH",
  "VISION_READ_TIMEOUT",
  "EMBEDDER_READ_TIMEOUT",
  "ENRICHMENT_READ_TIMEOUT",
  "REID_SIMILARITY_THRESHOLD",
  "REID_TTL_HOURS",
  "REID_MAX_CONCURRENT",
  "REID_TIMEOUT_SECONDS",
  "DISK_PRESSURE_DELETE",
]);
