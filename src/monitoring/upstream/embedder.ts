import { z } from "zod";
import type { CallResult } from "./call.ts";
import type { Box } from "./detector-boxes.ts";
import { UpstreamFailure } from "./http.ts";
import { formType, type Picture, pictureForm } from "./multipart.ts";
import { referencePart } from "./reference.ts";
import { createServiceClient, type ServiceOptions } from "./service-client.ts";

/** A vector of length 1 that describes the appearance of an object. */
export type Embedding = Float32Array;

export interface Embedder {
  /** Turns a part of a picture into a vector. Never throws because of the service. */
  embed(picture: Picture, box: Box, signal?: AbortSignal): Promise<CallResult<Embedding>>;
  close(): Promise<void>;
}

const leastNumbers = 2;
const mostNumbers = 4_096;

// The length is checked before the entries: an answer of megabytes would produce millions of errors.
const Vector = z.array(z.unknown()).min(leastNumbers).max(mostNumbers).pipe(z.array(z.number()));
const Answer = z.object({ embedding: Vector });

/** Creates the client of the embedder: `POST {url}/embed`, a multipart form with the picture as `file` and the part as `bbox`. */
export function createEmbedder(options: ServiceOptions): Embedder {
  const client = createServiceClient(options);
  return {
    embed: (picture, box, signal) =>
      client.ask(
        {
          ...{ path: "/embed", contentType: formType, body: pictureForm(picture, { bbox: JSON.stringify(box) }), read: readEmbedding },
          reference: referencePart,
        },
        signal,
      ),
    close: () => client.close(),
  };
}

/** Reads an answer and scales the vector to length 1. Throws `UpstreamFailure` if it is not a vector, too long, or zero. */
function readEmbedding(json: unknown): Embedding {
  const answer = Answer.safeParse(json);
  if (!answer.success) {
    throw new UpstreamFailure("unreadable", `the answer is not {embedding: [${leastNumbers} to ${mostNumbers} finite numbers]}`);
  }
  const { embedding } = answer.data;
  // Scale first, so that no square overflows.
  const largest = embedding.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (!Number.isFinite(largest) || largest === 0) throw new UpstreamFailure("unreadable", "the vector is zero or not finite");
  const scaled = embedding.map((value) => value / largest);
  const length = Math.sqrt(scaled.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(scaled, (value) => value / length);
}
