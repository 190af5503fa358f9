import { Problem } from "../../src/contract/problem.ts";
import { unusableChannels } from "../../src/contract/unusable-channels.ts";
import { canAsk, openDialogue } from "../input/dialogue.ts";
import { flag } from "../input/options.ts";
import { unknownCameras } from "../input/similar-id.ts";
import type { Io } from "../io.ts";

/** The option of commands that save rules. */
export const forceOption = { force: flag("Save a rule that can never match or alert") };

/** The parts of a rule that may never match or arrive. */
interface Checked {
  readonly camera_ids?: readonly string[] | null | undefined;
  readonly zones?: readonly string[] | null | undefined;
  readonly not_zones?: readonly string[] | null | undefined;
  readonly channels?: readonly string[] | null | undefined;
}

/**
 * Checks rules before they are saved: cameras and zones that do not exist, and channels that send nothing. On a terminal it asks
 * whether to save them anyway. Throws `Problem("invalid")` if the user declines, and in a script without `--force`.
 */
export async function checkRules(io: Io, rules: readonly Checked[], { force }: { readonly force: boolean }): Promise<void> {
  const faults = [
    ...(await unknownCameras(
      io,
      rules.flatMap(({ camera_ids }) => camera_ids ?? []),
    )),
    ...(await unknownZones(
      io,
      rules.flatMap(({ zones, not_zones }) => [...(zones ?? []), ...(not_zones ?? [])]),
    )),
    ...(rules.some(({ channels }) => channels?.includes("webhook") || channels?.includes("push")) ? await channelFaults(io, rules) : []),
  ];
  if (faults.length === 0) return;
  if (!force && !canAsk(io.host)) throw new Problem("invalid", `${faults.join("; ")}; nothing was saved (--force saves it anyway)`);
  for (const fault of faults) io.output.note(fault);
  if (force) return;
  const dialogue = openDialogue(io.host);
  try {
    if (!/^y(es)?$/i.test(await dialogue.ask("Save it anyway? [y/N] "))) throw new Problem("invalid", "cancelled; nothing was saved");
  } finally {
    dialogue.close();
  }
}

async function unknownZones(io: Io, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const { zones } = await io.call("listAllZones", {});
  const { zoneFaults } = await import("../../src/alerting/rules/dead-values.ts");
  return zoneFaults(
    [...new Set(names)],
    zones.map(({ name }) => name),
  );
}

async function channelFaults(io: Io, rules: readonly Checked[]): Promise<readonly string[]> {
  const config = await io.call("getNotificationConfig", {});
  // A mail server may follow, and while notifications are off every rule is the same
  const words = rules.flatMap(({ channels }) => channels ?? []).filter((word) => word === "push" || word === "webhook");
  return unusableChannels(words, { ...config, notification_enabled: true });
}
