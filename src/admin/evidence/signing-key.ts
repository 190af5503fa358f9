import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { Problem } from "../../contract/problem.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import { insertSigningKey, listSigningKeys, lockSigningKeys, type SigningKeyRow } from "./evidence-repository.ts";

/** The key pair of this home for packs. */
export interface SigningKey {
  /** 32 bytes in base64url. */
  readonly publicKey: string;
  readonly createdAt: Date;
  /** Public keys that signed before and can no longer, newest first. */
  readonly earlier: readonly string[];
  /** Signs bytes. */
  sign(bytes: Uint8Array): Buffer;
}

/**
 * Returns the newest key that the key file opens. It is made at first need, and again if the key file is another: the packs signed with the
 * earlier key stay valid, and its public part stays listed. Must run in a transaction.
 */
export async function signingKey(sql: Sql, sealer: Sealer, now: Date): Promise<SigningKey> {
  const known = usable(await listSigningKeys(sql), sealer);
  if (known) return known;
  await lockSigningKeys(sql);
  // Another request may have made it meanwhile
  const rows = await listSigningKeys(sql);
  const other = usable(rows, sealer);
  if (other) return other;
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const row: SigningKeyRow = {
    publicKey: Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url"),
    sealedPrivateKey: sealer.seal(privateKey.export({ format: "pem", type: "pkcs8" }) as string),
    createdAt: now,
  };
  await insertSigningKey(sql, row);
  return keyOf(row, privateKey, rows);
}

function usable(rows: readonly SigningKeyRow[], sealer: Sealer): SigningKey | undefined {
  for (const row of rows) {
    try {
      return keyOf(row, createPrivateKey(sealer.unseal(Buffer.from(row.sealedPrivateKey))), rows);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
  return undefined;
}

function keyOf(row: SigningKeyRow, privateKey: KeyObject, all: readonly SigningKeyRow[]): SigningKey {
  const textOf = ({ publicKey }: SigningKeyRow): string => Buffer.from(publicKey).toString("base64url");
  const publicKey = textOf(row);
  return {
    publicKey,
    createdAt: row.createdAt,
    earlier: all.map(textOf).filter((text) => text !== publicKey),
    sign: (bytes) => sign(null, bytes, privateKey),
  };
}

function publicKeyOf(text: string): KeyObject {
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: text }, format: "jwk" });
}

/** Returns a public key in PEM, for other programs such as openssl. */
export function pemOf(publicKey: string): string {
  return publicKeyOf(publicKey).export({ format: "pem", type: "spki" }) as string;
}

/** Reads a public key as homesec prints it, or as PEM; undefined if it is no Ed25519 key. */
export function readPublicKey(text: string): string | undefined {
  const trimmed = text.trim();
  try {
    const key = trimmed.startsWith("-----") ? createPublicKey(trimmed) : publicKeyOf(trimmed);
    return key.asymmetricKeyType === "ed25519" ? key.export({ format: "jwk" }).x : undefined;
  } catch {
    return undefined;
  }
}

/** Tells whether a signature fits these bytes and a public key. */
export function isSignedBy(publicKey: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(null, bytes, publicKeyOf(publicKey), signature);
  } catch {
    return false;
  }
}
