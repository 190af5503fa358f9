import type { z } from "zod";
import type { RouteExample } from "./example.ts";

/** The names in "/api/cameras/{camera_id}/scene-changes/{id}", as a union. */
type PathParameter<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParameter<Rest> : never;

/** Rate-limit tiers of the interface document; `none` for what is never limited. */
export const tiers = ["default", "media", "websocket", "search", "export", "ai_inference", "bulk", "none"] as const;
export type Tier = (typeof tiers)[number];

/** What a route answers when the body is not JSON: bytes of one of these media types. */
export interface BinaryReply {
  readonly mediaTypes: readonly string[];
  /** Made anew for each request while it is sent: there is no `ETag`, and the operation is told which type the asker prefers. */
  readonly streamed?: true;
  /** Parts of it can be asked for with `Range`, as players of videos do. */
  readonly ranges?: true;
}

/** The statuses beyond validation errors that a route can answer, with one sentence each. They go into openapi.json. */
export type Refusals = Readonly<Partial<Record<400 | 403 | 404 | 409 | 503, string>>>;

/** One HTTP route as a value. Mounting, validation, openapi.json, both clients and the fuzz test read it. */
export interface Route {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Written as in the interface document, with `{name}` for a path parameter. */
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
  /** The JSON reply carries an `ETag`, and `If-None-Match` is answered with 304. Bytes always do. */
  readonly etag?: true;
  /** With `etag`: for how long the reply may be shown without asking again. Default: not at all. */
  readonly maxAgeSeconds?: number;
  /** May take long: a client is patient with it. */
  readonly slow?: true;
  /**
   * The body holds a list of items that the operation looks at each by itself: it may have 8 MiB, and an item with a text that cannot be
   * stored does not have the others refused. So are all routes of the tier `bulk`.
   */
  readonly itemwise?: true;
  /** Default `default`. */
  readonly tier?: Tier;
  /** Default `key`: needs an API key when keys are on. */
  readonly auth?: "key" | "none";
}

/** Whether the operation looks at each item of the body by itself. */
export function isItemwise(route: Route): boolean {
  return route.itemwise === true || route.tier === "bulk";
}

type ParamsFor<P extends string> = [PathParameter<P>] extends [never]
  ? { readonly params?: never }
  : { readonly params: z.ZodObject<Record<PathParameter<P>, z.ZodType>> };

/** Declares one HTTP route. The placeholders of the path and the keys of `params` must agree, or it does not compile. */
export function route<const P extends `/${string}`, const R extends Omit<Route, "path" | "params">>(
  path: P,
  spec: R & ParamsFor<P>,
): R & ParamsFor<P> & { readonly path: P } {
  return { ...spec, path };
}

type Part<R, K extends string> = K extends keyof R
  ? [R[K]] extends [never]
    ? unknown
    : R[K] extends z.ZodType
      ? { readonly [_ in K]: z.output<R[K]> }
      : unknown
  : unknown;

/** The decoded request of a route: what an operation receives and what a caller of a client passes. */
export type Request<R extends Route> = Part<R, "params"> & Part<R, "query"> & Part<R, "body"> & PreferredType<R>;

/** For streams: the one of the route's media types that the asker prefers by `Accept`; undefined without a preference. */
type PreferredType<R> = R extends { readonly reply: { readonly streamed: true } }
  ? { readonly preferredType: string | undefined }
  : unknown;

/** The decoded JSON reply of a route; `undefined` for 204 and for bytes. */
export type Reply<R extends Route> = R extends { readonly reply: infer T } ? (T extends z.ZodType ? z.output<T> : undefined) : undefined;
