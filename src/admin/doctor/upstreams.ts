import { join } from "node:path";
import { silentLog } from "../../base/log/log.ts";
import { packageRoot } from "../../base/version.ts";
import { Breaker } from "../../monitoring/upstream/breaker.ts";
import type { Unavailable } from "../../monitoring/upstream/call.ts";
import type { UnavailableReason } from "../../monitoring/upstream/http.ts";
import type { Picture } from "../../monitoring/upstream/multipart.ts";
import { type Probe, probeHealth } from "../../monitoring/upstream/probe.ts";
import type { ServiceOptions } from "../../monitoring/upstream/service-client.ts";
import { isLoopback } from "../../platform/config/cross-checks.ts";
import { detectorAddress, detectorOrigin } from "../../platform/config/detector-address.ts";
import type { UpstreamName } from "../../work/operations/upstream-state.ts";
import { finding, NotPossible, type Outcome, ok, skipped } from "./check.ts";
import type { Examination } from "./examination.ts";
import { nameFault } from "./names.ts";

/** Time limit for an answer; the daemon waits longer. */
export const answerTimeoutMs = 5_000;
const healthTimeoutMs = 2_500;
export const pictureSize = { width: 320, height: 240 } as const;

/** Where a service is. */
interface Address {
  readonly name: UpstreamName;
  readonly url: string;
  readonly builtIn: boolean;
  /** The variable that sets another service. */
  readonly variable: string;
}

export interface Service extends Address {
  /** The answer of the health check, requested in parallel. */
  readonly health: Promise<Probe>;
}

/** Finds a service by its URL, or the built-in one of a daemon on this machine. Throws `NotPossible` without one. */
async function findService(examination: Examination, name: UpstreamName, configured: string | null | undefined): Promise<Address> {
  const variable = `${name.toUpperCase()}_URL`;
  if (configured) return { name, url: configured, builtIn: false, variable };
  const { client, isNear } = await examination.daemon().catch((error: unknown) => {
    if (!(error instanceof NotPossible)) throw error;
    throw new NotPossible(`the built-in service runs in the daemon: ${error.message}`, { cause: error });
  });
  if (!isNear) throw new NotPossible("the built-in service runs in a daemon on another machine");
  const { routes } = await import("../../contract/routes/index.ts");
  const { ai_services: services } = await client.call(routes.getFullHealth, {});
  const found = services.find((service) => service.name === name);
  if (!found?.url) throw new NotPossible(`the built-in service is unavailable: ${found?.error ?? "the daemon does not list it"}`);
  // the daemon may have another configuration, with the service elsewhere
  return { name, url: found.url, builtIn: isLoopback(new URL(detectorAddress(found.url).url).hostname), variable };
}

type Refused = { readonly kind: "refused"; readonly detail: string };
type ClientOptions = Omit<ServiceOptions, "url" | "fault"> & { readonly url: () => string };

/** A service, and how to make its client. */
interface Target<Client> {
  readonly name: UpstreamName;
  /** The configured address; without one, the built-in service. */
  readonly url: string | null | undefined;
  readonly create: (options: ClientOptions) => Client;
  /** Asks for its health, if that is not `GET /health`. */
  readonly healthOf?: (client: Client, timeoutMs: number) => Promise<Probe>;
}

/** Sends one request to a service, with a new breaker so that earlier failures have no effect, and returns the outcome of the answer. */
export async function probeService<Client extends { close(): Promise<void> }, Answer extends { readonly kind: string }>(
  examination: Examination,
  { name, url, create, healthOf }: Target<Client>,
  ask: (client: Client) => Promise<Answer>,
  outcomeOf: (answer: Exclude<Answer, Refused | Unavailable>, service: Service) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const address = await findService(examination, name, url);
  const { clock, machine } = examination;
  const fault = await nameFault(machine, new URL(detectorAddress(address.url).url).hostname);
  if (fault !== undefined) return finding(`${placeOf(address)} cannot be reached: ${fault}`, fixFor(address, "unreachable"));
  const breaker = new Breaker(name, { clock });
  const client = create({ url: () => address.url, breaker, clock, log: silentLog, timeoutMs: answerTimeoutMs });
  const health = healthOf && !address.builtIn ? healthOf(client, healthTimeoutMs) : probeHealth(address.url, healthTimeoutMs);
  const service: Service = { ...address, health };
  try {
    const answer: Answer | Refused | Unavailable = await ask(client);
    if (isRefused(answer)) return refused(service, answer.detail);
    if (isUnavailable(answer)) return await unanswered(service, answer);
    return await outcomeOf(answer as Exclude<Answer, Refused | Unavailable>, service);
  } finally {
    await client.close();
  }
}

