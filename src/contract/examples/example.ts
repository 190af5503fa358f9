import type { z } from "zod";
import type { OperationId, Routes } from "../routes/index.ts";

type WithBody<R> = R extends { readonly body: infer B extends z.ZodType } ? { readonly body: NonNullable<z.input<B>> } : unknown;

type WithReply<R> = R extends { readonly reply: infer T extends z.ZodType } ? { readonly reply: z.input<T> } : unknown;

/** What tells how it is answers 503 with the same body when it is not well. */
type WithUnwell<R> = R extends { readonly reply: infer T extends z.ZodType; readonly refusals: { readonly 503: string } }
  ? { readonly unwell: z.input<T> }
  : unknown;

/** The JSON of a route as it goes over the wire: what is sent, and what is answered. `unknown` when there is none. */
export type ExampleOf<R> = WithBody<R> & WithReply<R> & WithUnwell<R>;

/** An example of each route that takes or answers JSON, by its operation id. None may be missing. */
export type Examples = {
  readonly [K in OperationId as unknown extends ExampleOf<Routes[K]> ? never : K]: ExampleOf<Routes[K]>;
};

/** The examples of some routes. */
export type ExamplesOf<R> = Pick<Examples, keyof R & keyof Examples>;

/** An example of any route. */
export interface Example {
  readonly body?: unknown;
  readonly reply?: unknown;
  readonly unwell?: unknown;
}
