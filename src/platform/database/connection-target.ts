import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { Problem } from "../../contract/problem.ts";

/** The location of a PostgreSQL server, with user and password. */
export interface ConnectionTarget {
  /** A host name or address, or the folder of a unix socket (starts with `/`). */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: TlsMode;
  /** PEM texts for `verify-ca`, `verify-full` and for client certificates. */
  readonly certificates: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** libpq's sslmode. `prefer` falls back to plain text if the server has no TLS. */
export type TlsMode = "disable" | "prefer" | "require" | "verify-ca" | "verify-full";

/** Location of a server that listens on a unix socket. */
export interface SocketAddress {
  readonly socketDir: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** Returns the target of a unix socket, without a password. */
export function socketTarget(address: SocketAddress): ConnectionTarget {
  const { socketDir, port, user, database } = address;
  return { host: socketDir, port, user, password: "", database, tls: "disable", certificates: {} };
}

/**
 * Parses a `DATABASE_URL`: `postgres://user:password@host:port/database`, with the query parameters `sslmode`, `sslrootcert`, `sslcert`,
 * `sslkey` (files) and `host` (the folder of a unix socket). Throws `Problem("invalid")` that names the wrong part; the password is never
 * in the message.
 */
export function urlTarget(text: string): ConnectionTarget {
  if (!URL.canParse(text)) throw invalid("is not a URL");
  const url = new URL(text);
  if (url.protocol !== "postgres:" && url.protocol !== "postgresql:") throw invalid(`starts with ${url.protocol}//`);
  const query = url.searchParams;
  const host = query.get("host") ?? decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ""));
  if (host.includes(",")) throw invalid("names several hosts, and only one can be used");
  const user = decodeURIComponent(url.username) || userInfo().username;
  return {
    host: host || "localhost",
    port: url.port === "" ? 5432 : Number(url.port),
    user,
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)) || user,
    tls: host.startsWith("/") ? "disable" : tlsMode(query.get("sslmode")),
    certificates: {
      ...pem("ca", query.get("sslrootcert")),
      ...pem("cert", query.get("sslcert")),
      ...pem("key", query.get("sslkey")),
    },
  };
}

/** Describes the target without the password. */
export function describeTarget(target: ConnectionTarget): string {
  return target.host.startsWith("/")
    ? `database ${target.database} at the socket in ${target.host}`
    : `database ${target.database} at ${target.host}:${target.port}`;
}

function tlsMode(text: string | null): TlsMode {
  switch (text) {
    case null:
    case "disable":
    case "allow":
      return "disable";
    case "prefer":
    case "require":
    case "verify-ca":
    case "verify-full":
      return text;
    default:
      throw invalid(`has sslmode=${text}; allowed are disable, prefer, require, verify-ca and verify-full`);
  }
}

function pem<const K extends string>(key: K, file: string | null): { readonly [_ in K]?: string } {
  if (file === null || file === "system") return {};
  try {
    return { [key]: readFileSync(file, "utf8") } as { readonly [_ in K]: string };
  } catch (cause) {
    throw new Problem(
      "invalid",
      `DATABASE_URL names the certificate file ${file}, which cannot be read; correct the path or its permissions`,
      {
        cause,
      },
    );
  }
}

function invalid(reason: string): Problem {
  return new Problem("invalid", `DATABASE_URL ${reason}; write it as postgres://user:password@host:5432/database`);
}
