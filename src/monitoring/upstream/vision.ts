import { z } from "zod";
import { cleanText } from "./answer.ts";
import { type Attributes, readAttributes } from "./attributes.ts";
import type { CallResult } from "./call.ts";
import type { Box } from "./detector-boxes.ts";
import { UpstreamFailure } from "./http.ts";
import { formType, type Picture, pictureForm } from "./multipart.ts";
import { referencePart } from "./reference.ts";
import { createServiceClient, type ServiceOptions } from "./service-client.ts";

/** The vision service's reading of a part of a picture. Its texts are clean and limited in number and length. */
export interface VisionReading {
  readonly attributes: Attributes;
  readonly ocr: readonly { readonly text: string; readonly confidence: number }[];
  readonly caption: string | null;
}

export interface Vision {
  /** Analyses a part of a picture. Never throws because of the service. */
  extract(picture: Picture, box: Box, signal?: AbortSignal): Promise<CallResult<VisionReading>>;
  close(): Promise<void>;
}

const mostTexts = 50;
const longestText = 500;
const longestCaption = 1_000;

const Answer = z.object({
  attributes: z.record(z.string(), z.unknown()).nullish(),
  ocr: z.array(z.unknown()).nullish(),
  caption: z.string().nullish(),
});
const Text = z.object({ text: z.string(), confidence: z.number().catch(0) });

/** Creates the client of the vision service: `POST {url}/extract`, a multipart form with the picture as `file` and the part as `bbox`. */
export function createVision(options: ServiceOptions): Vision {
  const client = createServiceClient(options);
  return {
    extract: (picture, box, signal) =>
      client.ask(
        {
          ...{ path: "/extract", contentType: formType, body: pictureForm(picture, { bbox: JSON.stringify(box) }), read: readVision },
          reference: referencePart,
        },
        signal,
      ),
    close: () => client.close(),
  };
}

/** Reads an answer. Throws `UpstreamFailure` if it has another shape. */
function readVision(json: unknown): VisionReading {
  const answer = Answer.safeParse(json);
  if (!answer.success) throw new UpstreamFailure("unreadable", "the answer is not {attributes, ocr, caption}");
  const { attributes, ocr, caption } = answer.data;
  return {
    attributes: readAttributes(attributes),
    ocr: (ocr ?? []).slice(0, mostTexts).flatMap((entry) => {
      const { data } = Text.safeParse(entry);
      const text = cleanText(data?.text ?? "", longestText);
      return data && text !== "" ? [{ text, confidence: Math.min(1, Math.max(0, data.confidence)) }] : [];
    }),
    caption: cleanText(caption ?? "", longestCaption) || null,
  };
}
