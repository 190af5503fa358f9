/**
 * The answer as a JSON schema, for servers that bind a model to one. It has only what strict servers accept: each field is required, no
 * other field is allowed, and numbers have no bounds.
 */
export const verdictSchema = {
  type: "object",
  properties: {
    risk_score: { type: "integer" },
    summary: { type: "string" },
    reasoning: { type: "string" },
    risk_factors: {
      type: "array",
      items: {
        type: "object",
        properties: { name: { type: "string" }, contribution: { type: "integer" }, detail: { type: "string" } },
        required: ["name", "contribution", "detail"],
        additionalProperties: false,
      },
    },
  },
  required: ["risk_score", "summary", "reasoning", "risk_factors"],
  additionalProperties: false,
} as const;

/** Returns the schema for Gemini, which refuses schemas that say whether other fields are allowed. */
export function withoutAdditional(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutAdditional);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]) => (name === "additionalProperties" ? [] : [[name, withoutAdditional(value)]])),
  );
}
