import { join } from "node:path";
import type { KeyPairPlaces } from "./key-pair.ts";

/** Where the own certificate is. */
export function selfSignedPaths(dataDir: string): KeyPairPlaces {
  const folder = join(dataDir, "tls");
  const certPath = join(folder, "cert.pem");
  const keyPath = join(folder, "key.pem");
  return { certPath, keyPath, names: { cert: "The own certificate", key: "The own private key" } };
}
