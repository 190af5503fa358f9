/** The formats of `-o`. */
export const outputFormats = ["table", "json", "ndjson", "csv", "yaml", "id"] as const;
export type OutputFormat = (typeof outputFormats)[number];
