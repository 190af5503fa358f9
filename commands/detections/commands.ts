import type { Command } from "../command.ts";
import { saveDetectionImage } from "./image.ts";
import { labelsOfDetections } from "./labels.ts";
import { listDetections } from "./list.ts";
import { searchDetections } from "./search.ts";
import { showDetection } from "./show.ts";
import { statsOfDetections } from "./stats.ts";

export const commands: readonly Command[] = [
  listDetections,
  searchDetections,
  showDetection,
  labelsOfDetections,
  statsOfDetections,
  saveDetectionImage,
];
