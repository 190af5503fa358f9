import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
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
  /** The sender's name for it: a later message of the same name replaces it. */
  readonly sequence?: string | undefined;
  readonly actions?: readonly { readonly label: string; readonly url: string; readonly body: string }[] | undefined;
}

const refusal = (code: number, error: string): ServiceAnswer => ({
  status: Math.floor(code / 100),
  body: { code, http: Math.floor(code / 100), error, link: "https://ntfy.sh/docs/publish/" },
});

/** A ntfy server, after its documentation (docs.ntfy.sh/publish): JSON at the root, or a file as the body and the rest in headers. */
export async function ntfyServer({ token, mostBytes = 15_000_000 }: { readonly token?: string; readonly mostBytes?: number } = {}) {
  const messages: NtfyMessage[] = [];
  const posted: { readonly id: string; readonly topic: string; readonly line: string }[] = [];
  const open = new Map<ServerResponse, string>();
  /** A button was pressed: the phone posts its body to a topic. */
  const post = ({ path, body }: ServiceRequest): ServiceAnswer => {
    const [id, topic] = [randomBytes(9).toString("base64url"), path.slice(1)];
    const line = `${JSON.stringify({ id, time: 1_700_000_000, event: "message", topic, message: body.toString() })}\n`;
    posted.push({ id, topic, line });
    for (const [response, subscribed] of open) if (subscribed === topic) response.write(line);
    return { status: 200, body: line };
  };
  const subscribe = ({ path, query }: ServiceRequest): ServiceAnswer => {
    const topic = path.split("/")[1] ?? "";
    const own = posted.filter((each) => each.topic === topic);
    const missed = own.slice(own.findIndex(({ id }) => id === query.get("since")) + 1);
    const first = `${JSON.stringify({ id: "open", time: 1_700_000_000, event: "open", topic })}\n`;
    const goOn = (response: ServerResponse): void => {
      open.set(response, topic);
      response.on("close", () => open.delete(response));
    };
    return { status: 200, body: first + missed.map(({ line }) => line).join(""), goOn };
  };
  const service = await phoneService((request) => {
    if (request.path === "/v1/health") return { status: 200, body: { healthy: true } };
    if (request.path === "/v1/account") {
      const isWrong = request.headers.authorization !== undefined && token !== undefined && !isAllowed(request, token);
      return isWrong ? refusal(40101, "unauthorized") : { status: 200, body: { username: "*", role: "anonymous" } };
    }
    if (request.method === "GET") return subscribe(request);
    if (request.path.endsWith("-answers")) return post(request);
    if (token !== undefined && !isAllowed(request, token)) return refusal(40101, "unauthorized");
    const message = request.path === "/" ? fromJson(request) : fromHeaders(request);
    if (!message) return refusal(40024, "invalid request: request body must be valid JSON");
    if (message.picture && message.picture.length > mostBytes) return refusal(41301, "attachment too large, or bandwidth limit reached");
    const replaced = messages.findIndex(
      ({ topic, sequence }) => topic === message.topic && sequence !== undefined && sequence === message.sequence,
    );
    if (replaced < 0) messages.push(message);
    else messages[replaced] = message;
    const { picture, sequence, ...shown } = message;
    const attachment = picture && { name: "homesec.jpg", type: "image/jpeg", size: picture.length, url: `${service.url}/file/x.jpg` };
    const id = randomBytes(9).toString("base64url");
    return {
      status: 200,
      body: {
        id,
        time: 1_700_000_000,
        expires: 1_700_043_200,
        event: "message",
        ...shown,
        attachment,
        ...(sequence && { sequence_id: sequence }),
      },
    };
  });
  return { ...service, messages: messages as readonly NtfyMessage[] };
}

function isAllowed({ headers }: ServiceRequest, token: string): boolean {
  const basic = `Basic ${Buffer.from(`anna:${token}`).toString("base64")}`;
  return headers.authorization === `Bearer ${token}` || headers.authorization === basic;
}

function fromJson({ body }: ServiceRequest): NtfyMessage | undefined {
  try {
    const { topic, title, message, priority, tags, click, actions, sequence_id: sequence } = JSON.parse(body.toString());
    return { topic, title, message, priority, tags, click, actions, picture: undefined, sequence };
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
    sequence: headers["x-sequence-id"] === undefined ? undefined : of("sequence-id"),
    actions: headers["x-actions"] === undefined ? undefined : JSON.parse(of("actions")),
    picture: headers["x-filename"] === undefined ? undefined : body,
  };
}

/** RFC 2047, as Go's mime.WordDecoder reads it. */
function decoded(header: string): string {
  return header.replaceAll(/=\?utf-8\?b\?([^?]*)\?=/gi, (_, text: string) => Buffer.from(text, "base64").toString());
}
