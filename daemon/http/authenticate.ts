import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import { includesRole, type Need } from "../../src/contract/access.ts";
import { Problem } from "../../src/contract/problem.ts";
import { hashOf, type Keyring } from "../../src/platform/keys/keyring.ts";
import { type Access, configuredName, type NamedKeys } from "../../src/platform/keys/named-keys.ts";
import type { SignatureState } from "../../src/platform/secrets/signed-address.ts";
import { setAccess } from "./caller.ts";
import { answerDetail } from "./errors.ts";
import { isForPage, sessionSecretOf } from "./session-cookie.ts";

/** Called with the request of a wrong API key. The answer waits for it. */
export type OnWrongKey = (request: IncomingMessage) => Promise<void>;

/** The keys that a daemon accepts. */
export interface AcceptedKeys {
  /** The keys of `API_KEYS`. Without it, no key is required. */
  readonly keyring?: Keyring | undefined;
  readonly namedKeys?: NamedKeys | undefined;
}

/** The client of a request. `ended`: its key was revoked or has expired. `unknown`: its key is not one of ours. */
export type Identity = { readonly kind: "none" | "ended" | "unknown" } | { readonly kind: "known"; readonly access: Access };

/** What a key of the configuration may do. */
const configuredKey = {
  kind: "configured",
  expiresAt: null,
  keyId: undefined,
  name: configuredName,
  role: "owner",
  cameraIds: undefined,
} as const;

/** Finds out to whom a key belongs. */
export function identifyKey(key: string | Buffer | undefined, { keyring, namedKeys }: AcceptedKeys): Identity {
  if (key === undefined) return { kind: "none" };
  if (keyring?.accepts(key)) return { kind: "known", access: { ...configuredKey, keyHash: hashOf(key).toString("hex") } };
  const found = namedKeys?.find(key);
  if (found?.access.kind !== "key") return { kind: "unknown" };
  return found.isActive ? { kind: "known", access: found.access } : { kind: "ended" };
}

/** Finds out to whom the session cookie of a request belongs. An unknown cookie counts as none. */
export function identifySession(request: IncomingMessage, { namedKeys }: AcceptedKeys): Identity {
  const secret = namedKeys && sessionSecretOf(request);
  const found = secret === undefined ? undefined : namedKeys?.find(secret);
  if (found?.access.kind !== "session") return { kind: "none" };
  return found.isActive ? { kind: "known", access: found.access } : { kind: "ended" };
}

/** Finds out to whom a request belongs. A key counts before a session. */
function identify(request: IncomingMessage, keys: AcceptedKeys): Identity {
  const key = keyOf(request);
  return key === undefined ? identifySession(request, keys) : identifyKey(key, keys);
}

/**
 * Returns for whom the limits of browsers count a request: its session or, in a home that asks nobody for a key, the web page at its address.
 * Undefined for other clients, and for requests with a key.
 */
export function countedBrowser(request: IncomingMessage, keys: AcceptedKeys, address: string): string | undefined {
  if (request.headers.cookie === undefined || keyOf(request) !== undefined) return undefined;
  const identity = identifySession(request, keys);
  if (identity.kind === "known") return identity.access.keyId;
  return keys.keyring === undefined && isForPage(request) ? `page ${address}` : undefined;
}

/** The routes after this middleware. */
export interface Protected {
  /** False if they need no key, even if keys are required. */
  readonly needsKey: boolean;
  /** What a named key needs for them; undefined: any role will do. */
  readonly need: Need | undefined;
  /** Checks a signature in the address. Without it, signatures are ignored. */
  readonly signatureOf?: ((request: IncomingMessage) => SignatureState) | undefined;
}

const signatureFaults = {
  ended: "The address of this picture has ended; open the event on the page of homesec",
  wrong: "The signature of this address is wrong: a part of it may be missing; open the event on the page of homesec",
} as const;

/**
 * Answers 401 to requests without a valid API key if keys are required, and 403 to named keys whose role may not use the route. `OPTIONS`
 * needs no key, because browsers send it without one.
 */
export function requireKey(keys: AcceptedKeys, { needsKey, need, signatureOf }: Protected, onWrongKey?: OnWrongKey): RequestHandler {
  const isPublic = !needsKey && need?.role === "guest" && need.cameras === "none";
  const isRequired = needsKey && keys.keyring !== undefined;
  return async (request, response, next) => {
    if (request.method === "OPTIONS") return next();
    const signature = signatureOf?.(request) ?? "none";
    if (signature === "valid") return next();
    const identity = identify(request, keys);
    if (identity.kind === "known") {
      const { access } = identity;
      setAccess(request, access);
      requireRole(access, need);
      if (access.keyId !== undefined) keys.namedKeys?.noteUse(access.keyId);
      return next();
    }
    if (isPublic) return next();
    // Without required keys, an unknown key is as good as none; a revoked one must not turn into full access.
    if (!isRequired && identity.kind !== "ended") return next();
    if (identity.kind !== "none") await onWrongKey?.(request);
    response.setHeader("WWW-Authenticate", "ApiKey");
    if (identity.kind === "none" && signature !== "none") answerDetail(response, 401, signatureFaults[signature]);
    else answerDetail(response, 401, identity.kind === "none" ? "API key required" : "Invalid API key");
  };
}

function requireRole({ name, role }: Access, need: Need | undefined): void {
  if (!need || includesRole(role, need.role)) return;
  throw new Problem(
    "forbidden",
    `The key ${JSON.stringify(name)} has the role ${role}, but this needs the role ${need.role}; ask the owner`,
  );
}

/** Returns the key of a request. The header comes before the query, and empty keys count as absent. */
function keyOf(request: IncomingMessage): string | Buffer | undefined {
  const header = request.headers["x-api-key"];
  // Node decodes headers as latin1. As bytes, a key with non-ASCII letters stays intact.
  if (typeof header === "string" && header !== "") return Buffer.from(header, "latin1");
  return queryValue(request, "api_key");
}

/** Returns a query value, the last one if there are several. Returns undefined if it is absent or empty. */
export function queryValue(request: IncomingMessage, name: string): string | undefined {
  const url = request.url ?? "";
  const questionMark = url.indexOf("?");
  if (questionMark === -1) return undefined;
  return new URLSearchParams(url.slice(questionMark + 1)).getAll(name).at(-1) || undefined;
}
