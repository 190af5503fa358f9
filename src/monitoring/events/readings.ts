import { enrichmentOf } from "../detections/enrichment.ts";
import type { EventFacts } from "../upstream/facts.ts";

type Reading = EventFacts["readings"][number];

/** Limits, so that a picture full of text leaves space for other results. Messages come from elsewhere and have their own limit. */
const most: Readonly<Record<Reading["kind"], number>> = { message: 0, text: 15, caption: 10, attribute: 15 };

/** Collects the texts that enrichment read from the pictures of an event: each once, the most frequent first. */
export function readingsFrom(detections: readonly { readonly objectType: string; readonly enrichment: unknown }[]): EventFacts["readings"] {
  const counted = new Map<string, { readonly reading: Reading; count: number }>();
  for (const { objectType, enrichment } of detections) {
    if (enrichment === null) continue;
    const { attributes, ocr, caption } = enrichmentOf(0, enrichment);
    const readings: Reading[] = [
      ...ocr.map(({ text }) => ({ kind: "text" as const, objectType, content: text })),
      ...(caption === null ? [] : [{ kind: "caption" as const, objectType, content: caption }]),
      ...Object.entries(attributes).map(([name, value]) => ({
        kind: "attribute" as const,
        objectType,
        content: `${name}: ${Array.isArray(value) ? value.join(", ") : String(value)}`,
      })),
    ];
    for (const reading of readings) {
      const key = JSON.stringify(reading);
      const known = counted.get(key);
      if (known) known.count += 1;
      else counted.set(key, { reading, count: 1 });
    }
  }
  const sorted = [...counted.values()].toSorted((a, b) => b.count - a.count).map(({ reading }) => reading);
  return (["text", "caption", "attribute"] as const).flatMap((kind) =>
    sorted.filter((reading) => reading.kind === kind).slice(0, most[kind]),
  );
}
