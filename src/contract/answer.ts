import type { Reply, Route } from "./route.ts";

/** Bytes as an operation returns them for a `BinaryReply`: a file on disk, or a buffer. */
export interface Bytes {
  readonly mediaType: string;
  /** `isReal`: the path had no link in it when it was followed, and none is followed when it is opened. */
  readonly content: { readonly file: string; readonly isReal?: true } | { readonly buffer: Buffer };
}

/** Bytes that are made while they are sent. */
export interface StreamedBytes {
  readonly mediaType: string;
  /** Parts are asked for one at a time; when nobody wants the rest, the source is told so by `return()`. */
  readonly content: { readonly stream: AsyncIterable<Uint8Array> };
  /** To be kept under this name, in ASCII, instead of being shown. */
  readonly fileName: string;
}

/** An answer with another status than the route's own, for health bodies with 503. */
export interface WithStatus<T> {
  readonly status: number;
  readonly reply: T;
}

/** What an operation returns for a route. */
export type Answer<R extends Route> = R extends { readonly reply: { readonly mediaTypes: readonly string[] } }
  ? R extends { readonly reply: { readonly streamed: true } }
    ? StreamedBytes
    : Bytes
  : R extends { readonly refusals: { readonly 503: string } }
    ? Reply<R> | WithStatus<Reply<R>>
    : Reply<R>;
