import { createHash, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import { bitString, contextTag, identifier, integer, octetString, sequence, set, tagged, time, utf8String } from "./der.ts";

/** Contents of a certificate. */
export interface CertificateOptions {
  /** Name of the owner, for people. Cut off after 64 characters. */
  readonly title: string;
  /** Host names and IP addresses of the server. */
  readonly names: readonly string[];
  readonly from: Date;
  readonly to: Date;
  /** A key pair on the P-256 curve. */
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const ecdsaWithSha256 = sequence(identifier("1.2.840.10045.4.3.2"));

/**
 * Creates a certificate (X.509 version 3, PEM) signed with its own key. It is not an authority: clients that trust it trust only this
 * server. It omits key usage, because a certificate without the right to sign certificates would not count as self-signed.
 */
export function selfSignedCertificate({ title, names, from, to, publicKey, privateKey }: CertificateOptions): string {
  const keyInfo = publicKey.export({ type: "spki", format: "der" });
  const issuer = sequence(set(sequence(identifier("2.5.4.3"), utf8String([...title].slice(0, 64).join("")))));
  const body = sequence(
    tagged(contextTag(0, "values"), integer(Buffer.from([2]))),
    integer(serialNumber()),
    ecdsaWithSha256,
    issuer,
    sequence(time(from), time(to)),
    issuer,
    keyInfo,
    tagged(
      contextTag(3, "values"),
      sequence(
        // A key identifier is the SHA-1 hash of the key by convention.
        extension("2.5.29.14", octetString(createHash("sha1").update(keyInfo).digest())),
        extension("2.5.29.17", sequence(...names.map(alternativeName))),
        extension("2.5.29.19", sequence()),
        extension("2.5.29.37", sequence(identifier("1.3.6.1.5.5.7.3.1"))),
      ),
    ),
  );
  const der = sequence(body, ecdsaWithSha256, bitString(sign("sha256", body, privateKey)));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(identifier(id), octetString(value));
}

function alternativeName(name: string): Buffer {
  return isIP(name) === 0
    ? tagged(contextTag(2, "content"), Buffer.from(name, "latin1"))
    : tagged(contextTag(7, "content"), addressBytes(name));
}

/** Returns the 4 or 16 bytes of an IP address. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  // The URL parser turns a trailing IPv4 part into hexadecimal, so that only groups are left.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = groups.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  const all = [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}

/** Returns 16 random bytes. The first is between 1 and 127, so that the number is positive. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = 1 + ((bytes[0] ?? 0) % 127);
  return bytes;
}
