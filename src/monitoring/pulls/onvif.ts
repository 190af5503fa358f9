import { createHash, randomBytes } from "node:crypto";
import { refusalOfHost } from "../../platform/outbound/checked-lookup.ts";
import { authorizationOf, type Credentials, challengeOf } from "./digest.ts";
import { elementsOf, escapeXml, parseXml, textOf, type XmlElement } from "./xml.ts";

const [timeoutMs, mostAnswerBytes, mostProfiles] = [5_000, 256 * 1024, 6];
const security = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss";
const media = "http://www.onvif.org/ver10/media/wsdl";
const device = "http://www.onvif.org/ver10/device/wsdl";

/** One of the streams that a camera offers, usually a large and a small one. */
export interface OnvifProfile {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Null if the camera has none. */
  readonly snapshotUrl: string | null;
  readonly streamUrl: string | null;
}

/** What a camera says about itself. With a fault, there are no profiles. */
export interface OnvifAnswer {
  readonly profiles: readonly OnvifProfile[];
  readonly fault: string | null;
}

class Fault extends Error {}

/**
 * Asks a camera for the addresses of its pictures and streams. Most cameras answer only to a user; homesec sends the given one, and never
 * tries passwords. Addresses on another host are moved to the camera's, which is what cameras behind a router mean. Never rejects because
 * of the camera.
 */
export async function askOnvif(serviceUrl: string, credentials: Credentials | undefined): Promise<OnvifAnswer> {
  try {
    return { profiles: await profilesOf(serviceUrl, credentials), fault: null };
  } catch (error) {
    if (error instanceof Fault) return { profiles: [], fault: error.message };
    throw error;
  }
}

async function profilesOf(serviceUrl: string, credentials: Credentials | undefined): Promise<readonly OnvifProfile[]> {
  // The camera refuses a time that differs from its clock, which is often wrong
  const clock = await request(serviceUrl, `<GetSystemDateAndTime xmlns="${device}"/>`, undefined, undefined).catch(() => undefined);
  const now = cameraTime(clock);
  const ask = (url: string, body: string): Promise<XmlElement> => request(url, body, credentials, now);
  const capabilities = await ask(serviceUrl, `<GetCapabilities xmlns="${device}"><Category>Media</Category></GetCapabilities>`);
  const mediaUrl = moved(textOf(elementsOf(capabilities, "Media")[0], "XAddr"), serviceUrl) ?? serviceUrl;
  const profiles = elementsOf(await ask(mediaUrl, `<GetProfiles xmlns="${media}"/>`), "Profiles").slice(0, mostProfiles);
  return await Promise.all(
    profiles.map(async (profile) => {
      const token = `<ProfileToken>${escapeXml(profile.attributes["token"] ?? "")}</ProfileToken>`;
      const setup = `<StreamSetup><Stream xmlns="http://www.onvif.org/ver10/schema">RTP-Unicast</Stream><Transport xmlns="http://www.onvif.org/ver10/schema"><Protocol>RTSP</Protocol></Transport></StreamSetup>`;
      const uriOf = async (body: string): Promise<string | null> => {
        const answer = await ask(mediaUrl, body).catch((error: unknown) => {
          if (error instanceof Fault) return undefined;
          throw error;
        });
        return moved(textOf(answer, "Uri"), serviceUrl) ?? null;
      };
      const resolution = elementsOf(elementsOf(profile, "VideoEncoderConfiguration")[0], "Resolution")[0];
      return {
        name: textOf(profile, "Name").slice(0, 80),
        ...{ width: Number(textOf(resolution, "Width")) || 0, height: Number(textOf(resolution, "Height")) || 0 },
        snapshotUrl: await uriOf(`<GetSnapshotUri xmlns="${media}">${token}</GetSnapshotUri>`),
        streamUrl: await uriOf(`<GetStreamUri xmlns="${media}">${setup}${token}</GetStreamUri>`),
      };
    }),
  );
}

/** Returns an address on the host of the camera; undefined for what is no address. */
function moved(url: string, serviceUrl: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const target = new URL(url);
  if (!/^(?:https?|rtsps?):$/.test(target.protocol)) return undefined;
  [target.hostname, target.username, target.password] = [new URL(serviceUrl).hostname, "", ""];
  return target.href;
}

