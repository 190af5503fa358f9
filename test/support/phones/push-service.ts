import { generateKeyPairSync, webcrypto } from "node:crypto";
import { selfSignedCertificate } from "../../../daemon/tls/certificate.ts";
import { phoneService, type ServiceAnswer, type ServiceRequest } from "./service.ts";

const { subtle } = webcrypto;
const curve = { namedCurve: "P-256" };

/** A message as a browser shows it. */
export interface PushedMessage {
  readonly title: string;
  readonly text: string;
  readonly tag: string;
  readonly isQuiet: boolean;
  readonly isUrgent: boolean;
  readonly page?: string;
  readonly picture?: string;
  readonly buttons: readonly { readonly label: string; readonly token: string }[];
}

/** A message as the push service took it, decrypted by the browser that it was for. */
export interface Pushed {
  readonly message: PushedMessage;
  readonly headers: ServiceRequest["headers"];
  readonly bodyBytes: number;
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "base64url"));
const ascii = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "latin1"));

type Bytes = ArrayBuffer | Uint8Array<ArrayBuffer>;

async function derive(secret: Bytes, salt: Bytes, info: Bytes, bytes: number): Promise<ArrayBuffer> {
  const key = await subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  return await subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, bytes * 8);
}

/** The keys of a browser, with the decryption of RFC 8291 by WebCrypto: it shares nothing with the code that encrypts. */
async function browserKeys() {
  const pair = (await subtle.generateKey({ name: "ECDH", ...curve }, true, ["deriveBits"])) as webcrypto.CryptoKeyPair;
  const publicKey = new Uint8Array(await subtle.exportKey("raw", pair.publicKey));
  const auth = webcrypto.getRandomValues(new Uint8Array(16));
  const decrypt = async (body: Buffer): Promise<Buffer> => {
    const all = new Uint8Array(body);
    const [salt, keyLength] = [all.slice(0, 16), all[20] ?? 0];
    const senderBytes = all.slice(21, 21 + keyLength);
    const sender = await subtle.importKey("raw", senderBytes, { name: "ECDH", ...curve }, false, []);
    const shared = await subtle.deriveBits({ name: "ECDH", public: sender }, pair.privateKey, 256);
    const info = new Uint8Array([...ascii("WebPush: info\0"), ...publicKey, ...senderBytes]);
    const secret = await derive(shared, auth, info, 32);
    const raw = await derive(secret, salt, ascii("Content-Encoding: aes128gcm\0"), 16);
    const iv = await derive(secret, salt, ascii("Content-Encoding: nonce\0"), 12);
    const key = await subtle.importKey("raw", raw, "AES-GCM", false, ["decrypt"]);
    const padded = Buffer.from(await subtle.decrypt({ name: "AES-GCM", iv }, key, all.slice(21 + keyLength)));
    const end = padded.lastIndexOf(2);
    if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error("the last record does not end with 2");
    return padded.subarray(0, end);
  };
  return { p256dh: Buffer.from(publicKey).toString("base64url"), auth: Buffer.from(auth).toString("base64url"), decrypt };
}

/** Whether a push service would let this sender pass (RFC 8292). */
async function isSigned(authorization: string, origin: string, applicationServerKey: string): Promise<boolean> {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const [head = "", claims = "", signature = ""] = token.split(".");
  if (key !== applicationServerKey) return false;
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { aud: string; exp: number; sub: string };
  const hours = (exp * 1000 - Date.now()) / 3_600_000;
  if (aud !== origin || hours <= 0 || hours > 24 || !/^(?:https|mailto):/.test(sub)) return false;
  const publicKey = await subtle.importKey("raw", bytesOf(key), { name: "ECDSA", ...curve }, false, ["verify"]);
  return await subtle.verify({ name: "ECDSA", hash: "SHA-256" }, publicKey, bytesOf(signature), ascii(`${head}.${claims}`));
}

/** A push service over TLS, after RFC 8030, which decrypts with the keys of the browsers that subscribed. */
export async function pushService() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", curve);
  const dates = { from: new Date(Date.now() - 1e6), to: new Date(Date.now() + 1e8) };
  const cert = selfSignedCertificate({ title: "push", names: ["127.0.0.1"], ...dates, publicKey, privateKey });
  const browsers = new Map<string, Awaited<ReturnType<typeof browserKeys>> & { readonly serverKey: string }>();
  const pushed: Pushed[] = [];
  const answer = async ({ path, headers, body }: ServiceRequest): Promise<ServiceAnswer> => {
    const browser = browsers.get(path);
    if (!browser) return { status: 410, body: { code: 410, errno: 106, message: "Request did not validate: subscription is gone" } };
    if (!(await isSigned(headers.authorization ?? "", service.url, browser.serverKey)))
      return { status: 403, body: { code: 403, message: "VAPID credentials do not match" } };
    if (headers["content-encoding"] !== "aes128gcm" || !/^\d+$/.test(String(headers["ttl"]))) return { status: 400, body: "no TTL" };
    if (!/^[\w-]{0,32}$/.test(String(headers["topic"]))) return { status: 400, body: "topic" };
    if (body.length > 4096) return { status: 413, body: { code: 413, message: "Payload is too large" } };
    pushed.push({ message: JSON.parse((await browser.decrypt(body)).toString()), headers, bodyBytes: body.length });
    return { status: 201, headers: { location: `${path}/m${pushed.length}` }, body: "" };
  };
  const service = await phoneService(answer, { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }) as string });
  return {
    ...service,
    ca: cert,
    pushed: pushed as readonly Pushed[],
    /** A browser subscribes with the public key of homesec. */
    subscribe: async (serverKey: string) => {
      const { decrypt, ...keys } = await browserKeys();
      const path = `/push/${webcrypto.randomUUID()}`;
      browsers.set(path, { ...keys, decrypt, serverKey });
      return { endpoint: `${service.url}${path}`, keys };
    },
    /** The user takes back the permission, or clears the browser. */
    forget: (endpoint: string) => browsers.delete(new URL(endpoint).pathname),
  };
}
