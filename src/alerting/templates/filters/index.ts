import type { Filter } from "./filter.ts";
import { listFilters } from "./lists.ts";
import { textFilters } from "./texts.ts";
import { valueFilters } from "./values.ts";

const own: Readonly<Record<string, Filter>> = { ...textFilters, ...listFilters, ...valueFilters };
const aliases: Readonly<Record<string, string>> = { d: "default", escape: "e", count: "length" };

/** All filters by name. */
export const filters: ReadonlyMap<string, Filter> = new Map([
  ...Object.entries(own),
  ...Object.entries(aliases).map(([alias, name]) => [alias, own[name] as Filter] as const),
]);

/** Filters of Jinja2 that homesec does not have, with the alternative. */
export const filtersLeftOut: ReadonlyMap<string, string> = new Map([
  ["pprint", "use tojson(2)"],
  ["random", "the same event must give the same text; use first"],
  ["urlize", "write the link yourself"],
  ["wordwrap", "use truncate"],
]);
