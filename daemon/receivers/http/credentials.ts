import type { IncomingHttpHeaders } from "node:http";

/** The parts of an address for uploads. */
export interface Target {
  readonly cameraId: string;
  /** Further parts: a name, a password and a name, or a password alone. */
  readonly parts: readonly string[];
}

/** Reads the address of an upload; undefined if it is none. */
export function targetOf(address: string | undefined): Target | undefined {
  const path = address?.split("?", 1)[0] ?? "";
  const match = /^\/ingest\/([^/]+)((?:\/[^/]*){0,2})$/.exec(path);
  if (!match) return undefined;
  try {
    const [cameraId = "", ...parts] = [match[1] ?? "", ...(match[2] ?? "").split("/").slice(1)].map(decodeURIComponent);
    return { cameraId, parts };
  } catch {
    return undefined;
  }
}

/** A password that came with a request, with the user name that came with it, and what remains of the address: the name of the file. */
export interface Credentials {
  readonly password: string | undefined;
  readonly username: string | undefined;
  readonly name: string | undefined;
}

/**
 * Finds the password: as basic or bearer authentication, in the header `X-Camera-Token`, or in the path, for cameras that can only set an
 * address. `isPassword` decides about `/ingest/porch/word`, where the last part is a name or a password.
 */
export function credentialsOf(headers: IncomingHttpHeaders, { parts }: Target, isPassword: (word: string) => boolean): Credentials {
  const [first, second] = parts;
  if (second !== undefined) return { password: first, username: undefined, name: second };
  const given = fromHeaders(headers);
  if (given.password === undefined && first !== undefined && isPassword(first)) return { ...given, password: first, name: undefined };
  return { ...given, name: first };
}

function fromHeaders(headers: IncomingHttpHeaders): Omit<Credentials, "name"> {
  const token = headers["x-camera-token"];
  if (typeof token === "string") return { password: token.trim(), username: undefined };
  const [, scheme = "", value = ""] = /^\s*(\w+)\s+(.*?)\s*$/.exec(headers.authorization ?? "") ?? [];
  if (/^bearer$/i.test(scheme)) return { password: value, username: undefined };
  if (!/^basic$/i.test(scheme)) return { password: undefined, username: undefined };
  const [, username = "", password = ""] = /^([^:]*):?(.*)$/s.exec(Buffer.from(value, "base64").toString()) ?? [];
  return { password, username };
}
