import { Problem } from "../../contract/problem.ts";
import type { Config } from "../../platform/config/config.ts";
import { readModelFile } from "./model-file.ts";

/**
 * Returns why the configured model of the built-in detector cannot be used, judging by its file; undefined if there is no
 * model or no problem. Problems at run time are in the health of the running detector.
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
