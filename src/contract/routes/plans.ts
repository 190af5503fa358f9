import { z } from "zod";
import type { Plan, RoutePlan, TextPlan } from "../plan.ts";
import { isItemwise, type Route } from "../route.ts";
import { Instant } from "../values.ts";
import type { OperationId, Routes } from "./index.ts";

/*
 * What a command needs of the routes. The build puts the finished plans and the place of each route where this module is
 * (`bin/vite.config.ts`): a command then loads its plan without any schema, or one file of routes instead of all.
 */

/** The plan of an operation, if it has one. */
export async function planOf(operation: OperationId): Promise<RoutePlan | undefined> {
  return makePlan(await loadRoute(operation));
}

/** Loads one route with its schemas. */
export async function loadRoute<K extends OperationId>(operation: K): Promise<Routes[K]> {
  return (await import("./index.ts")).routes[operation];
}

/** Makes the plan of a route from its schemas. Returns undefined for routes that change something, reply with bytes or need more than a plan. */
export function makePlan(route: Route): RoutePlan | undefined {
  const { method, path, reply, params, query, slow = false } = route;
  if (method !== "get" || reply === undefined || "mediaTypes" in reply || isItemwise(route)) return undefined;
  const plan = planOfReply(reply);
  if (plan === undefined) return undefined;
  return { path, slow, params: textPlans(params), query: textPlans(query), reply: plan };
}

function textPlans(schema: z.ZodObject | undefined): Readonly<Record<string, TextPlan | null>> {
  return Object.fromEntries(Object.entries(schema?.shape ?? {}).map(([name, part]) => [name, textPlan(part as z.ZodType) ?? null]));
}

function textPlan(schema: z.ZodType): TextPlan | undefined {
  if (schema.def.checks?.length) return undefined;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return textPlan(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray) return within(textPlan(schema.element as z.ZodType), (part) => ["list", part]);
  if (schema instanceof z.ZodEnum) return ["words", ...schema.options.map(String)];
  if (schema instanceof z.ZodCodec) return encodedText(schema);
  return isAnyText(schema) ? "text" : undefined;
}

/** Timestamps, numbers and words of `values.ts` encode as `String` and `toISOString` do. */
function encodedText({ in: wire, out }: z.ZodCodec): TextPlan | undefined {
  if (!isAnyText(wire as z.ZodType)) return undefined;
  if (out instanceof z.ZodNumber) {
    const { minValue, maxValue } = out;
    return [out instanceof z.ZodNumberFormat ? "whole" : "number", minValue ?? -Number.MAX_VALUE, maxValue ?? Number.MAX_VALUE];
  }
  if (out instanceof z.ZodEnum) return ["words", ...out.options.map(String)];
  if ((out as z.ZodType).def.checks?.length) return undefined;
  if (out instanceof z.ZodDate) return "time";
  if (out instanceof z.ZodBoolean) return "boolean";
  return isAnyText(out as z.ZodType) ? "text" : undefined;
}

function planOfReply(schema: z.ZodType): Plan | undefined {
  if (schema instanceof z.ZodUUID && schema.def.pattern && schema.def.checks?.length === undefined)
    return ["pattern", schema.def.pattern.source];
  if (schema instanceof z.ZodNumberFormat) return schema.format === "safeint" && !schema.def.checks?.length ? "whole" : undefined;
  if (schema.def.checks?.length) return undefined;
  if (schema instanceof z.ZodOptional) return within(planOfReply(schema.unwrap() as z.ZodType), (part) => ["optional", part]);
  if (schema instanceof z.ZodNullable) return within(planOfReply(schema.unwrap() as z.ZodType), (part) => ["nullable", part]);
  if (schema instanceof z.ZodArray) return within(planOfReply(schema.element as z.ZodType), (part) => ["list", part]);
  if (schema instanceof z.ZodRecord) {
    if (!isAnyText(schema.keyType as z.ZodType)) return undefined;
    return within(planOfReply(schema.valueType as z.ZodType), (part) => ["record", part]);
  }
  if (schema instanceof z.ZodObject) return planOfObject(schema);
  if (schema instanceof z.ZodCodec) return schema.def.transform === Instant.def.transform ? "time" : undefined;
  if (schema instanceof z.ZodEnum) return ["words", ...schema.options];
  if (schema instanceof z.ZodLiteral) return ["words", ...(schema.def.values as (string | number | boolean | null)[])];
  if (schema instanceof z.ZodNumber) return "number";
  if (schema instanceof z.ZodBoolean) return "boolean";
  if (schema instanceof z.ZodUnknown) return "any";
  return isAnyText(schema) ? "text" : undefined;
}

function planOfObject(schema: z.ZodObject): Plan | undefined {
  const { catchall } = schema.def;
  if (catchall !== undefined && !(catchall instanceof z.ZodUnknown)) return undefined;
  const fields: Record<string, Plan> = {};
  for (const [name, part] of Object.entries(schema.shape)) {
    const plan = planOfReply(part as z.ZodType);
    if (plan === undefined) return undefined;
    fields[name] = plan;
  }
  return [catchall === undefined ? "object" : "open", fields];
}

/** Formats such as URLs are kinds of text with their own check. */
function isAnyText(schema: z.ZodType): boolean {
  return schema instanceof z.ZodString && !("format" in schema.def) && !schema.def.checks?.length;
}

function within<T, P>(part: T | undefined, make: (part: T) => P): P | undefined {
  return part === undefined ? undefined : make(part);
}
