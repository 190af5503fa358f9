import { randomBytes } from "node:crypto";
import { phoneService, type ServiceAnswer, type ServiceRequest } from "./service.ts";

/** A message as phones that subscribe to the topic get it. */
export interface NtfyMessage {
  readonly topic: string;
  readonly title: string;
  readonly message: string;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly click: string | undefined;
  readonly picture: Buffer | undefined;
}

const refusal = (code: number, error: string): ServiceAnswer => ({
  status: Math.floor(code / 100),
  body: { code, http: Math.floor(code / 100), error, link: "https://ntfy.sh/docs/publish/" },
});

/** A ntfy server, after its documentation (docs.ntfy.sh/publish): JSON at the root, or a file as the body and the rest in headers. */
export async function ntfyServer({ token, mostBytes = 15_000_000 }: { readonly token?: string; readonly mostBytes?: number } = {}) {
  const messages: NtfyMessage[] = [];
  const service = await phoneService((request) => {
    if (token !== undefined && !isAllowed(request, token)) return refusal(40101, "unauthorized");
    const message = request.path === "/" ? fromJson(request) : fromHeaders(request);
    if (!message) return refusal(40024, "invalid request: request body must be valid JSON");
    if (message.picture && message.picture.length > mostBytes) return refusal(41301, "attachment too large, or bandwidth limit reached");
    messages.push(message);
    const { picture, ...shown } = message;
    const attachment = picture && { name: "homesec.jpg", type: "image/jpeg", size: picture.length, url: `${service.url}/file/x.jpg` };
    const id = randomBytes(9).toString("base64url");
    return { status: 200, body: { id, time: 1_700_000_000, expires: 1_700_043_200, event: "message", ...shown, attachment } };
  });
  return { ...service, messages: messages as readonly NtfyMessage[] };
}

function isAllowed({ headers }: ServiceRequest, token: string): boolean {
  const basic = `Basic ${Buffer.from(`anna:${token}`).toString("base64")}`;
  return headers.authorization === `Bearer ${token}` || headers.authorization === basic;
}

function fromJson({ body }: ServiceRequest): NtfyMessage | undefined {
  try {
    const { topic, title, message, priority, tags, click } = JSON.parse(body.toString()) as NtfyMessage;
    return { topic, title, message, priority, tags, click, picture: undefined };
  } catch {
    return undefined;
  }
}

function fromHeaders({ path, headers, body }: ServiceRequest): NtfyMessage {
  const of = (name: string): string => decoded(String(headers[`x-${name}`] ?? ""));
  return {
    topic: path.slice(1),
    title: of("title"),
    message: of("message"),
    priority: Number(of("priority")),
    tags: of("tags").split(","),
    click: headers["x-click"] === undefined ? undefined : of("click"),
    picture: headers["x-filename"] === undefined ? undefined : body,
  };
}

/** RFC 2047, as Go's mime.WordDecoder reads it. */
function decoded(header: string): string {
  return header.replaceAll(/=\?utf-8\?b\?([^?]*)\?=/gi, (_, text: string) => Buffer.from(text, "base64").toString());
}
