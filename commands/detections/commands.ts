import type { Command } from "../command.ts";
import { saveDetectionImage } from "./image.ts";
import { listDetections } from "./list.ts";
import { searchDetections } from "./search.ts";
import { showDetection } from "./show.ts";

export const commands: readonly Command[] = [listDetections, searchDetections, showDetection, saveDetectionImage];
