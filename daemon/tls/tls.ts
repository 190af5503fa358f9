import { X509Certificate } from "node:crypto";
import { type Clock, hourMs } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { Config } from "../../src/platform/config/config.ts";
import { type KeyPair, type KeyPairPaths, readKeyPair, selfSignedPaths } from "../../src/platform/tls/key-pair.ts";
import { watchFiles } from "../reload/watch-files.ts";
import { ensureSelfSigned, machineNames } from "./self-signed.ts";

/** Interval between checks whether the self-signed certificate is close to expiry. */
const renewalCheckMs = hourMs;

/** The server's certificate, kept up to date. */
export interface Tls {
  readonly pair: KeyPair;
  /** The file that clients must trust if the certificate is self-signed. */
  readonly ownCertificatePath: string | undefined;
  /** Calls `use` with each new key pair: renewed by homesec, or replaced by certbot or a person. */
  onRenewal(use: (pair: KeyPair) => void): void;
  /** Reads the files now. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

export interface TlsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Called with the reason when the files cannot be used, and with undefined when they can be used again. */
  readonly onFault?: (fault: string | undefined) => void;
}

type TlsConfig = Pick<Config, "tlsMode" | "tlsCertPath" | "tlsKeyPath" | "dataDir" | "host" | "allowedHosts">;

/**
 * Loads the certificate for `TLS_MODE` and watches its files. Returns undefined for `disabled`. Throws `Problem("invalid")` if the files
 * cannot be used.
 */
export async function openTls(config: TlsConfig, options: TlsOptions): Promise<Tls | undefined> {
  if (config.tlsMode === "disabled") return undefined;
  const isSelfSigned = config.tlsMode === "self_signed";
  const paths = isSelfSigned ? selfSignedPaths(config.dataDir) : providedPaths(config);
  const certificate = new ServerCertificate(isSelfSigned ? selfSignedLoader(config, options.clock) : () => readKeyPair(paths), options);
  await certificate.load();
  const check = () => certificate.check();
  const watcher = await watchFiles({ paths: [paths.certPath, paths.keyPath], log: options.log, onChange: check });
  const timer = isSelfSigned ? setInterval(check, renewalCheckMs).unref() : undefined;
  return {
    get pair() {
      return certificate.pair;
    },
    ownCertificatePath: isSelfSigned ? paths.certPath : undefined,
    onRenewal: (use) => {
      certificate.onRenewal = use;
    },
    check,
    stop: async () => {
      clearInterval(timer);
      await watcher.close();
    },
  };
}

/** The key pair in use. A new pair replaces it. If the files cannot be used, the current pair stays. */
class ServerCertificate {
  readonly #load: () => Promise<KeyPair>;
  readonly #options: TlsOptions;
  #pair: KeyPair = { cert: "", key: "" };
  #fault: string | undefined;
  onRenewal: (pair: KeyPair) => void = () => {};

  constructor(load: () => Promise<KeyPair>, options: TlsOptions) {
    this.#load = load;
    this.#options = options;
  }

  get pair(): KeyPair {
    return this.#pair;
  }

  /** Reads the first key pair. */
  async load(): Promise<void> {
    this.#pair = await this.#load();
    this.#warnIfExpired();
  }

  async check(): Promise<void> {
    try {
      this.#accept(await this.#load());
    } catch (error) {
      this.#reportFault(error instanceof Error ? error.message : String(error));
    }
  }

  #accept(loaded: KeyPair): void {
    const { log, onFault } = this.#options;
    const isNew = loaded.cert !== this.#pair.cert || loaded.key !== this.#pair.key;
    if (this.#fault !== undefined) {
      this.#fault = undefined;
      onFault?.(undefined);
      if (!isNew) log.info({}, "the TLS certificate files can be used again");
    }
    if (!isNew) return;
    this.#pair = loaded;
    this.onRenewal(loaded);
    log.info({ valid_until: expiryOf(loaded) }, "a new TLS certificate is in use");
    this.#warnIfExpired();
  }

  /** Reports unusable files once. They may be wrong, or may be being replaced right now. */
  #reportFault(fault: string): void {
    if (fault === this.#fault) return;
    this.#fault = fault;
    this.#options.log.error({ error: fault }, "the TLS certificate cannot be renewed; the previous one stays in use");
    this.#options.onFault?.(`the previous TLS certificate stays in use: ${fault}`);
  }

  #warnIfExpired(): void {
    const end = expiryOf(this.#pair);
    if (end > this.#options.clock.now()) return;
    this.#options.log.warn({ valid_until: end }, "the TLS certificate is no longer valid; clients will refuse it");
  }
}

function selfSignedLoader(config: TlsConfig, clock: Clock): () => Promise<KeyPair> {
  const names = machineNames([config.host, ...config.allowedHosts]);
  return () => ensureSelfSigned(selfSignedPaths(config.dataDir), names, clock.now());
}

function providedPaths({ tlsCertPath = "", tlsKeyPath = "" }: TlsConfig): KeyPairPaths {
  return { certPath: tlsCertPath, keyPath: tlsKeyPath, names: { cert: "TLS_CERT_PATH", key: "TLS_KEY_PATH" } };
}

function expiryOf({ cert }: KeyPair): Date {
  return new Date(new X509Certificate(cert).validTo);
}
