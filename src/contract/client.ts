import { z } from "zod";
import { Problem } from "./problem.ts";
import type { Reply, Route } from "./route.ts";

/** The decoded form of a schema; keys that the wire form may omit, such as those with a default, are optional. */
type Sparse<T> = T extends z.ZodObject
  ? {
      readonly [K in keyof z.output<T> as K extends keyof z.input<T> ? (undefined extends z.input<T>[K] ? never : K) : K]: z.output<T>[K];
    } & {
      readonly [K in keyof z.output<T> as K extends keyof z.input<T> ? (undefined extends z.input<T>[K] ? K : never) : never]?:
        | z.output<T>[K]
        | undefined;
    }
  : T extends z.ZodType
    ? z.output<T>
    : never;

// A route without placeholders still has the key: `params?: never`
type Part<R, K extends string> = R extends { readonly [_ in K]: infer S }
  ? [S] extends [never]
    ? unknown
    : { readonly [_ in K]: Sparse<S> }
  : unknown;
type QueryPart<R> = R extends { readonly query: infer Q }
  ? Record<never, never> extends Sparse<Q>
    ? { readonly query?: Sparse<Q> }
    : { readonly query: Sparse<Q> }
  : unknown;

/** The arguments of a client call: `params`, `query` and `body`, as far as the route has them. */
export type ClientRequest<R extends Route> = Part<R, "params"> & QueryPart<R> & Part<R, "body">;

/** A reply that is not JSON. */
export interface ReceivedBytes {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/**
 * A reply of any length. A caller that does not read it to the end must call `return()`. Throws `Problem("unreachable")` when the
 * connection breaks.
 */
export interface ReceivedStream {
  readonly mediaType: string;
  readonly parts: AsyncIterable<Uint8Array>;
}

/** The decoded reply: the record, `ReceivedBytes`, `ReceivedStream`, or undefined when the route answers 204. */
export type ClientReply<R extends Route> = R extends { readonly reply: { readonly streamed: true } }
  ? ReceivedStream
  : R extends { readonly reply: { readonly mediaTypes: readonly string[] } }
    ? ReceivedBytes
    : Reply<R>;

/** Calls operations by their route, over HTTP or in this process. Both return the same replies and throw the same problems. */
export interface Client {
  call<R extends Route>(route: R, request: ClientRequest<R>): Promise<ClientReply<R>>;
}

/**
 * Decodes a JSON reply. Throws `Problem("unreachable")` when it does not fit the schema of the route, because then another program
 * answered.
 */
export function decodeReply(route: Route, wire: unknown, from: string): unknown {
  const decoded = z.safeDecode(route.reply as z.ZodType, wire as z.input<z.ZodType>);
  if (decoded.success) return decoded.data;
  const message = `${from} answered, but not as this version of homesec does; is it a homesec daemon, and of the same version?`;
  throw new Problem("unreachable", message, { cause: decoded.error });
}
