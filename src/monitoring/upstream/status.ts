/** The meaning of a status other than 200. */
export type StatusMeaning =
  /** Something about this one request; others may go through. */
  | "request"
  /** The service asks to be called later. */
  | "busy"
  /** A fault of the service, or of a proxy in front of it: no request goes through. */
  | "service";

const aboutRequest: ReadonlySet<number> = new Set([400, 413, 415, 422]);
const busy: ReadonlySet<number> = new Set([408, 425, 429]);

/** Classifies a status other than 200. */
export function meaningOf(status: number): StatusMeaning {
  if (aboutRequest.has(status)) return "request";
  return busy.has(status) ? "busy" : "service";
}

/** A status that no request to a service should get, and where it came from. */
export interface StatusFault {
  readonly status: number;
  /** Header `Location` of the answer. */
  readonly location: string | null;
  /** The address that was called, without query. */
  readonly url: string;
  /** Path of the operation, the end of `url`. */
  readonly path: string;
  /** The variable that sets the address of the service. */
  readonly variable: string;
  /** Stands in front of the address in the variable. */
  readonly addressPrefix?: string | undefined;
}

/** Says what a status means for all requests and how to fix it, starting with `status NNN: `. */
export function describeStatus(fault: StatusFault): string {
  return `status ${fault.status}: ${fault.status >= 300 && fault.status < 400 ? redirectText(fault) : adviceFor(fault)}`;
}

function adviceFor({ status, path, variable }: StatusFault): string {
  switch (status) {
    case 401:
      return `the service asks for a key, and homesec sends none; let it accept this machine without one, or set ${variable} to a proxy that adds the key`;
    case 403:
      return `the service or a proxy in front of it forbids the request; allow this machine there, or correct ${variable}`;
    case 404:
    case 405:
    case 410:
      return `nothing there answers POST ${path}; start the service behind the address, or correct ${variable}${deepStackHint(path)}`;
    case 407:
      return `a proxy asks for a login; set ${variable} to an address that needs no proxy`;
    case 421:
      return `the server does not know the host name; set ${variable} to the name that it expects`;
    case 426:
      return `the server wants another protocol; if it wants TLS, set ${variable} to its https:// address`;
    case 502:
    case 503:
    case 504:
      return "the service behind the address is not ready; start it, or read its log";
    default:
      if (status >= 500) return "the service failed; its log says why";
      return `homesec expects status 200; check that ${variable} leads to the right service`;
  }
}

/** A detector that does not know the path may have the other API. */
function deepStackHint(path: string): string {
  return path === "/detect" ? "; CodeProject.AI, Blue Onyx and DeepStack need deepstack+ in front of the address" : "";
}

function redirectText({ location, url, path, variable, addressPrefix = "" }: StatusFault): string {
  const target = location !== null && URL.canParse(location, url) ? new URL(location, url) : undefined;
  if (!target?.protocol.startsWith("http")) return `the service redirects, which homesec does not follow; correct ${variable}`;
  // A query may hold a token, and a user name may come with a password.
  const { origin, pathname } = target;
  const fix = pathname.endsWith(path)
    ? `set ${variable}=${addressPrefix}${origin}${pathname.slice(0, -path.length)}`
    : `set ${variable} to the address that answers directly`;
  return `the service redirects to ${`${origin}${pathname}`.slice(0, 200)}, which homesec does not follow; ${fix}`;
}
