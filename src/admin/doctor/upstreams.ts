import { silentLog } from "../../base/log/log.ts";
import { Breaker } from "../../monitoring/upstream/breaker.ts";
import type { Unavailable } from "../../monitoring/upstream/call.ts";
import type { UnavailableReason } from "../../monitoring/upstream/http.ts";
import type { Picture } from "../../monitoring/upstream/multipart.ts";
import { type Probe, probeHealth } from "../../monitoring/upstream/probe.ts";
import { isPublicAddress } from "../../platform/access/exposure.ts";
import { isLoopback } from "../../platform/config/cross-checks.ts";
import { plainHost } from "../../platform/outbound/address.ts";
import type { UpstreamName } from "../../work/operations/upstream-state.ts";
import { Found, finding, NotPossible, type Outcome, ok, skipped } from "./check.ts";
import type { Examination } from "./examination.ts";
import { nameFault } from "./names.ts";

/** For the answer of a service; in normal work it may take longer. */
export const answerMs = 5_000;
const healthMs = 2_500;
export const pictureSize = { width: 320, height: 240 } as const;

/** A service and where it is. */
export interface Service {
  readonly name: UpstreamName;
  readonly url: string;
  readonly builtIn: boolean;
  /** What a person sets to name another one. */
  readonly variable: string;
  /** What it says of itself, asked beside everything else. */
  readonly health: Promise<Probe>;
}

/** Finds a service: by its address, or the built-in one of a daemon on this machine. Throws `NotPossible`, or `Found` for a name that is not found. */
export async function findService(examination: Examination, name: UpstreamName, configured: string | null | undefined): Promise<Service> {
  const variable = `${name.toUpperCase()}_URL`;
  if (configured) {
    const fault = await nameFault(examination.machine, new URL(configured).hostname);
    const service = { name, url: configured, builtIn: false, variable };
    if (fault !== undefined) {
      throw new Found(finding(`${placeOf(service)} cannot be reached: ${fault}`, remedyFor(service, "unreachable")));
    }
    return { ...service, health: probeHealth(configured, healthMs) };
  }
  const { client, url } = await examination.daemon().catch((error: unknown) => {
    if (!(error instanceof NotPossible)) throw error;
    throw new NotPossible(`the built-in one runs inside of the daemon: ${error.message}`, { cause: error });
  });
  const host = plainHost(new URL(url).hostname);
  if (!isLoopback(host) && !examination.machine.addresses.includes(host))
    throw new NotPossible("it is built into a daemon on another machine");
  const { routes } = await import("../../contract/routes/index.ts");
  const { ai_services: services } = await client.call(routes.getFullHealth, {});
  const found = services.find((service) => service.name === name);
  if (!found?.url) throw new NotPossible(`the built-in one cannot be asked: ${found?.error ?? "the daemon does not name it"}`);
  // a daemon with another configuration than this one has a service elsewhere
  return { name, url: found.url, builtIn: isLoopback(new URL(found.url).hostname), variable, health: probeHealth(found.url, healthMs) };
}

/** What the client of one question needs: a breaker of its own, so that one bad answer is told as it is. */
export function clientOptions(examination: Examination, { name }: Service) {
  const { clock } = examination;
  return { breaker: new Breaker(name, { clock }), clock, log: silentLog, timeoutMs: answerMs };
}

/** A small picture, the same every time: grey, with a darker half. */
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

/** What an answer that was not given means. A service that is well, but slow, is left to the self-test. */
export async function unanswered(service: Service, { reason, detail }: Pick<Unavailable, "reason" | "detail">): Promise<Outcome> {
  const where = placeOf(service);
  if (reason === "timeout") {
    const { healthy } = await service.health;
    if (healthy)
      return skipped(
        `${where} says that it is well, but did not end within ${answerMs / 1000} s; \`homesec selftest --timeout 5m\` waits longer`,
      );
  }
  return finding(`${where} ${troubles[reason]}: ${detail}`, remedyFor(service, reason), reason === "busy" ? "warning" : "error");
}

const troubles: Readonly<Record<UnavailableReason, string>> = {
  unreachable: "cannot be reached",
  broke_off: "breaks off in the middle of an answer",
  timeout: "does not answer in time",
  status: "fails",
  unreadable: "answers with something else than was agreed",
  busy: "is too busy",
  breaker_open: "is left alone",
};

function remedyFor({ builtIn, variable, url }: Omit<Service, "health">, reason: UnavailableReason): string {
  if (builtIn) return "Restart homesec; what is wrong with the built-in service stands in DATA_DIR/logs";
  if (reason === "busy") return `Give the service at ${variable} more to work with, or lower DETECT_CONCURRENCY and ANALYZE_CONCURRENCY`;
  if (reason === "unreadable")
    return `Correct ${variable}: another service answers there, or one with another contract (docs/services.md); look: curl -i ${url}/health`;
  return `Start the service, or correct ${variable}; look: curl -i ${url}/health. Without ${variable} the built-in one is used`;
}

/** A request that the service refuses as it is: it has another contract. */
export function refused(service: Service, detail: string): Outcome {
  return finding(`${placeOf(service)} refuses what homesec sends: ${detail}`, remedyFor(service, "unreadable"));
}

/** A good answer, and what the service says of itself beside it. */
export async function answered(service: Service, detail: string): Promise<Outcome> {
  const { healthy, error } = await service.health;
  if (!healthy) {
    return finding(
      `${placeOf(service)} answers, but GET /health does not say that it is well: ${error}`,
      `Have it answer GET ${service.url}/health with status 200: homesec shows it as unhealthy until then`,
      "warning",
    );
  }
  const { protocol, hostname } = new URL(service.url);
  if (protocol === "http:" && isPublicAddress(plainHost(hostname))) {
    return finding(
      `${placeOf(service)} is on the internet, and pictures go there without TLS`,
      `Write ${service.variable} with https://`,
      "warning",
    );
  }
  return ok(`${service.builtIn ? "built-in" : placeOf(service)}${detail === "" ? "" : `: ${detail}`}`);
}

/** An answer in which something is wrong although it can be read. */
export function faulty(service: Service, faults: string): Outcome {
  return finding(
    `${placeOf(service)} answers, but ${faults}`,
    `Have the service at ${service.variable} answer as docs/services.md says`,
    "warning",
  );
}

/** Where it is, for people. */
function placeOf({ builtIn, url }: Omit<Service, "health">): string {
  return builtIn ? "The built-in service" : new URL(url).origin;
}
