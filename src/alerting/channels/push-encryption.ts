import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign } from "node:crypto";
import { hourMs } from "../../base/clock/clock.ts";

/** The keys of a browser, which encrypt for it, in base64url. */
export interface PushKeys {
  /** Public key on the curve P-256: 65 bytes. */
  readonly p256dh: string;
  /** Secret of the subscription: 16 bytes. */
  readonly auth: string;
}

/** The key pair that identifies this homesec to push services (VAPID), in base64url. */
export interface VapidKeys {
  /** 65 bytes. */
  readonly publicKey: string;
  /** 32 bytes. */
  readonly privateKey: string;
}

const curve = "prime256v1";
const [saltBytes, pointBytes, keyBytes, nonceBytes, tagBytes] = [16, 65, 16, 12, 16];
/** Head of the body: salt, size of a record, length of the key, and the key. */
const headBytes = saltBytes + 4 + 1 + pointBytes;
/** All of a message is one record, which is never longer. Push services need not take more. */
const recordBytes = 4096;

/** Bytes that encryption adds to a message. */
export const encryptionBytes = headBytes + 1 + tagBytes;

/** Makes a key pair. */
export function makeVapidKeys(): VapidKeys {
  const pair = createECDH(curve);
  const publicKey = pair.generateKeys("base64url");
  return { publicKey, privateKey: padded(pair.getPrivateKey()).toString("base64url") };
}

/** Node.js leaves zeros at the beginning of a private key out. */
const padded = (key: Buffer): Buffer => Buffer.concat([Buffer.alloc(32 - key.length), key]);

/** Tells whether these bytes are a public key: a point on the curve, not compressed. */
export function isPublicKey(key: string): boolean {
  const bytes = Buffer.from(key, "base64url");
  if (bytes.length !== pointBytes || bytes[0] !== 4) return false;
  try {
    const pair = createECDH(curve);
    pair.generateKeys();
    pair.computeSecret(bytes);
    return true;
  } catch {
    return false;
  }
}

/** What makes an encryption unique; given only to check it against an example. */
export interface OneTime {
  readonly salt: Buffer;
  readonly privateKey: Buffer;
}

/** Encrypts a message for one browser: the content coding `aes128gcm` (RFC 8291, RFC 8188). Throws for a key that is not on the curve. */
export function encryptPush(message: Buffer, { p256dh, auth }: PushKeys, oneTime?: OneTime): Buffer {
  const browserKey = Buffer.from(p256dh, "base64url");
  const pair = createECDH(curve);
  if (oneTime) pair.setPrivateKey(oneTime.privateKey);
  else pair.generateKeys();
  const ownKey = pair.getPublicKey();
  const salt = oneTime?.salt ?? randomBytes(saltBytes);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), browserKey, ownKey]);
  const secret = derived(pair.computeSecret(browserKey), Buffer.from(auth, "base64url"), info, 32);
  const key = derived(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), keyBytes);
  const nonce = derived(secret, salt, Buffer.from("Content-Encoding: nonce\0"), nonceBytes);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  // The byte 2 ends the last record
  const content = Buffer.concat([cipher.update(message), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()]);
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(recordBytes);
  sizes.writeUInt8(pointBytes, 4);
  return Buffer.concat([salt, sizes, ownKey, content]);
}

const derived = (secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, salt, info, bytes));

/** Services accept at most a day. */
const signedForMs = 12 * hourMs;
/** Push services ask for a contact of the sender. It is the address of the program, so that no one learns who runs it. */
const contact = "https://github.com/homesec/homesec";

/** Returns the value of `Authorization` for a push service (RFC 8292). */
export function vapidHeader(endpoint: string, { publicKey, privateKey }: VapidKeys, now: Date): string {
  const expires = Math.floor((now.getTime() + signedForMs) / 1000);
  const claims = { aud: new URL(endpoint).origin, exp: expires, sub: contact };
  const content = [{ typ: "JWT", alg: "ES256" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const point = Buffer.from(publicKey, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
  const key = createPrivateKey({ key: { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "", d: privateKey }, format: "jwk" });
  const signature = sign("sha256", Buffer.from(content), { key, dsaEncoding: "ieee-p1363" });
  return `vapid t=${content}.${signature.toString("base64url")}, k=${publicKey}`;
}
