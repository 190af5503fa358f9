import type { z } from "zod";
import type { RouteExample } from "./json-schema.ts";

/** The names in "/api/cameras/{camera_id}/scene-changes/{id}", as a union. */
type PathParameter<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParameter<Rest> : never;

/** Rate-limit tiers of the interface document; `none` for routes without a limit. */
export const tiers = ["default", "media", "websocket", "search", "export", "ai_inference", "bulk", "none"] as const;
export type Tier = (typeof tiers)[number];

/** A reply that is not JSON: bytes of one of these media types. */
export interface BinaryReply {
  readonly mediaTypes: readonly string[];
  /** Generated for each request while it is sent: there is no `ETag`, and the operation receives the preferred media type. */
  readonly streamed?: true;
  /** Supports `Range` requests, which video players use. */
  readonly ranges?: true;
}

/** The statuses beyond validation errors that a route can return, with one sentence each for openapi.json. */
export type Refusals = Readonly<Partial<Record<400 | 403 | 404 | 409 | 410 | 503, string>>>;

/** One HTTP route as a value. Mounting, validation, openapi.json, both clients and the fuzz test use it. */
export interface Route {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Path as in the interface document, with `{name}` for a path parameter. */
  readonly path: `/${string}`;
  /** A short imperative sentence: "List cameras". */
  readonly summary: string;
  readonly tag: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The JSON reply, or `BinaryReply`; absent for 204. */
  readonly reply?: z.ZodType | BinaryReply;
  readonly status?: 200 | 201 | 202 | 204 | 207;
  readonly refusals?: Refusals;
  readonly example?: RouteExample;
  /** The JSON reply has an `ETag`, and homesec answers a matching `If-None-Match` with 304. Replies of bytes always do. */
  readonly etag?: true;
  /** With `etag`: `max-age` of the reply. Default: none. */
  readonly maxAgeSeconds?: number;
  /** May take long: clients use a longer timeout. */
  readonly slow?: true;
  /**
   * The body contains a list, and the operation checks each item separately. The body may have 8 MiB, and an item with text that cannot
   * be stored does not fail the others. Every route of the tier `bulk` works like this.
   */
  readonly itemwise?: true;
  /** Default: `default`. */
  readonly tier?: Tier;
  /** Tier of a request with a body of more than 128 KiB, or of a length that it does not state. Default: `tier`. */
  readonly largeBodyTier?: Exclude<Tier, "none">;
  /** Default `key`: requires an API key when keys are enabled. `media`: only with `MEDIA_REQUIRES_KEY=true`, or a signed address. */
  readonly auth?: "key" | "media" | "none";
}

/** Checks whether the operation checks each item of the body separately. */
export function isItemwise(route: Route): boolean {
  return route.itemwise === true || route.tier === "bulk";
}

type ParamsFor<P extends string> = [PathParameter<P>] extends [never]
  ? { readonly params?: never }
  : { readonly params: z.ZodObject<Record<PathParameter<P>, z.ZodType>> };

/** Declares one HTTP route. The placeholders of the path must match the keys of `params`, or it does not compile. */
export function route<const P extends `/${string}`, const R extends Omit<Route, "path" | "params">>(
  path: P,
  spec: R & ParamsFor<P>,
): R & ParamsFor<P> & { readonly path: P } {
  return { ...spec, path };
}

/** Everything about a route besides its method, path, summary and tag. */
type Details = Omit<Route, "method" | "path" | "summary" | "tag" | "params">;

/** Creates the functions that declare the routes of one tag: `get("/api/cameras", "List cameras", { reply })`. */
export function routesOf(tag: string) {
  const declare =
    <const M extends Route["method"]>(method: M) =>
    <const P extends `/${string}`, const D extends Details>(path: P, summary: string, details: D & ParamsFor<P>) =>
      route<P, D & { readonly method: M; readonly summary: string; readonly tag: string }>(path, { ...details, method, summary, tag });
  return { get: declare("get"), post: declare("post"), put: declare("put"), patch: declare("patch"), delete: declare("delete") };
}

type Part<R, K extends string> = K extends keyof R
  ? [R[K]] extends [never]
    ? unknown
    : R[K] extends z.ZodType
      ? { readonly [_ in K]: z.output<R[K]> }
      : unknown
  : unknown;

/** The decoded request of a route: the argument of an operation and of a client call. */
export type Request<R extends Route> = Part<R, "params"> & Part<R, "query"> & Part<R, "body"> & PreferredType<R>;

/** For streams: the media type that the client prefers by `Accept`; undefined without a preference. */
type PreferredType<R> = R extends { readonly reply: { readonly streamed: true } }
  ? { readonly preferredType: string | undefined }
  : unknown;

/** The decoded JSON reply of a route; `undefined` for 204 and for bytes. */
export type Reply<R extends Route> = R extends { readonly reply: infer T } ? (T extends z.ZodType ? z.output<T> : undefined) : undefined;
