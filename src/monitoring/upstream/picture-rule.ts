import { isInNetwork } from "../../platform/outbound/lan.ts";
import type { Resolve } from "../../platform/outbound/resolve.ts";

/** Where pictures of events may go: LANGUAGE_MODEL_PICTURES. */
export type PictureRule = "off" | "local" | "anywhere";

/**
 * Ollama at home passes the questions to models with such names on to its provider.
 */
const runsElsewhere = /[:-]cloud$/i;

/** Tells whether a model runs in this network: its address is there, and its name does not say that it runs at a provider. */
export async function isNearModel(url: string, model: string | undefined, resolve?: Resolve): Promise<boolean> {
  return !runsElsewhere.test(model ?? "") && (await isInNetwork(url, resolve));
}

/** Tells whether pictures may go to a model. Never throws. */
export async function takesPicturesAt(rule: PictureRule, url: string, model: string | undefined): Promise<boolean> {
  if (rule === "off") return false;
  return rule === "anywhere" || (await isNearModel(url, model));
}
