import { z } from "zod";
import { runInSlices, type Steps } from "../base/async/slices.ts";
import { decodeInSteps, type Faults } from "./decode-steps.ts";
import { problemItems, sentenceOf } from "./issues.ts";
import { bulkItemOf } from "./json-schema.ts";
import { unstorableTexts } from "./text.ts";

/** Maximum number of items in one bulk request. */
const mostBulkItems = 100;

/** The result of one item of a bulk request. */
export const BulkResult = z
  .object({
    index: z.int().meta({ description: "Position of the item in the request, from 0" }),
    status: z.enum(["success", "failed"]).meta({ description: "Whether the item succeeded" }),
    id: z.int().nullable().meta({ description: "Id of the created or named record; null when there is none" }),
    error: z.string().nullable().meta({ description: "Error; null on success" }),
  })
  .meta({ id: "BulkResult", description: "Result of one item of a bulk request" });
export type BulkResult = z.output<typeof BulkResult>;

/** The 207 reply of a bulk request, with one result per item. */
export const BulkReply = z
  .object({
    total: z.int().meta({ description: "Items of the request" }),
    succeeded: z.int().meta({ description: "Items that succeeded" }),
    failed: z.int().meta({ description: "Items that failed; the others still succeed" }),
    results: z.array(BulkResult).meta({ description: "Result of each item, in request order" }),
  })
  .meta({
    id: "BulkReply",
    description: "Results of a bulk request, item by item",
    example: {
      total: 2,
      succeeded: 1,
      failed: 1,
      results: [
        { index: 0, status: "success", id: 1207, error: null },
        { index: 1, status: "failed", id: 1193, error: "Event 1193 is deleted already" },
      ],
    },
  });
export type BulkReply = z.output<typeof BulkReply>;

/**
 * The list in a bulk body: 1 to 100 items of any content, described as `what`. The operation checks each item with `checkItems`, so that
 * each invalid item gets its own result. `item` is the schema shown in openapi.json.
 */
export function bulkItems(item: z.ZodType, what: string) {
  const anything = z.unknown();
  bulkItemOf.set(anything, item);
  return z
    .array(anything)
    .min(1)
    .max(mostBulkItems)
    .meta({ description: `${what}, 1 to ${mostBulkItems}` });
}

/** A valid item of a bulk request with its position. */
export interface CheckedItem<T> {
  readonly index: number;
  readonly item: T;
}

/** The valid items of a bulk request, and the results of the others. */
interface CheckedItems<T> {
  readonly valid: readonly CheckedItem<T>[];
  readonly faulty: readonly BulkResult[];
}

/** Checks each item separately, in slices. The errors of invalid items are in their results. */
export function checkItems<T extends z.ZodType>(schema: T, items: readonly unknown[]): Promise<CheckedItems<z.output<T>>> {
  return runInSlices(checkInSteps(schema, items));
}

function* checkInSteps<T extends z.ZodType>(schema: T, items: readonly unknown[]): Steps<CheckedItems<z.output<T>>> {
  const valid: CheckedItem<z.output<T>>[] = [];
  const faulty: BulkResult[] = [];
  for (const [index, given] of items.entries()) {
    const faults: Faults = { issues: [], unreported: 0 };
    const wrong = yield* unstorableTexts(given, "body");
    const item = (yield* decodeInSteps(schema, given, faults)) as z.output<T>;
    wrong.push(...problemItems(faults.issues, given, ["body"], faults.unreported));
    if (wrong.length === 0) valid.push({ index, item });
    else faulty.push(failedItem(index, sentenceOf(wrong), idOf(given)));
    yield;
  }
  return { valid, faulty };
}

/** Returns the id in an invalid item, if there is one. */
function idOf(given: unknown): number | null {
  const id = typeof given === "object" && given !== null && "id" in given ? given.id : undefined;
  return Number.isSafeInteger(id) ? (id as number) : null;
}

/** Returns the result of an item that succeeded. */
export function doneItem(index: number, id: number): BulkResult {
  return { index, status: "success", id, error: null };
}

/** Returns the result of an item that failed; `id` is the record that the item names. */
export function failedItem(index: number, error: string, id: number | null = null): BulkResult {
  return { index, status: "failed", id, error };
}

/** Builds the reply from the results, in the order of the items. */
export function bulkReply(results: readonly BulkResult[]): BulkReply {
  const failed = results.filter((result) => result.status === "failed").length;
  return {
    total: results.length,
    succeeded: results.length - failed,
    failed,
    results: results.toSorted((a, b) => a.index - b.index),
  };
}
