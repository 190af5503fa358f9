import type { IncomingMessage } from "node:http";
import { createGetter, GetFailure, type Getter } from "../../platform/outbound/getter.ts";
import type { Resolve } from "../../platform/outbound/resolve.ts";
import { filledAddress, passwordPlace } from "./address.ts";
import { authorizationOf, type Challenge, type Credentials, challengeOf } from "./digest.ts";
import { BadParts, PartReader } from "./part-reader.ts";
import { checkPicture, mostPulledBytes, type PulledPicture, PullFault } from "./pulled-picture.ts";

/** Redirects that are followed, all to the same host. */
const mostRedirects = 3;

/** The address of a camera's newest picture. */
export interface SnapshotAddress {
  readonly url: string;
  readonly credentials: Credentials | undefined;
  readonly resolve?: Resolve;
}

/**
 * Fetches the newest picture of a camera over HTTP, again and again over the same connection. It answers basic and digest challenges, and
 * asks only for a picture that has changed.
 */
export class SnapshotSource {
  readonly #url: string;
  readonly #credentials: Credentials | undefined;
  readonly #getter: Getter;
  #challenge: Challenge | undefined;
  #count = 0;
  /** Headers that ask for a newer picture than the last one. */
  #conditions: Readonly<Record<string, string>> = {};

  constructor({ url, credentials, resolve }: SnapshotAddress) {
    this.#url = url;
    this.#credentials = credentials;
    this.#getter = createGetter(resolve);
  }

  /** Resolves to the picture, or "unchanged" if the camera says that it is the last one. Throws `PullFault`. */
  async fetch(options: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<PulledPicture | "unchanged"> {
    const target = new URL(filledAddress(this.#url, this.#credentials));
    const overrun = new PullFault(`no complete answer from ${target.host} within ${options.timeoutMs / 1000} s`);
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(overrun), options.timeoutMs);
    const end = (): void => stop.abort(new PullFault("stopped"));
    options.signal?.addEventListener("abort", end, { once: true });
    if (options.signal?.aborted) end();
    try {
      return await this.#follow(target, stop.signal);
    } catch (error) {
      if (stop.signal.aborted) throw stop.signal.reason;
      if (error instanceof GetFailure) throw new PullFault(error.message, { cause: error });
      if (error instanceof PullFault) throw error;
      throw new PullFault(`${target.host}: the connection was closed before the picture was complete`, { cause: error });
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", end);
    }
  }

  close(): void {
    this.#getter.close();
  }

  async #follow(target: URL, signal: AbortSignal): Promise<PulledPicture | "unchanged"> {
    let url = target;
    for (let redirects = 0; ; redirects += 1) {
      const response = await this.#ask(url, signal);
      const { statusCode: status = 0, headers } = response;
      if (status === 304) {
        await drained(response);
        return "unchanged";
      }
      if (status >= 300 && status < 400) {
        response.destroy();
        url = this.#redirected(url, headers.location, redirects);
        continue;
      }
      if (status !== 200) {
        response.destroy();
        throw new PullFault(this.#textOf(status, headers["www-authenticate"]));
      }
      const picture = await checkPicture(await bodyOf(response), headers["content-type"]);
      const { etag, "last-modified": modified } = headers;
      this.#conditions = { ...(etag && { "if-none-match": etag }), ...(!etag && modified && { "if-modified-since": modified }) };
      return picture;
    }
  }

  /** Asks once with what is known about the camera, and a second time if that was not enough. */
  async #ask(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
    const response = await this.#send(url, signal);
    if (response.statusCode !== 401 || !this.#credentials) return response;
    const challenge = challengeOf(headerText(response.headers["www-authenticate"]));
    const wasAnswered = this.#challenge !== undefined && !(challenge?.scheme === "digest" && !isSameNonce(challenge, this.#challenge));
    if (!challenge || wasAnswered) return response;
    await drained(response);
    this.#challenge = challenge;
    this.#count = 0;
    return await this.#send(url, signal);
  }

  async #send(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
    this.#count += 1;
    const path = `${url.pathname}${url.search}`;
    const authorization =
      this.#challenge &&
      this.#credentials &&
      authorizationOf(this.#challenge, this.#credentials, { method: "GET", path, count: this.#count });
    const headers = { accept: "image/jpeg, image/*;q=0.9, */*;q=0.5", "user-agent": "homesec", ...this.#conditions };
    return await this.#getter.get(url, { headers: authorization === undefined ? headers : { ...headers, authorization }, signal });
  }

  #redirected(url: URL, location: string | undefined, redirects: number): URL {
    if (location === undefined || !URL.canParse(location, url.href)) throw new PullFault("the camera redirects to no address");
    const next = new URL(location, url);
    if (next.hostname !== url.hostname) {
      throw new PullFault(`the camera redirects to another host, ${next.hostname}, which homesec does not follow; give the final address`);
    }
    if (!/^https?:$/.test(next.protocol) || (url.protocol === "https:" && next.protocol === "http:"))
      throw new PullFault(`the camera redirects from ${url.protocol}// to ${next.protocol}//, which homesec does not follow`);
    if (redirects >= mostRedirects) throw new PullFault("the camera redirects in a circle; open the address in a browser");
    [next.username, next.password] = ["", ""];
    return next;
  }

  #textOf(status: number, challenge: string | readonly string[] | undefined): string {
    const user = this.#credentials?.user;
    if (status === 401 && !this.#credentials) return "401: the camera asks for a user and a password; enter them with the address";
    if (status === 401 && challengeOf(headerText(challenge)) === undefined && !this.#url.includes(passwordPlace))
      return "401: the camera asks for a kind of login that homesec does not know; set it to digest or basic authentication";
    if (status === 401) return `401: the camera refused the password of user ${user}; enter it again`;
    if (status === 403)
      return `403: the camera does not let ${user ? `user ${user}` : "anyone"} read pictures; give that right in the camera`;
    if (status === 404) return "404: there is no picture at this address; look it up in the camera's manual";
    return `the camera answered with status ${status}; open the address in a browser`;
  }
}

const headerText = (header: string | readonly string[] | undefined): string =>
  typeof header === "string" ? header : (header?.join(", ") ?? "");

function isSameNonce(one: Challenge, other: Challenge): boolean {
  return one.scheme === "digest" && other.scheme === "digest" && one.nonce === other.nonce;
}

/** Reads a body that has no use, so that its connection can be used again. */
async function drained(response: IncomingMessage): Promise<void> {
  for await (const _ of response);
}

/** Reads the body, or the first part of a stream of pictures. */
async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const type = response.headers["content-type"] ?? "";
  if (/^multipart\//i.test(type)) return await firstPart(response, /boundary="?([^";\s]+)/i.exec(type)?.[1]);
  const tooLarge = (): PullFault => {
    response.destroy();
    return new PullFault(`the picture is larger than ${mostPulledBytes / 1024 / 1024} MB; set a lower resolution or quality in the camera`);
  };
  if (Number(response.headers["content-length"] ?? 0) > mostPulledBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > mostPulledBytes) throw tooLarge();
  }
  return Buffer.concat(chunks);
}

/** The stream has no end, so its connection is closed afterwards. */
async function firstPart(response: IncomingMessage, boundary: string | undefined): Promise<Buffer> {
  const reader = new PartReader({ boundary, mostBytes: mostPulledBytes });
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      const [part] = reader.push(chunk);
      if (part) return part;
    }
  } catch (error) {
    if (error instanceof BadParts) throw new PullFault(`the camera sent ${error.message}`);
    throw error;
  } finally {
    response.destroy();
  }
  throw new PullFault("the camera sent a stream without a picture");
}
