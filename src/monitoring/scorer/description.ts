import type { EventFacts } from "../upstream/facts.ts";

const plurals: Readonly<Record<string, string>> = { person: "people", bus: "buses" };

/**
 * Describes what happened and how the score was calculated. The summary has no time of day: it is stored, and each reader sees the time of
 * the event beside it in the own zone.
 */
export function describeEvent(
  facts: EventFacts,
  factors: readonly { readonly name: string; readonly contribution: number }[],
  total: number,
  scorer: string,
): { readonly summary: string; readonly reasoning: string } {
  const stay = facts.dwellSeconds >= 1 ? `, for ${duration(facts.dwellSeconds)}` : "";
  const summary = `${capitalize(list(facts.objects.map(countLabel)) || "nothing recognised")} at ${facts.camera.name}${stay}.`;
  const parts = factors.map(({ name, contribution }) => `${name} ${contribution < 0 ? "−" : "+"}${Math.abs(contribution)}`);
  const reasoning = `The ${scorer} adds points for the facts and does not see the pictures: ${parts.join(", ")}; total ${total} of 100.`;
  return { summary, reasoning };
}

function countLabel({ type, maxSimultaneous: n }: EventFacts["objects"][number]): string {
  return n === 1 ? `1 ${type}` : `${n} ${plurals[type] ?? `${type}s`}`;
}

function list(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 120 ? `${whole} s` : `${Math.round(whole / 60)} min`;
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
