import type { z } from "zod";
import type { Pagination } from "../page.ts";

/** Where a list is that has only these rows. */
export function onePage(rows: number) {
  return { total: rows, limit: 50, offset: 0, next_cursor: null, has_more: false } satisfies z.input<typeof Pagination>;
}

/** A list of only these rows. */
export function listOf<T extends readonly unknown[]>(...rows: T) {
  const items: T[number][] = [...rows];
  return { items, pagination: onePage(items.length) };
}

/** The answer to a bulk request of which the second item is refused. */
export function halfDone(id: number, refusal: { readonly id: number | null; readonly error: string }) {
  return {
    total: 2,
    succeeded: 1,
    failed: 1,
    results: [
      { index: 0, status: "success" as const, id, error: null },
      { index: 1, status: "failed" as const, ...refusal },
    ],
  };
}
