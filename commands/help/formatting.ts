import type { OutputFormat } from "../output/formats.ts";

const meanings: Readonly<Record<OutputFormat, string>> = {
  table: "For people: as wide as the terminal, relative times, colours. Without a terminal: nothing cut, no colours",
  json: "The body of the API, for a list with all its pages together",
  ndjson: "One record a line",
  csv: "RFC 4180, all fields; texts that a spreadsheet would run as a formula begin with an apostrophe",
  yaml: "The same body as YAML",
  id: "One id a line",
};

/** Every output format and what is printed. */
export const formatMeanings = Object.entries(meanings);
