/** A JSON object from an answer, with unknown content. */
export type Fields = Readonly<Record<string, unknown>>;

/** Tells whether a JSON value is an object. */
export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
