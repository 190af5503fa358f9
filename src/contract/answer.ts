import type { Reply, Route } from "./route.ts";

/** The bytes that an operation returns for a `BinaryReply`: a file on disk, or a buffer. */
export interface Bytes {
  readonly mediaType: string;
  /** `isReal`: the path is already resolved and contains no symbolic link; opening it follows none. */
  readonly content: { readonly file: string; readonly isReal?: true } | { readonly buffer: Buffer };
  /** The requested address never gets other bytes, so that a client may keep them without asking again. */
  readonly isImmutable?: true;
}

/** Bytes that are generated while they are sent. */
export interface StreamedBytes {
  readonly mediaType: string;
  /** Parts are requested one at a time. `return()` tells the source that the rest is not needed. */
  readonly content: { readonly stream: AsyncIterable<Uint8Array> };
  /** ASCII file name for the download; the client saves the bytes instead of displaying them. */
  readonly fileName: string;
}

/** A reply with a status other than the default of its route, for health replies with 503. */
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
