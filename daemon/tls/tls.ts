import { X509Certificate } from "node:crypto";
import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { Config } from "../../src/platform/config/config.ts";
import { type KeyPair, readKeyPair } from "../../src/platform/tls/key-pair.ts";
import { selfSignedPaths } from "../../src/platform/tls/self-signed-paths.ts";
import { ensureSelfSigned, ownNames } from "./self-signed.ts";

/** How often the files are looked at. */
const checkMs = 60_000;

/** The certificate of the server, kept up to date. */
export interface Tls {
  readonly pair: KeyPair;
  /** The file that clients have to trust, when nobody else vouches for it. */
  readonly ownCertificatePath: string | undefined;
  /** Passes on every new key pair from now on: renewed by us, or put in place by whoever cares for the files. */
  follow(use: (pair: KeyPair) => void): void;
  /** Looks at the files now. */
  check(): Promise<void>;
  stop(): void;
}

type TlsConfig = Pick<Config, "tlsMode" | "tlsCertPath" | "tlsKeyPath" | "dataDir" | "host" | "allowedHosts">;

/** Opens what `TLS_MODE` says; undefined for `disabled`. Throws `Problem("invalid")` for files that cannot be used. */
export async function openTls(config: TlsConfig, { clock, log }: { readonly clock: Clock; readonly log: Log }): Promise<Tls | undefined> {
  if (config.tlsMode === "disabled") return undefined;
  const isOwn = config.tlsMode === "self_signed";
  const load = isOwn ? loaderOfOwn(config, clock) : loaderOfProvided(config);
  let pair = await load();
  warnOfEnd(pair, clock, log);
  let use: (pair: KeyPair) => void = () => {};
  let complaint = "";
  const check = async (): Promise<void> => {
    try {
      const loaded = await load();
      complaint = "";
      if (loaded.cert === pair.cert && loaded.key === pair.key) return;
      pair = loaded;
      use(pair);
      log.info({ valid_until: endOf(pair) }, "a new TLS certificate is in use");
      warnOfEnd(pair, clock, log);
    } catch (error) {
      // in the middle of being replaced, or wrong: the one in use goes on
      if (complaint !== String(error)) log.error({ error: String(error) }, "the TLS certificate cannot be renewed; the one in use goes on");
      complaint = String(error);
    }
  };
  const timer = setInterval(check, checkMs).unref();
  return {
    get pair() {
      return pair;
    },
    ownCertificatePath: isOwn ? selfSignedPaths(config.dataDir).certPath : undefined,
    follow: (next) => {
      use = next;
    },
    check,
    stop: () => clearInterval(timer),
  };
}

type Load = () => Promise<KeyPair>;

function loaderOfOwn(config: TlsConfig, clock: Clock): Load {
  const places = selfSignedPaths(config.dataDir);
  const names = ownNames([config.host, ...config.allowedHosts]);
  return () => ensureSelfSigned(places, names, clock.now());
}

function loaderOfProvided({ tlsCertPath = "", tlsKeyPath = "" }: TlsConfig): Load {
  return () => readKeyPair({ certPath: tlsCertPath, keyPath: tlsKeyPath, names: { cert: "TLS_CERT_PATH", key: "TLS_KEY_PATH" } });
}

function warnOfEnd(pair: KeyPair, clock: Clock, log: Log): void {
  const end = endOf(pair);
  if (end <= clock.now()) log.warn({ valid_until: end }, "the TLS certificate is no longer valid; clients will refuse it");
}

function endOf({ cert }: KeyPair): Date {
  return new Date(new X509Certificate(cert).validTo);
}
