import { z } from "zod";

/** The schema to show for each item of a bulk body, which itself accepts anything. */
export const bulkItemOf = new WeakMap<object, z.ZodType>();

/** How the JSON Schema of a value on the wire differs from zod's: codecs show their input. */
export const wireForm = {
  unrepresentable: "any",
  override: ({ zodSchema, jsonSchema }) => {
    delete jsonSchema["example"];
    const item = bulkItemOf.get(zodSchema);
    if (item !== undefined) {
      const { $schema: _, ...shown } = z.toJSONSchema(item, { io: "input", ...wireForm });
      Object.assign(jsonSchema, shown);
    }
    if (zodSchema instanceof z.ZodDate) jsonSchema.type = "string";
    if (zodSchema instanceof z.ZodCodec && zodSchema.out instanceof z.ZodEnum) jsonSchema.enum = zodSchema.out.options;
  },
} satisfies z.core.ToJSONSchemaParams;

/** Overrides for the examples in the schemas of a route: fields of the body, the reply, or the reply with 503. */
export interface RouteExample {
  readonly body?: object;
  readonly reply?: object;
  readonly unwell?: object;
}

/**
 * Returns the example of a schema as JSON on the wire, or undefined when there is none. It comes from `example` in the metadata. The
 * example of an object combines the examples of its fields; its own example overrides only fields that must fit together. A nullable
 * field without an example is null, unless it contains an object that has one. An optional field is omitted.
 */
function exampleOf(type: z.ZodType): unknown {
  const given = type.meta()?.["example"];
  if (type instanceof z.ZodObject) return { ...composed(type.shape), ...(given as object) };
  return given ?? derived(type);
}

/** Returns the example of a schema with some fields replaced. */
export function exampleWith(type: z.ZodType, differing: object | undefined): unknown {
  const example = exampleOf(type);
  return differing === undefined ? example : { ...(example as object), ...differing };
}

function hasExample(type: z.ZodType): boolean {
  return type instanceof z.ZodObject && type.meta()?.["example"] !== undefined;
}

function composed(shape: Readonly<Record<string, z.core.$ZodType>>): object {
  const entries = Object.entries(shape).map(([name, type]) => [name, exampleOf(type as z.ZodType)]);
  return Object.fromEntries(entries.filter(([, example]) => example !== undefined));
}

function derived(type: z.ZodType): unknown {
  if (type instanceof z.ZodNullable) return hasExample(type.unwrap() as z.ZodType) ? exampleOf(type.unwrap() as z.ZodType) : null;
  if (type instanceof z.ZodCodec) return derived((type.out instanceof z.ZodEnum ? type.out : type.in) as z.ZodType);
  if (type instanceof z.ZodEnum) return type.options[0];
  if (type instanceof z.ZodLiteral) return type.value;
  if (type instanceof z.ZodBoolean) return false;
  if (type instanceof z.ZodNumber) return Math.max(type.minValue ?? 0, 0);
  if (type instanceof z.ZodRecord) return {};
  if (type instanceof z.ZodLazy) return exampleOf(type.unwrap() as z.ZodType);
  if (type instanceof z.ZodUnion) return exampleOf(type.options[0] as z.ZodType);
  if (type instanceof z.ZodArray) return [exampleOf(type.element as z.ZodType)].filter((example) => example !== undefined);
  return undefined;
}
