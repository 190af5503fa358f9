import { z } from "zod";
import { ranges } from "./constants.ts";
import { IntText } from "./values.ts";

/** The query parameters of every list. `offset` still works but is deprecated. */
export const pageQuery = {
  limit: IntText(...ranges.pageLimit)
    .default(50)
    .meta({ description: "Page size, 1 to 1000" }),
  cursor: z.string().optional().meta({ description: "`pagination.next_cursor` of the previous page" }),
  offset: IntText(0, 1_000_000_000).optional().meta({ description: "Deprecated: rows to skip; use `cursor`" }),
};

export const Pagination = z
  .object({
    total: z.int().meta({ description: "Exact number of matching rows", example: 1 }),
    limit: z.int().meta({ description: "Requested page size", example: 50 }),
    offset: z.int().meta({ description: "Skipped rows; 0 with a cursor" }),
    next_cursor: z.string().nullable().meta({ description: "`cursor` of the next page; null on the last one" }),
    has_more: z.boolean().meta({ description: "Whether there is a next page" }),
  })
  .meta({ id: "Pagination", description: "Position of this page in the list" });

/** The warning in a list that was requested with `offset`. */
export const DeprecationWarning = z
  .string()
  .meta({ description: "Present only when `offset` was used; use `cursor` or a larger `limit` instead" });

/** Creates the reply schema of a list. `deprecation_warning` is present only when `offset` was used. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item).meta({ description: "The rows of this page" }),
    pagination: Pagination,
    deprecation_warning: DeprecationWarning.optional(),
  });
}
