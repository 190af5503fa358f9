/** Error codes of Node.js and undici, described for the person who set up the target. */
const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was closed before an answer came",
  EPIPE: "the connection was closed before an answer came",
  UND_ERR_SOCKET: "the connection was closed before an answer came",
  ETIMEDOUT: "it accepts no connections",
  EHOSTUNREACH: "no route to that machine",
  EHOSTDOWN: "that machine is down",
  ENETUNREACH: "no route to that network",
  EADDRNOTAVAIL: "no route to that address",
  EINVAL: "no route to that address",
  EACCES: "this machine blocks the connection",
  EPERM: "this machine blocks the connection",
  ENOTFOUND: "the name does not exist",
  ENODATA: "the name has no address",
  EAI_AGAIN: "the name server does not answer",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet; is this machine's clock right?",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed; name the certificate in NODE_EXTRA_CA_CERTS",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate comes from an authority that this machine does not know; name that in NODE_EXTRA_CA_CERTS",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate comes from an authority that this machine does not know; name that in NODE_EXTRA_CA_CERTS",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "its certificate comes from an authority that this machine does not know; name that in NODE_EXTRA_CA_CERTS",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not use TLS on this port; is it http://?",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not use TLS on this port; is it http://?",
  EPROTO: "TLS failed; is it http://?",
  UND_ERR_HEADERS_OVERFLOW: "the headers of its answer are too large",
};

/** Describes why a target did not respond; it names only host and port of the URL. */
export function failureText(shown: string, error: unknown): string {
  const { code = "", name } = error as NodeJS.ErrnoException;
  if (code in causes) return `${shown}: ${causes[code]} (${code})`;
  if (name === "HTTPParserError") return `${shown}: the server does not speak HTTP/1.1`;
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_") || code.includes("CERT")) return `${shown}: TLS failed (${code})`;
  // An error with several attempts, one per address
  const first = error instanceof AggregateError ? (error.errors as readonly unknown[])[0] : undefined;
  if (first !== undefined) return failureText(shown, first);
  return `${shown}: the connection failed${code === "" ? "" : ` (${code})`}`;
}
