import { formOf } from "./form.ts";
import { phoneService, type ServiceAnswer, type ServiceRequest } from "./service.ts";

/** A message as a service took it. */
export interface TakenMessage {
  readonly texts: Readonly<Record<string, string>>;
  readonly picture: Buffer | undefined;
}

const requestId = "647d2300-702c-4b38-8b2f-d56326ae460b";

/** A message that repeats until someone acknowledges it. */
export interface Receipt {
  readonly receipt: string;
  device: string | undefined;
  isCancelled: boolean;
}

/** Pushover, after pushover.net/api. */
export async function pushoverServer(keys: { readonly token: string; readonly user: string }) {
  const messages: TakenMessage[] = [];
  const receipts: Receipt[] = [];
  let askedAt = Number.NEGATIVE_INFINITY;
  const refusal = (errors: readonly string[]): ServiceAnswer => ({ status: 400, body: { status: 0, request: requestId, errors } });
  const done = (more: object = {}): ServiceAnswer => ({ status: 200, body: { status: 1, request: requestId, ...more } });
  const ofReceipt = ({ path, query, body }: ServiceRequest): ServiceAnswer => {
    const [, id, isCancel] = /^\/1\/receipts\/(\w+?)(\/cancel)?\.json$/.exec(path) ?? [];
    const token = isCancel ? new URLSearchParams(body.toString()).get("token") : query.get("token");
    if (token !== keys.token) return refusal(["application token is invalid"]);
    const found = receipts.find(({ receipt }) => receipt === id);
    if (!found) return { status: 404, body: { status: 0, request: requestId, receipt: "not found", errors: ["receipt not found"] } };
    if (isCancel) {
      found.isCancelled = true;
      return done();
    }
    // No faster than once every 5 seconds
    if (performance.now() - askedAt < 4_900) return { status: 429, body: { status: 0, request: requestId, errors: ["too many requests"] } };
    askedAt = performance.now();
    const { device } = found;
    const answered = { acknowledged: device === undefined ? 0 : 1, acknowledged_by: device && keys.user, acknowledged_by_device: device };
    return done({ ...answered, last_delivered_at: 0, expired: found.isCancelled ? 1 : 0, expires_at: 0, called_back: 0 });
  };
  const service = await phoneService(async (request) => {
    if (request.path === "/1/users/validate.json") {
      const asked = new URLSearchParams(request.body.toString());
      if (asked.get("token") !== keys.token) return refusal(["application token is invalid"]);
      if (asked.get("user") !== keys.user) return refusal(["user key is invalid"]);
      return { status: 200, body: { status: 1, request: requestId, devices: ["phone"], licenses: ["Android"] } };
    }
    if (request.path.startsWith("/1/receipts/")) return ofReceipt(request);
    if (request.path !== "/1/messages.json") return { status: 404, body: { status: 0, errors: ["not found"] } };
    const message = await formOf(request);
    const { token, user, priority, retry, expire, message: text = "" } = message.texts;
    if (token !== keys.token) return refusal(["application token is invalid"]);
    if (user !== keys.user) return refusal(["user identifier is not a valid user, group, or subscribed user key"]);
    if (text === "" || [...text].length > 1024) return refusal(["message cannot be blank"]);
    const isRepeated = priority === "2";
    if (isRepeated && !(Number(retry) >= 30 && Number(expire) <= 10_800)) return refusal(["retry and expire are required for priority 2"]);
    messages.push(message);
    if (!isRepeated) return done();
    const receipt = `receipt${messages.length}`.padEnd(30, "x");
    receipts.push({ receipt, device: undefined, isCancelled: false });
    return done({ receipt });
  });
  return {
    ...service,
    messages: messages as readonly TakenMessage[],
    receipts: receipts as readonly Readonly<Receipt>[],
    /** A person acknowledges the newest message that repeats. */
    acknowledge: (device: string) => {
      const newest = receipts.at(-1);
      if (newest) newest.device = device;
    },
  };
}

const jsonMessage = ({ body }: ServiceRequest): Readonly<Record<string, unknown>> => JSON.parse(body.toString()) as Record<string, unknown>;

/** A Gotify server, after gotify.net/api-docs. */
export async function gotifyServer(token: string) {
  const messages: Readonly<Record<string, unknown>>[] = [];
  const service = await phoneService((request) => {
    if (request.path === "/health") return { status: 200, body: { health: "green", database: "green" } };
    if (request.headers["x-gotify-key"] !== token) {
      const errorDescription = "you need to provide a valid access token or user credentials to access this api";
      return { status: 401, body: { error: "Unauthorized", errorCode: 401, errorDescription } };
    }
    messages.push(jsonMessage(request));
    return { status: 200, body: { id: messages.length, appid: 1, date: "2026-01-31T22:15:41Z", ...messages.at(-1) } };
  });
  return { ...service, messages: messages as readonly Readonly<Record<string, unknown>>[] };
}

/** The REST API of Home Assistant with one phone, after developers.home-assistant.io/docs/api/rest. */
export async function homeAssistantServer(token: string) {
  const messages: Readonly<Record<string, unknown>>[] = [];
  const service = await phoneService((request) => {
    if (request.headers.authorization !== `Bearer ${token}`) return { status: 401, body: "401: Unauthorized" };
    if (request.path === "/api/") return { status: 200, body: { message: "API running." } };
    if (request.path !== "/api/services/notify/mobile_app_annas_phone") return { status: 400, body: "400: Bad Request" };
    messages.push(jsonMessage(request));
    return { status: 200, body: [] };
  });
  return { ...service, messages: messages as readonly Readonly<Record<string, unknown>>[] };
}

/** An Apprise API server with one configuration, after github.com/caronc/apprise-api. */
export async function appriseServer(key: string) {
  const messages: TakenMessage[] = [];
  const service = await phoneService(async (request) => {
    if (request.path === `/json/urls/${key}`) return { status: 200, body: { tags: [], urls: [{ url: "json://localhost/...", tags: [] }] } };
    if (request.path !== `/notify/${key}`) return { status: 204, body: "" };
    messages.push(await formOf(request));
    return { status: 200, body: { error: null, details: [] } };
  });
  return { ...service, messages: messages as readonly TakenMessage[] };
}
