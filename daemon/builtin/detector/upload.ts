import { z } from "zod";
import { type Call, Refusal } from "../service.ts";

const Json = z.object({ image_base64: z.string().min(1) });

/** Returns the picture from a request: the form field `file`, or `image_base64` of a JSON body. Throws `Refusal` (400). */
export async function readPicture({ contentType, body }: Call): Promise<Buffer> {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase();
  const picture =
    type === "multipart/form-data" ? await fromForm(contentType, body) : type === "application/json" ? fromJson(body) : undefined;
  if (!picture) throw new Refusal(400, 'Send the picture as the field "file" of a multipart form or as {"image_base64": "..."}');
  if (picture.length === 0) throw new Refusal(400, "The picture is empty");
  return picture;
}

async function fromForm(contentType: string, body: Buffer): Promise<Buffer | undefined> {
  try {
    // The Response class is Node's only built-in parser for forms.
    const form = await new Response(body, { headers: { "content-type": contentType } }).formData();
    const file = form.get("file");
    return file instanceof Blob ? Buffer.from(await file.arrayBuffer()) : undefined;
  } catch (cause) {
    throw new Refusal(400, "The multipart form cannot be read", { cause });
  }
}

function fromJson(body: Buffer): Buffer | undefined {
  try {
    const json = Json.safeParse(JSON.parse(body.toString("utf8")));
    // Browsers encode a picture as a data URL.
    return json.success ? Buffer.from(json.data.image_base64.replace(/^data:[^,]*,/, ""), "base64") : undefined;
  } catch (cause) {
    throw new Refusal(400, "The body is not JSON", { cause });
  }
}
