import { z } from "zod";

/** How the JSON Schema of a value on the wire differs from zod's: codecs show their input. */
export const wireForm = {
  unrepresentable: "any",
  override: ({ zodSchema, jsonSchema }) => {
    delete jsonSchema["example"];
    if (zodSchema instanceof z.ZodDate) jsonSchema.type = "string";
    if (zodSchema instanceof z.ZodCodec && zodSchema.out instanceof z.ZodEnum) jsonSchema.enum = zodSchema.out.options;
  },
} satisfies z.core.ToJSONSchemaParams;
