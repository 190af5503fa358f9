import { z } from "zod";
import { IntText } from "./values.ts";

/** The query keys that every list takes. `offset` still works but is deprecated. */
export const pageQuery = {
  limit: IntText(1, 1000).default(50).meta({ description: "Page size, 1 to 1000" }),
  cursor: z.string().optional().meta({ description: "`pagination.next_cursor` of the page before" }),
  offset: IntText(0, 1_000_000_000).optional().meta({ description: "Deprecated: rows to skip; use `cursor`" }),
};

/** What a list operation receives of `pageQuery`. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly offset?: number | undefined;
}

export const Pagination = z
  .object({
    total: z.int().meta({ description: "Exact number of rows that match" }),
    limit: z.int(),
    offset: z.int(),
    next_cursor: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: "Pagination" });

/** The reply of a list. `deprecation_warning` is there only when `offset` was used. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), pagination: Pagination, deprecation_warning: z.string().optional() });
}