const isRefused = (answer: { readonly kind: string }): answer is Refused => answer.kind === "refused";
const isUnavailable = (answer: { readonly kind: string }): answer is Unavailable => answer.kind === "unavailable";

/** Returns the same small picture every time: grey, with a darker half. */
export async function examplePicture(): Promise<Picture> {
  const { default: sharp } = await import("sharp");
  const { width, height } = pictureSize;
  const half = await sharp({ create: { width: width / 2, height, channels: 3, background: "#404040" } })
    .png()
    .toBuffer();
  const bytes = await sharp({ create: { width, height, channels: 3, background: "#a0a0a0" } })
    .composite([{ input: half, left: 0, top: 0 }])
    .jpeg()
    .toBuffer();
  return { bytes, fileName: "homesec-doctor.jpg", mediaType: "image/jpeg" };
}

/** Returns five people on a walkway: a part of a picture of the demo. Detectors that work find at least one of them. */
export async function peoplePicture(): Promise<Picture> {
  const { default: sharp } = await import("sharp");
  const path = join(packageRoot(), "demo", "pictures", "walkway-0060.jpg");
  const bytes = await sharp(path)
    .extract({ left: 350, top: 130, ...pictureSize })
    .jpeg({ quality: 90 })
    .toBuffer();
  return { bytes, fileName: "homesec-doctor.jpg", mediaType: "image/jpeg" };
}

/** The outcome when no usable answer came. A healthy but slow service is skipped: the self-test waits longer. */
async function unanswered(service: Service, { reason, detail }: Pick<Unavailable, "reason" | "detail">): Promise<Outcome> {
  const where = placeOf(service);
  if (reason === "timeout") {
    const { healthy } = await service.health;
    if (healthy)
      return skipped(
        `${where} is healthy, but did not answer within ${answerTimeoutMs / 1000} s; \`homesec selftest --timeout 5m\` waits longer`,
      );
  }
  return finding(`${where} ${problems[reason]}: ${detail}`, fixFor(service, reason), reason === "busy" ? "warning" : "error");
}

const problems: Readonly<Record<UnavailableReason, string>> = {
  unreachable: "cannot be reached",
  broke_off: "closes the connection in the middle of an answer",
  timeout: "does not answer in time",
  status: "returns an error",
  unreadable: "sends an answer that homesec cannot read",
  busy: "is too busy",
  breaker_open: "has an open breaker",
};

function fixFor({ builtIn, variable, url }: Address, reason: UnavailableReason): string {
  if (builtIn) return "Restart homesec; DATA_DIR/logs has the error of the built-in service";
  if (reason === "busy") return `Give the service at ${variable} more resources, or lower DETECT_CONCURRENCY and ANALYZE_CONCURRENCY`;
  if (reason === "unreadable")
    return `Correct ${variable}: another kind of service answers there, or one with another API (docs/services.md). To see: curl -i ${healthPage(url)}`;
  if (reason === "status")
    return `Do what the message says. To test: curl -i ${healthPage(url)}. Without ${variable}, homesec uses the built-in service`;
  return `Start the service, or correct ${variable}. To test: curl -i ${healthPage(url)}. Without ${variable}, homesec uses the built-in service`;
}

/** The outcome when the service rejects a valid request, because it has another API. */
function refused(service: Service, detail: string): Outcome {
  return finding(`${placeOf(service)} rejects the request of homesec: ${detail}`, fixFor(service, "unreadable"));
}

/** The outcome of a good answer, unless /health or the URL shows a problem. */
export async function answered(service: Service, detail: string): Promise<Outcome> {
  const { healthy, error } = await service.health;
  if (!healthy) {
    return finding(
      `${placeOf(service)} answers, but GET ${new URL(healthPage(service.url)).pathname} reports a problem: ${error}`,
      `Make GET ${healthPage(service.url)} return status 200; until then, homesec shows the service as unhealthy`,
      "warning",
    );
  }
  return ok(`${service.builtIn ? "built-in" : placeOf(service)}${detail === "" ? "" : `: ${detail}`}`);
}

/** The outcome of an answer that can be read, but contains errors. */
export function faulty(service: Service, faults: string): Outcome {
  return finding(
    `${placeOf(service)} answers, but ${faults}`,
    `Make the service at ${service.variable} answer as docs/services.md describes`,
    "warning",
  );
}

/** The service, as findings name it. */
function placeOf({ builtIn, url }: Address): string {
  return builtIn ? "The built-in service" : detectorOrigin(url);
}

/** The address that shows in a browser whether the service is up. */
function healthPage(address: string): string {
  const { api, url } = detectorAddress(address);
  return api === "deepstack" ? `${url}/` : `${url}/health`;
}
