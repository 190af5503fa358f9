import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { dayMs } from "../../../base/clock/clock.ts";
import { Problem } from "../../../contract/problem.ts";
import type { Config } from "../../../platform/config/config.ts";
import { plainHost } from "../../../platform/outbound/address.ts";
import { type KeyPairPaths, readKeyPair, selfSignedPaths } from "../../../platform/tls/key-pair.ts";
import { type Check, finding, NotPossible, type Outcome, ok } from "../check.ts";
import { exists } from "../folders.ts";

/** Time to renew a certificate by hand. */
const warnDays = 14;

export const tls: Check = {
  id: "tls",
  replaces: ["tls-files", "tls-expiry", "tls-names"],
  group: "access",
  title: "TLS certificate",
  severity: "error",
  reads: "data",
  finds:
    "The files of TLS_CERT_PATH and TLS_KEY_PATH are unreadable or do not match, or the certificate is expired or not yet valid. A warning when it expires within two weeks, or lacks the name of PUBLIC_URL or HOST",
  async run(examination) {
    const config = examination.config();
    const places = await placesOf(config);
    try {
      const certificate = new X509Certificate((await readKeyPair(places)).cert);
      return [validity(certificate, config, examination.clock.now().getTime()), names(certificate, config)];
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return finding(
        error.message,
        config.tlsMode === "self_signed"
          ? `Delete ${places.certPath} and ${places.keyPath}, and restart homesec: it makes new ones`
          : "Set TLS_CERT_PATH to a PEM certificate chain and TLS_KEY_PATH to its PEM private key; the user that runs homesec must be able to read both",
      );
    }
  },
};

async function placesOf({ tlsMode, tlsCertPath = "", tlsKeyPath = "", dataDir }: Config): Promise<KeyPairPaths> {
  if (tlsMode === "disabled") throw new NotPossible("TLS_MODE is disabled");
  if (tlsMode === "provided") return { certPath: tlsCertPath, keyPath: tlsKeyPath, names: { cert: "TLS_CERT_PATH", key: "TLS_KEY_PATH" } };
  const places = selfSignedPaths(dataDir);
  if (!(await exists(places.certPath))) throw new NotPossible("homesec makes the certificate at the first start");
  return places;
}

function validity(certificate: X509Certificate, { tlsMode }: Config, now: number): Outcome {
  const [from, to] = [new Date(certificate.validFrom), new Date(certificate.validTo)];
  const renew =
    tlsMode === "self_signed"
      ? "Start homesec: it renews its own certificate two months before it expires"
      : "Renew it (certbot renew) and replace the files; homesec loads them within a minute";
  if (now < from.getTime())
    return finding(`The certificate is not valid before ${from.toISOString()}`, "Set the clock of this machine, or wait until then");
  if (to.getTime() <= now) return finding(`The certificate expired on ${to.toISOString()}: clients reject it`, renew);
  const days = Math.floor((to.getTime() - now) / dayMs);
  if (days < warnDays) return finding(`The certificate expires in ${days} days, on ${to.toISOString()}`, renew, "warning");
  return ok(`${days} days left`);
}

function names(certificate: X509Certificate, { publicUrl, host, tlsMode }: Config): Outcome {
  const wanted = publicUrl === undefined ? host : plainHost(new URL(publicUrl).hostname);
  // a listen address is rarely the name that clients use
  if (publicUrl === undefined && isIP(host) !== 0) return ok();
  const matches = isIP(wanted) === 0 ? certificate.checkHost(wanted) : certificate.checkIP(wanted);
  if (matches !== undefined) return ok(wanted);
  return finding(
    `The certificate is not valid for ${wanted}, only for ${certificate.subjectAltName ?? certificate.subject}`,
    tlsMode === "self_signed"
      ? `Set ALLOWED_HOSTS=${wanted} and restart homesec: it makes a certificate with that name`
      : `Get a certificate for ${wanted}, or correct PUBLIC_URL`,
    "warning",
  );
}
