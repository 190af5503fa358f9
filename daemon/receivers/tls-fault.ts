/** Errors of OpenSSL when a client knows only versions, ciphers or signatures that are refused. */
const tooOld = [
  "unsupported protocol",
  "wrong version",
  "version too low",
  "no shared cipher",
  // TLS 1.0 and 1.1 sign with SHA-1
  "no suitable signature algorithm",
];

/**
 * Says in words why a camera's TLS handshake failed and what a person can do in the camera; `without` names the unencrypted way that the
 * camera has instead. `message` is the error of Node.
 */
export function tlsFault(message: string, without: string): string {
  const isTooOld = tooOld.some((words) => message.toLowerCase().includes(words));
  return isTooOld
    ? `The camera asks for an encryption that is too old (TLS 1.0 or 1.1); update its firmware, or ${without}`
    : `The TLS handshake failed: ${message}; let the camera accept this certificate, or ${without}`;
}
