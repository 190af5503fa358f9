import type { ServiceRequest } from "./service.ts";

/** Reads a multipart form as servers do: with the parser of the platform. */
export async function formOf({ headers, body }: Pick<ServiceRequest, "headers" | "body">) {
  const type = { "content-type": String(headers["content-type"]) };
  const form = await new Response(new Uint8Array(body), { headers: type }).formData();
  const texts = Object.fromEntries([...form].filter(([, value]) => typeof value === "string")) as Readonly<Record<string, string>>;
  const file = [...form.values()].find((value) => typeof value !== "string");
  return { texts, picture: typeof file === "object" ? Buffer.from(await file.arrayBuffer()) : undefined };
}