function cameraTime(answer: XmlElement | undefined): Date {
  const utc = elementsOf(answer, "UTCDateTime")[0];
  const [year, month, day, hour, minute, second] = ["Year", "Month", "Day", "Hour", "Minute", "Second"].map((part) =>
    Number(textOf(utc, part)),
  );
  const time = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
  return utc && Number.isFinite(time) ? new Date(time) : new Date();
}

/** The user in the manner of WS-UsernameToken, by a hash instead of the password. */
function securityHeader({ user, password }: Credentials, now: Date): string {
  const nonce = randomBytes(16);
  const created = now.toISOString();
  const hash = createHash("sha1").update(nonce).update(created).update(password).digest("base64");
  return [
    `<s:Header><w:Security xmlns:w="${security}-wssecurity-secext-1.0.xsd" s:mustUnderstand="1"><w:UsernameToken>`,
    `<w:Username>${escapeXml(user)}</w:Username><w:Password Type="${security}-username-token-profile-1.0#PasswordDigest">${hash}</w:Password>`,
    `<w:Nonce EncodingType="${security}-soap-message-security-1.0#Base64Binary">${nonce.toString("base64")}</w:Nonce>`,
    `<u:Created xmlns:u="${security}-wssecurity-utility-1.0.xsd">${created}</u:Created></w:UsernameToken></w:Security></s:Header>`,
  ].join("");
}

/** Sends a request, and again if the camera wants its user by HTTP. Throws `Fault`. */
async function request(url: string, body: string, credentials: Credentials | undefined, now: Date | undefined): Promise<XmlElement> {
  const header = credentials && now ? securityHeader(credentials, now) : "";
  const envelope = `<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope">${header}<s:Body>${body}</s:Body></s:Envelope>`;
  let response = await post(url, envelope);
  const challenge = response.status === 401 ? challengeOf(response.challenge) : undefined;
  // Whatever answers in the network may ask, so a password is never sent as it is
  if (challenge?.scheme === "digest" && credentials) {
    const path = new URL(url).pathname;
    response = await post(url, envelope, authorizationOf(challenge, credentials, { method: "POST", path, count: 1 }));
  }
  const answer = parseXml(response.text);
  const isRefused = response.status === 401 || /NotAuthorized|FailedAuthentication/i.test(response.text);
  if (isRefused && !credentials) throw new Fault("the camera asks for a user and a password; give --user and --password-file");
  if (isRefused) throw new Fault(`the camera refused the password of user ${credentials?.user}`);
  if (response.status !== 200 || !answer) throw new Fault(`the camera answered with status ${response.status}, not in ONVIF`);
  return answer;
}

interface Answer {
  readonly status: number;
  readonly challenge: string;
  readonly text: string;
}

async function post(url: string, body: string, authorization?: string): Promise<Answer> {
  const { hostname, host } = new URL(url);
  const refusal = refusalOfHost(hostname);
  if (refusal !== undefined) throw new Fault(`${refusal}, which is never called`);
  const headers = { "content-type": "application/soap+xml; charset=utf-8", ...(authorization !== undefined && { authorization }) };
  try {
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.length > mostAnswerBytes) throw new Fault(`${host} answered with more than ${mostAnswerBytes / 1024} KiB`);
    }
    return { status: response.status, challenge: response.headers.get("www-authenticate") ?? "", text };
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault(`${host} does not answer to ONVIF requests`, { cause: error });
  }
}

/**
 * Chooses the address to fetch from: that of a picture, and otherwise the smallest stream with at least 640 pixels in a row, which costs
 * little to decode and shows enough. Undefined if there is none.
 */
export function bestAddress(profiles: readonly OnvifProfile[]): string | undefined {
  const bySize = profiles.toSorted((one, other) => one.width - other.width);
  const enough = (profile: OnvifProfile): boolean => profile.width >= 640;
  const largest = (all: readonly OnvifProfile[], key: "snapshotUrl" | "streamUrl") =>
    all.toReversed().find((each) => each[key] !== null)?.[key];
  return (
    largest(bySize, "snapshotUrl") ??
    bySize.find((each) => enough(each) && each.streamUrl !== null)?.streamUrl ??
    largest(bySize, "streamUrl") ??
    undefined
  );
}
