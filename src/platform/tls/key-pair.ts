import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "../../contract/problem.ts";
import { readingReason } from "../disk/file-reason.ts";

/** A certificate or a chain of them, and the private key of the first. PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** The files of a key pair, and their names in errors. */
export interface KeyPairPaths {
  readonly certPath: string;
  readonly keyPath: string;
  readonly names: { readonly cert: string; readonly key: string };
}

/** Returns the files of the self-signed certificate. */
export function selfSignedPaths(dataDir: string): KeyPairPaths {
  const folder = join(dataDir, "tls");
  const names = { cert: "The own certificate", key: "The own private key" };
  return { certPath: join(folder, "cert.pem"), keyPath: join(folder, "key.pem"), names };
}

/** Reads and checks a key pair. Throws `Problem("invalid")` that names the file and its fault. */
export async function readKeyPair({ certPath, keyPath, names }: KeyPairPaths): Promise<KeyPair> {
  const cert = await readText(certPath, names.cert);
  const key = await readText(keyPath, names.key);
  const certificate = attempt(
    () => new X509Certificate(cert),
    `${names.cert} (${certPath}) holds no certificate in PEM form ("-----BEGIN CERTIFICATE-----")`,
  );
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(key)) {
    throw new Problem(
      "invalid",
      `${names.key} (${keyPath}) is protected by a passphrase, which homesec cannot enter; remove it: openssl pkey -in ${keyPath} -out key.pem`,
    );
  }
  const privateKey = attempt(
    () => createPrivateKey(key),
    `${names.key} (${keyPath}) holds no private key in PEM form ("-----BEGIN PRIVATE KEY-----")`,
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Problem(
      "invalid",
      `${names.key} (${keyPath}) is not the key of the first certificate in ${names.cert} (${certPath}); the server's own certificate must come first, then the chain`,
    );
  }
  return { cert, key };
}

async function readText(path: string, name: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new Problem("invalid", `${name} (${path}) cannot be read: ${readingReason(cause)}`, { cause });
  }
}

function attempt<T>(work: () => T, complaint: string): T {
  try {
    return work();
  } catch (cause) {
    throw new Problem("invalid", complaint, { cause });
  }
}
