import { z } from "zod";
import { type Call, Refusal } from "../service.ts";

/** A part of a picture, in pixels of the upright picture. */
const Box = z.object({ x: z.number(), y: z.number(), width: z.number().positive(), height: z.number().positive() });
export type Box = z.output<typeof Box>;

export interface PartOfPicture {
  readonly bytes: Buffer;
  readonly box: Box;
}

const Question = z.object({
  attributes: z.record(z.string(), z.unknown()).default({}),
  embedding_match: z.object({ seen_before: z.boolean() }).nullable().default(null),
});

/** Returns the picture and the part from a request: the fields `file` and `bbox` of a multipart form. Throws `Refusal` (400). */
export async function readPart({ contentType, body }: Call): Promise<PartOfPicture> {
  const form = await readForm(contentType, body);
  const file = form.get("file");
  const bytes = file instanceof Blob ? Buffer.from(await file.arrayBuffer()) : undefined;
  if (!bytes || bytes.length === 0) throw new Refusal(400, 'Send the picture as the field "file" of a multipart form');
  return { bytes, box: readBox(form.get("bbox")) };
}

/** Returns the results to merge. Throws `Refusal` (400). */
export function readQuestion({ body }: Call): z.output<typeof Question> {
  try {
    return Question.parse(JSON.parse(body.toString("utf8")));
  } catch (cause) {
    throw new Refusal(400, "The body must be JSON: {detection, attributes, embedding_match}", { cause });
  }
}

async function readForm(contentType: string, body: Buffer): Promise<Pick<FormData, "get">> {
  try {
    // The Response class is Node's only built-in parser for forms.
    return await new Response(body, { headers: { "content-type": contentType } }).formData();
  } catch (cause) {
    throw new Refusal(400, "The multipart form cannot be read", { cause });
  }
}

function readBox(field: unknown): Box {
  try {
    return Box.parse(JSON.parse(String(field)));
  } catch (cause) {
    throw new Refusal(400, 'Send the part as the field "bbox": {"x": 0, "y": 0, "width": 10, "height": 20}', { cause });
  }
}
