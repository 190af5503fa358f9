import { createHash, randomBytes } from "node:crypto";

/** A user of a camera. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** What a server asks for with status 401 (RFC 7617 and RFC 7616). */
export type Challenge =
  | { readonly scheme: "basic" }
  | {
      readonly scheme: "digest";
      readonly realm: string;
      readonly nonce: string;
      readonly opaque: string | undefined;
      /** As the server wrote it; undefined for a server of RFC 2069. */
      readonly algorithm: string | undefined;
      readonly hasQop: boolean;
      /** The password was right, and the nonce was too old. */
      readonly isStale: boolean;
    };

const hashes: Readonly<Record<string, string>> = { md5: "md5", "sha-256": "sha256", "sha-512-256": "sha512-256" };

/**
 * Reads the challenges of a response and returns the best one that homesec can answer: digest before basic, a better hash before MD5.
 * Undefined if there is none.
 */
export function challengeOf(header: string): Challenge | undefined {
  const challenges = splitChallenges(header).flatMap(({ scheme, parameters }): Challenge[] => {
    if (scheme === "basic") return [{ scheme }];
    const { realm = "", nonce, opaque, algorithm, qop, stale } = parameters;
    if (scheme !== "digest" || nonce === undefined || hashOf(algorithm) === undefined) return [];
    const offered = qop?.split(",").map((word) => word.trim().toLowerCase());
    // `auth-int` alone would need a hash of the body
    if (offered && !offered.includes("auth")) return [];
    return [{ scheme, realm, nonce, opaque, algorithm, hasQop: offered !== undefined, isStale: stale?.toLowerCase() === "true" }];
  });
  const rank = (challenge: Challenge): number => (challenge.scheme === "basic" ? 0 : hashOf(challenge.algorithm) === "md5" ? 1 : 2);
  return challenges.toSorted((one, other) => rank(other) - rank(one))[0];
}

/**
 * Returns the header `Authorization` that answers a challenge. `count` is the number of requests with this nonce until now, this one included;
 * a client nonce is drawn unless a test gives one.
 */
export function authorizationOf(
  challenge: Challenge,
  { user, password }: Credentials,
  request: { readonly method: string; readonly path: string; readonly count: number; readonly clientNonce?: string },
): string {
  if (challenge.scheme === "basic") return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const { realm, nonce, opaque, algorithm, hasQop } = challenge;
  const hash = (text: string): string =>
    createHash(hashOf(algorithm) ?? "md5")
      .update(text)
      .digest("hex");
  const clientNonce = request.clientNonce ?? randomBytes(12).toString("hex");
  const count = request.count.toString(16).padStart(8, "0");
  const secret = hash(`${user}:${realm}:${password}`);
  const first = algorithm?.toLowerCase().endsWith("-sess") ? hash(`${secret}:${nonce}:${clientNonce}`) : secret;
  const second = hash(`${request.method}:${request.path}`);
  const response = hash(hasQop ? `${first}:${nonce}:${count}:${clientNonce}:auth:${second}` : `${first}:${nonce}:${second}`);
  const isSession = algorithm?.toLowerCase().endsWith("-sess") ?? false;
  return [
    `Digest username=${quoted(user)}, realm=${quoted(realm)}, nonce=${quoted(nonce)}, uri=${quoted(request.path)}, response="${response}"`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ...(hasQop ? ["qop=auth", `nc=${count}`] : []),
    ...(hasQop || isSession ? [`cnonce="${clientNonce}"`] : []),
  ].join(", ");
}

function hashOf(algorithm = "MD5"): string | undefined {
  return hashes[algorithm.toLowerCase().replace(/-sess$/, "")];
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;

/** A word is a scheme if it is followed by a space and not by "=". */
function splitChallenges(header: string): readonly { scheme: string; parameters: Record<string, string> }[] {
  const found: { scheme: string; parameters: Record<string, string> }[] = [];
  const token = /([A-Za-z][\w-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|([A-Za-z][\w-]*)(?=\s|,|$)/g;
  for (const [, name, inQuotes, plain, scheme] of header.slice(0, 8_192).matchAll(token)) {
    if (scheme !== undefined) found.push({ scheme: scheme.toLowerCase(), parameters: {} });
    else if (name !== undefined) {
      const parameters = found.at(-1)?.parameters;
      if (parameters) parameters[name.toLowerCase()] ??= inQuotes?.replaceAll(/\\(.)/g, "$1") ?? plain ?? "";
    }
  }
  return found;
}
