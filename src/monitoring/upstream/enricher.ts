import { z } from "zod";
import { type Attributes, readAttributes } from "./attributes.ts";
import type { CallResult } from "./call.ts";
import type { Box } from "./detector-boxes.ts";
import { UpstreamFailure } from "./http.ts";
import { referenceName, referencePlace } from "./reference.ts";
import { createServiceClient, type ServiceOptions } from "./service-client.ts";

/** The request to the enrichment service for a detection. The vector itself is never sent. */
export interface EnrichmentQuestion {
  readonly detection: {
    readonly id: number;
    readonly camera_id: string;
    readonly object_type: string;
    readonly confidence: number;
    readonly detected_at: Date;
    readonly bbox: Box;
  };
  readonly attributes: Attributes;
  /** The match from re-identification; null if it did not run or failed. */
  readonly embedding_match: { readonly entity_id: string; readonly similarity: number | null; readonly seen_before: boolean } | null;
}

export interface Enricher {
  /** Merges the known facts into one set of attributes. Never throws because of the service. */
  enrich(question: EnrichmentQuestion, signal?: AbortSignal): Promise<CallResult<Attributes>>;
  close(): Promise<void>;
}

const referenceQuestion: EnrichmentQuestion = {
  detection: { id: 0, camera_id: referenceName, object_type: "person", confidence: 0.9, detected_at: new Date(0), bbox: referencePlace },
  attributes: {},
  embedding_match: null,
};

const Answer = z.object({ attributes: z.record(z.string(), z.unknown()) });

/** Creates the client of the enrichment service: `POST {url}/enrich` with JSON. */
export function createEnricher(options: ServiceOptions): Enricher {
  const client = createServiceClient(options);
  return {
    enrich: (question, signal) =>
      client.ask(
        {
          ...{ path: "/enrich", contentType: "application/json", body: JSON.stringify(question), read: readEnriched },
          reference: () => JSON.stringify(referenceQuestion),
        },
        signal,
      ),
    close: () => client.close(),
  };
}

function readEnriched(json: unknown): Attributes {
  const answer = Answer.safeParse(json);
  if (!answer.success) throw new UpstreamFailure("unreadable", "the answer is not {attributes}");
  return readAttributes(answer.data.attributes);
}
