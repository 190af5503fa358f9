import { Problem } from "../../contract/problem.ts";
import type { Config } from "../../platform/config/config.ts";
import { readModelFile } from "./model-file.ts";

/**
 * Why the configured model of the built-in detector cannot be used, as far as its file tells; undefined when there is
 * none or nothing speaks against it. What only shows when it runs is in the health of the running detector.
 */
export function modelFault({ detectorUrl, detectorModelPath }: Pick<Config, "detectorUrl" | "detectorModelPath">): string | undefined {
  if (detectorUrl !== undefined || detectorModelPath === undefined) return undefined;
  try {
    readModelFile(detectorModelPath);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}
